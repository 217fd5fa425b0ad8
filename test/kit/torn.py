"""Runs with a folder that are killed in the middle of a write."""
import signal
from lib import DEGENERATE, crashed, folder, run


def killed(words, write):
    """Runs the program until the write of this number, which is torn; whether it came to that."""
    result = run(*words, program=DEGENERATE, env={'CAIRN_KILL_WRITE': str(write)})
    return result.returncode == -signal.SIGKILL, result


def torn_runs(words, rng, faults):
    """For more and more writes: a run in an empty folder is killed there, and sometimes again when
    it goes on. Yields what goes on with it, the write, and how often it was killed, until a run
    comes to its end. faults: a list for those of runs that were to be killed again."""
    at = 0
    while True:
        at += rng.randint(1, 3)
        first = (*words, '--freeze', folder('killed'))
        if not killed(first, at)[0]:
            return
        kills = 1
        while rng.random() < 0.3:
            was_killed, again = killed((*first, '--resume'), rng.randint(1, 6))
            kills += was_killed
            if not was_killed and crashed(again):
                faults.append(f'{words}, second kill: {again.stderr[-500:]}')
        yield (*first, '--resume'), at, kills
