#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `weir testbed` from start to end; and what is left after it was killed, and after Ctrl-C.
# usage: testbed_test.sh WEIR TESTBED
# Exit status 77: the machine lacks the means.
set -euo pipefail
weir=$1
testbed=$2

skip() {
  echo "skipped: $*"
  exit 77
}
((EUID == 0)) || skip "needs root"
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
ip netns list >/dev/null 2>&1 || skip "needs network namespaces"
fail() {
  echo "FAILED: $*"
  cat "$files"/*.txt 2>/dev/null || true
  exit 1
}
sed 's/^duration = .*/duration = "4 s"/; s/^warm_up = .*/warm_up = "1 s"/' "$testbed" >"$files/short.toml"

status=0
"$weir" testbed "$files/short.toml" --out "$files/out" >"$files/run.txt" 2>&1 || status=$?
! grep -q "lacks" "$files/run.txt" || skip "$(cat "$files/run.txt")"
((status == 0)) || fail "exit status $status"
[[ $(grep -c "arrived on the wire" "$files/run.txt") == 3 ]] || fail "not every client has a result"
grep -q "port 3: queue" "$files/run.txt" || fail "no queue was reported"
[[ -s $files/out/testbed.txt && -s $files/out/switch0.json && -s $files/out/nics.json ]] || fail "results are missing"

# The namespaces of one testbed, and their processes.
left_of() { ip netns list | grep -c "^weirtb$1-" || true; }
gone() {
  for _ in {1..100}; do
    [[ $(left_of "$1") != 0 ]] || return 0
    sleep 0.1
  done
  return 1
}
# Those of this test: what its guardian has just killed may still be ending.
without_processes() {
  for _ in {1..100}; do
    pgrep -f "$files/out" >/dev/null || return 0
    sleep 0.1
  done
  return 1
}
# Each in a folder of its own: a process that has been killed holds its files a little longer than its arguments.
start() {
  "$weir" testbed "$files/short.toml" --out "$files/out-$1" >"$files/$1.txt" 2>&1 &
  process=$!
  for _ in {1..300}; do
    [[ ! -e $files/out-$1/client0.json ]] || break
    sleep 0.1
  done
  (($(left_of "$process") > 0)) || fail "the testbed did not start"
  rm "$files/out-$1/client0.json"
}
start killed
kill -KILL "$process"
wait "$process" || true
gone "$process" || fail "namespaces are left after the testbed was killed"
without_processes || fail "processes are left after the testbed was killed"

start interrupted
kill -INT "$process"
status=0
wait "$process" || status=$?
((status == 130)) || fail "exit status $status after Ctrl-C"
[[ $(left_of "$process") == 0 ]] || fail "namespaces are left after Ctrl-C"
! pgrep -f "$files/out" >/dev/null || fail "processes are left after Ctrl-C"

# The next testbed removes what one has left whose guardian was killed, too: no process has this number.
unused=$(($(cat /proc/sys/kernel/pid_max) - 1))
ip netns add "weirtb$unused-h0"
"$weir" testbed "$files/short.toml" --out "$files/out" >"$files/next.txt" 2>&1 || fail "the next testbed failed"
[[ $(left_of "$unused") == 0 ]] || fail "an abandoned namespace is left"
grep -q "weirtb$unused-" "$files/next.txt" || fail "it does not say what it removed"
echo "passed"
