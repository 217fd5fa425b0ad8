"""A Slurm of one node, in a folder: munged, slurmctld and slurmd of their own, with ports of their
own, so that nothing of the system is touched. OneNode() is a context manager; its `why` says why it
cannot start, or is None."""
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time

PROGRAMS = ('munged', 'munge', 'slurmctld', 'slurmd', 'sbatch', 'squeue', 'sinfo', 'scancel')

CONF = '''ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2,defer=0
ReturnToService=2
KillWait=5
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdSpoolDir={folder}/spool
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort={port}
SlurmdPort={next}
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
'''


def _free_ports():
    for _ in range(50):
        port = random.randrange(20000, 32000)
        try:
            for each in (port, port + 1):
                with socket.socket() as one:
                    one.bind(('127.0.0.1', each))
            return port
        except OSError:
            pass
    return None


class OneNode:
    def __init__(self, cpus=2):
        self.cpus, self.why, self.processes = cpus, None, []
        self.folder = None
        self.env = dict(os.environ)

    def missing(self):
        for program in PROGRAMS:
            if not shutil.which(program, path=os.environ.get('PATH', '') + ':/usr/sbin:/sbin'):
                return f'there is no {program}'
        return None if os.geteuid() == 0 else 'a Slurm of one node needs root'

    def start(self, *words):
        log = open(os.path.join(self.folder, words[0] + '.out'), 'w')
        self.processes.append(subprocess.Popen(words, env=self.env, stdout=log, stderr=log))

    def ask(self, *words):
        return subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=60)

    def __enter__(self):
        self.why = self.missing()
        if self.why:
            return self
        self.env['PATH'] = os.environ.get('PATH', '') + ':/usr/sbin:/sbin'
        self.folder = tempfile.mkdtemp(prefix='cairn-slurm-')
        for name in ('spool', 'state'):
            os.mkdir(os.path.join(self.folder, name))
        key, socket_name = (os.path.join(self.folder, name) for name in ('key', 'munge.socket'))
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o400), 'wb') as file:
            file.write(os.urandom(1024))
        port = _free_ports()
        conf = os.path.join(self.folder, 'slurm.conf')
        with open(conf, 'w') as file:
            file.write(CONF.format(folder=self.folder, host=socket.gethostname().split('.')[0],
                                   port=port, next=port + 1, cpus=self.cpus))
        self.env['SLURM_CONF'] = conf
        self.start('munged', '--foreground', '--force', f'--key-file={key}',
                   f'--socket={socket_name}', f'--log-file={self.folder}/munged.log',
                   f'--pid-file={self.folder}/munged.pid', f'--seed-file={self.folder}/seed')
        if not self.until(lambda: os.path.exists(socket_name), 10):
            self.why = 'munged does not start'
            return self
        self.start('slurmctld', '-D', '-c')
        self.start('slurmd', '-D', '-N', socket.gethostname().split('.')[0])
        if not self.until(lambda: 'idle' in self.ask('sinfo', '-h', '-o', '%T').stdout, 40):
            with open(os.path.join(self.folder, 'slurmctld.log')) as file:
                self.why = f'the node does not become idle: {file.read()[-600:]}'
        return self

    @staticmethod
    def until(is_true, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if is_true():
                return True
            time.sleep(0.1)
        return False

    def __exit__(self, *_):
        if self.folder and not self.why:
            self.ask('scancel', '--user=root')
            self.until(lambda: not self.ask('squeue', '-h').stdout.strip(), 10)
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
