#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Real packets without loss: three hosts overload a fourth three times, through two switches. With the headroom (PFC) or
# the buffer (BFC) that the file gives them, the switches lose nothing; with too little, they count what they lose: as
# many packets as the NICs sent in vain.
# usage: lossless_test.sh WEIR TESTBED SECONDS
#   TESTBED: examples/testbed/lossless_pfc.toml or lossless_bfc.toml; SECONDS: length of the overload, 60 for the whole
# Exit status 77: the machine lacks the means.
set -euo pipefail
weir=$1
testbed=$2
seconds=$3

skip() {
  echo "skipped: $*"
  exit 77
}
((EUID == 0)) || skip "needs root"
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
fail() {
  echo "FAILED: $*"
  cat "$files"/*.txt "$files"/*/left.json "$files"/*/right.json 2>/dev/null || true
  exit 1
}

# The sum of a number in the results of a testbed: sum FOLDER PROCESS KEY [PEER or HOST]. Only of the ports to that peer,
# or of the NIC of that host.
sum() {
  awk -v key="\"$3\":" -v only="${4:-}" '
    $1 == "\"peer\":" || $1 == "\"host\":" { of = $2; gsub(/[",]/, "", of) }
    $1 == key && (only == "" || of == only) { total += $2 }
    END { printf "%d", total }' "$files/$1/$2.json"
}
# Frames that the switches have dropped.
dropped() {
  awk '/"dropped": \{/ { inside = 1 } inside && /}/ { inside = 0 } inside && $NF ~ /^[0-9]+,?$/ { total += $NF }
    END { printf "%d", total }' "$files/$1/left.json" "$files/$1/right.json"
}
# Frames that were lost between nodes, or refused by them.
lost_elsewhere() {
  local total=0
  for key in device_missed device_no_buffer device_bad device_not_sent lost_with_link_frames refused_frames \
    not_sent_frames missed no_buffer bad not_sent; do
    for process in left right nics; do total=$((total + $(sum "$1" "$process" "$key"))); done
  done
  echo "$total"
}
# Every frame that one end of a link has sent was received by the other.
links_lose_nothing() {
  for host in h0 h1 h2; do
    [[ $(sum "$1" nics sent_frames "$host") == $(sum "$1" left received_frames "$host") ]] || return 1
    [[ $(sum "$1" nics received_frames "$host") == $(sum "$1" left sent_frames "$host") ]] || return 1
  done
  [[ $(sum "$1" nics sent_frames h3) == $(sum "$1" right received_frames h3) ]] || return 1
  [[ $(sum "$1" nics received_frames h3) == $(sum "$1" right sent_frames h3) ]] || return 1
  [[ $(sum "$1" left sent_frames right) == $(sum "$1" right received_frames left) ]] || return 1
  [[ $(sum "$1" right sent_frames left) == $(sum "$1" left received_frames right) ]] || return 1
}
run() {
  "$weir" testbed "$files/$1.toml" --out "$files/$1" >"$files/$1.txt" 2>&1 || {
    ! grep -q "lacks" "$files/$1.txt" || skip "$(cat "$files/$1.txt")"
    fail "$1: the testbed failed"
  }
  grep -q '"open_messages": 0' "$files/$1/nics.json" || fail "$1: a message has not arrived"
}

# A third of 10 Mbit/s is about 390 KB of payload per second.
kilobytes=$((seconds * 383))
sed "s/^\(.*destination = \"h3\", size = \)\"[^\"]*\"/\1\"$kilobytes KB\"/; s/^\(duration\|stop\) = .*/\1 = \"$((seconds + 10)) s\"/" \
  "$testbed" >"$files/enough.toml"
run enough
[[ $(dropped enough) == 0 ]] || fail "the switches dropped $(dropped enough) frames"
[[ $(lost_elsewhere enough) == 0 ]] || fail "frames were lost or refused"
links_lose_nothing enough || fail "a link lost frames"
[[ $(sum enough nics data_frames_sent) == $((3 * (kilobytes))) ]] || fail "a packet was not sent exactly once"
echo "enough: $(sum enough nics data_frames_sent) packets, none lost; pauses: $(sum enough left pauses) of left," \
  "$(sum enough right pauses) of right"

# Headroom of one frame, or a buffer of 40: pauses come too late.
sed 's/^pause_response = .*/pause_response = "0 s"/; s/^buffer = .*/buffer = "40 KB"/; s/xoff = "[^"]*"/xoff = "5 KB"/; s/^flow_control = \["pfc"\]/headroom = "1100 B"\n&/' \
  "$files/enough.toml" >"$files/little.toml"
sed -i "s/^\(.*destination = \"h3\", size = \)\"[^\"]*\"/\1\"40 KB\"/; s/^\(duration\|stop\) = .*/\1 = \"10 s\"/; s/timeout = \"[^\"]*\"/timeout = \"500 ms\", timeout_doublings = 0/" \
  "$files/little.toml"
run little
(($(dropped little) > 0)) || fail "too little headroom lost nothing"
[[ $(lost_elsewhere little) == 0 ]] || fail "frames were lost elsewhere"
links_lose_nothing little || fail "a link lost frames"
# What arrives at h3 is data and control frames of hops.
arrived=$(($(sum little right sent_frames h3) - $(sum little right sent_pfc_frames h3)))
sent=$(sum little nics data_frames_sent)
(($(dropped little) == sent - arrived)) || fail "$sent packets sent, $arrived arrived, but $(dropped little) counted as dropped"
echo "too little: $sent packets sent, $arrived arrived, $(dropped little) dropped and counted"
