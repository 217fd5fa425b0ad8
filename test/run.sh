#!/bin/sh
# Builds the test variants, runs the suites two at a time, prints each as it ends, and sums up: the last line is "N passed, N failed".
# LONG=1 runs the campaigns, too (make test-long); SUITES="a b" runs only some. Logs and CPU times are left in build/test-logs.
cd "$(dirname "$0")/.." || exit 1
log=build/test-logs

# CPU seconds of all children, from what `times` wrote.
seconds() {
    tail -n 1 "$1" | tr 'ms' '  ' | awk '{printf "%.0f", 60 * $1 + $2 + 60 * $3 + $4}'
}

# Runs the suite $1 and prints its line, after its failures if it has any: in one piece, because another suite may end meanwhile.
run_suite() {
    begun=$(date +%s)
    python3 "test/suites/$1.py" > "$log/$1.log" 2>&1
    times > "$log/$1.times" # not into a pipe, whose shell would tell its own
    cpu=$(seconds "$log/$1.times")
    echo "$cpu $1" > "$log/$1.cpu"
    last=$(tail -n 1 "$log/$1.log")
    case "$last" in
    *" passed, 0 failed") ;;
    *" passed, "*" failed") grep -v ' passed, ' "$log/$1.log" | head -n 40 ;;
    *) tail -n 30 "$log/$1.log"; last="0 passed, 1 failed"; echo "$1: did not finish" ;;
    esac > "$log/$1.shown"
    echo "$last" > "$log/$1.last"
    printf '%-15s %s, %s s, %s s of CPU time\n' "$1" "$last" "$(($(date +%s) - begun))" "$cpu" >> "$log/$1.shown"
    cat "$log/$1.shown"
}

build() {
    echo "building $1"
    shift
    make -s -j2 "$@" || { echo "the build failed: make $*"; echo "0 passed, 1 failed"; exit 1; }
}

if [ "$1" = --suite ]; then
    run_suite "$2"
    exit 0
fi
build "the sanitized program" MODE=asan build/asan/cairn
build "the degenerate program (4-bit hash, tiny tables)" MODE=degenerate build/degenerate/cairn
build "the tools of the tests" build/release/tools/naive
# The longest first, so that no core waits for one of them at the end.
slow="unit hostile work mpi slurm faults library symbolic_limits split levels partitions past layers guides spin threads portfolio timed docs ltl symbolic"
suites=${SUITES:-$slow $(ls test/suites | sed -n 's/\.py$//p' | grep -vwE "$(echo $slow | tr ' ' '|')")}
rm -rf $log && mkdir -p $log
times > $log/builds
echo "running $(echo $suites | wc -w) suites, two at a time; each is told when it ends"
echo $suites | tr ' ' '\n' | xargs -P 2 -I{} test/run.sh --suite {}
cat $log/*.cpu 2>/dev/null | sort -rn | awk -v builds="$(seconds $log/builds)" '{sum += $1; if (NR <= 12) most = most (NR > 1 ? ", " : "") $2 " " $1}
    END {print "CPU seconds: " builds " to build, " sum " for suites (" most ")"}'
for suite in $suites; do
    cat "$log/$suite.last" 2>/dev/null || echo "0 passed, 1 failed"
done | awk '{passed += $1; failed += $3} END {print passed " passed, " failed " failed"; exit failed > 0}'
