#!/bin/sh
# Shows what a proof and a counterexample look like.
cd "$(dirname "$0")/.." || exit 1
say() { printf '\n$ %s\n' "$*"; "$@"; }

echo 'Peterson'\''s algorithm keeps two processes out of each other'\''s way: a proof over all reachable states.'
say ./cairn check examples/peterson/peterson.mil -p mutex || exit 1

printf '\nThree philosophers can starve at a full table: the shortest way into the deadlock, and what blocks whom.\n'
say ./cairn check examples/philosophers/phils.mil -D n=3 -p deadlock
[ $? -eq 1 ] || exit 1

printf '\nNext: ./cairn --help, README.md, examples/README.md\n'
