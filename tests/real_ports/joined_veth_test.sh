#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Real packets through two switches of one `weir switch`, joined in memory: four network namespaces, two at each switch.
# Once with all cores, and once with one core, on which one thread polls both switches.
# usage: joined_veth_test.sh WEIR CONFIG
# Exit status 77: the machine lacks the means (root, network namespaces, iperf3, ethtool, ping, taskset, DPDK).
set -euo pipefail
weir=$1
config=$2

skip() {
  echo "skipped: $*"
  exit 77
}
((EUID == 0)) || skip "needs root"
for program in ip iperf3 ethtool ping taskset; do
  command -v "$program" >/dev/null || skip "needs $program"
done
id=wj$$
files=$(mktemp -d)
switch=
clean_up() {
  [[ -z $switch ]] || kill -TERM "$switch" 2>/dev/null || true
  [[ -z $switch ]] || wait "$switch" 2>/dev/null || true
  [[ ! -e $files/server ]] || kill "$(cat "$files/server")" 2>/dev/null || true
  for host in 0 1 2 3; do
    ip netns del "$id-$host" 2>/dev/null || true
    ip link del "${id}v$host" 2>/dev/null || true
  done
  rm -rf "$files"
}
trap clean_up EXIT
fail() {
  echo "FAILED: $*"
  cat "$files"/*.txt "$files"/*.json 2>/dev/null || true
  exit 1
}

for host in 0 1 2 3; do
  ip netns add "$id-$host" 2>/dev/null || skip "needs network namespaces"
  ip netns exec "$id-$host" true 2>/dev/null || skip "needs network namespaces that a command can enter"
  ip link add "${id}v$host" type veth peer name eth0 netns "$id-$host" 2>/dev/null || skip "needs veth"
  ip link set "${id}v$host" up
  sysctl -qw "net.ipv6.conf.${id}v$host.disable_ipv6=1" 2>/dev/null || true
  ip netns exec "$id-$host" ethtool -K eth0 tx off gso off tso off gro off >/dev/null 2>&1 || true
  ip -n "$id-$host" link set lo up
  ip -n "$id-$host" link set eth0 address "02:00:0a:00:00:0$host" up
  ip -n "$id-$host" addr add "10.0.0.$host/32" dev eth0
  ip -n "$id-$host" route add 10.0.0.0/8 dev eth0
done
sed "s/iface=veth/iface=${id}v/; s/^pause_response = .*/pause_response = \"50 ms\"/; s/^nodes = .*/&\ncalibration = \"0 s\"/" \
  "$config" >"$files/config.toml"

start() {
  "$@" "$weir" switch --config "$files/config.toml" --json >"$files/counters.json" 2>"$files/switch.txt" &
  switch=$!
  for _ in {1..300}; do
    ! grep -q "switch right forwards between" "$files/switch.txt" || return 0
    if ! kill -0 "$switch" 2>/dev/null; then
      grep -q "no DPDK" "$files/switch.txt" && skip "this build has no DPDK"
      fail "the switches did not start"
    fi
    sleep 0.1
  done
  fail "the switches did not start in 30 s"
}
stop() {
  kill -TERM "$switch"
  wait "$switch" || fail "the switches ended with status $?"
  switch=
}
reach_each_other() {
  for pair in "0 1" "0 2" "3 1" "2 3"; do
    read -r from to <<<"$pair"
    ip netns exec "$id-$from" ping -q -c 5 -i 0.2 -W 2 "10.0.0.$to" >"$files/ping.txt" || fail "ping $pair"
  done
}

start env
threads=$(ls "/proc/$switch/task" | wc -l)
reach_each_other
# 250 Mbit/s of the lossless priority 3 from h0, through both switches to a port of 100 Mbit/s.
ip netns exec "$id-3" iperf3 -s -1 -D --pidfile "$files/server" >/dev/null
sleep 0.5
ip netns exec "$id-0" iperf3 -c 10.0.0.3 -u -b 250M -l 1400 -S 96 -t 3 --json >"$files/iperf.json" || fail "iperf3"
rate=$(sed -n '/"sum_received"/,/}/s/.*"bits_per_second":[^0-9]*\([0-9]*\).*/\1/p' "$files/iperf.json" | tail -1)
stop
[[ -n $rate ]] || fail "nothing arrived"
((rate > 1000000 && rate <= 100000000)) || fail "$rate bit/s arrived through a port of 100 Mbit/s"
[[ $(grep -c '"switch":' "$files/counters.json") == 2 ]] || fail "a switch has no counters"

start taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')"
fewer=$(ls "/proc/$switch/task" | wc -l)
reach_each_other
stop
if (($(nproc) > 1)); then
  ((fewer == threads - 1)) || fail "$threads threads with all cores, $fewer with one"
fi
echo "passed: $rate bit/s arrived"
