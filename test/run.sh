#!/bin/sh
# Builds the test variants, runs every suite, and sums up. LONG=1 runs longer; SUITES="a b" runs only some.
cd "$(dirname "$0")/.." || exit 1
mkdir -p build
for mode in asan degenerate; do
    make -s -j2 MODE=$mode "build/$mode/cairn" || { echo "the $mode build failed"; echo "0 passed, 1 failed"; exit 1; }
done
make -s -j2 build/release/tools/naive || { echo "the tools do not build"; echo "0 passed, 1 failed"; exit 1; }
slow="faults random hostile symbolic bounded_known unit code" # first, so that no core waits for one of them at the end
suites=${SUITES:-$slow $(ls test/suites | sed -n 's/\.py$//p' | grep -vwE "$(echo $slow | tr ' ' '|')")}
log=build/test-logs
rm -rf $log && mkdir -p $log
echo $suites | tr ' ' '\n' | xargs -P 2 -I{} sh -c "begun=\$(date +%s); python3 test/suites/{}.py > $log/{}.log 2>&1; times > $log/{}.cpu; echo \$((\$(date +%s) - begun)) > $log/{}.seconds"
passed=0 failed=0
for suite in $suites; do
    last=$(tail -n 1 "$log/$suite.log")
    case "$last" in
    *" passed, "*" failed") ;;
    *) tail -n 30 "$log/$suite.log"; last="0 passed, 1 failed"; echo "$suite: did not finish" ;;
    esac
    [ "${last% failed}" = "${last%, *}, 0" ] || grep -v ' passed, ' "$log/$suite.log" | head -n 40
    cpu=$(tail -n 1 "$log/$suite.cpu" | tr 'ms' '  ' | awk '{printf "%.0f", 60 * $1 + $2 + 60 * $3 + $4}')
    printf '%-15s %s, %s s, %s s of CPU time\n' "$suite" "$last" "$(cat "$log/$suite.seconds")" "$cpu"
    p=${last%% passed*} f=${last##*, }
    passed=$((passed + p)) failed=$((failed + ${f%% failed}))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
