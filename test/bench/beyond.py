"""A search of more than 2^32 states (about a quarter of an hour; ROUNDS: fewer rounds): rounds of a
square grid, one after the other, whose rank is the number of the round. Every count is known by a
formula, and the search must end with it. Past-freeze order keeps two rounds in memory at most."""
import json
import os
import subprocess
import sys
import tempfile
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from lib import CAIRN

SIDE = 1024


def model(rounds):
    bits = (rounds - 1).bit_length()
    return f'''cairn 1
model "beyond.cairn"

variable "round" 0..{2 ** bits - 1} = 0
variable "a" 0..{SIDE - 1} = 0
variable "b" 0..{SIDE - 1} = 0
rank "round"

rule "right"
  part global
    when (lt "a" {SIDE - 1})
  set "a" (add {SIDE.bit_length() - 1} "a" 1)
rule "up"
  part global
    when (lt "b" {SIDE - 1})
  set "b" (add {SIDE.bit_length() - 1} "b" 1)
rule "next"
  part global
    when (eq "a" {SIDE - 1})
    when (eq "b" {SIDE - 1})
    when (lt "round" {rounds - 1})
  set "round" (add {bits} "round" 1)
  set "a" 0
  set "b" 0
'''


def main():
    rounds = int(os.environ.get('ROUNDS', '4100'))
    with tempfile.NamedTemporaryFile('w', suffix='.cairn') as file:
        file.write(model(rounds))
        file.flush()
        told = subprocess.run([CAIRN, 'explore', file.name, '--order', 'past-freeze', '--json'],
                              stdout=subprocess.PIPE, text=True, check=True)
    ours = json.loads(told.stdout)
    due = {'states': rounds * SIDE ** 2, 'deadlocks': 1, 'complete': True,
           'transitions': rounds * 2 * SIDE * (SIDE - 1) + rounds - 1}
    for key, value in due.items():
        print(f'{key}: {ours[key]}, due: {value}')
    words = 'more' if ours['states'] > 2 ** 32 else 'fewer'
    print(f'{words} than 2^32, {ours["seconds"]:.0f} s, '
          f'{ours["peak_memory_bytes"] / 2 ** 20:.0f} MiB')
    return any(ours[key] != value for key, value in due.items())


if __name__ == '__main__':
    sys.exit(main())
