#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Real packets through `weir switch`: three network namespaces, joined by veth pairs to a switch of 100 Mbit/s.
# usage: veth_test.sh WEIR CONFIG
# Exit status 77: the machine lacks the means (root, network namespaces, iperf3, ethtool, ping, DPDK).
set -euo pipefail
weir=$1
config=$2

skip() {
  echo "skipped: $*"
  exit 77
}
((EUID == 0)) || skip "needs root"
for program in ip iperf3 ethtool ping; do
  command -v "$program" >/dev/null || skip "needs $program"
done
id=weir$$
files=$(mktemp -d)
switch=
clean_up() {
  [[ -z $switch ]] || kill -TERM "$switch" 2>/dev/null || true
  [[ -z $switch ]] || wait "$switch" 2>/dev/null || true
  for host in 0 1 2; do
    [[ ! -e $files/server$host ]] || kill "$(cat "$files/server$host")" 2>/dev/null || true
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

for host in 0 1 2; do
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
sed "s/iface=veth/iface=${id}v/" "$config" >"$files/config.toml"
"$weir" switch --config "$files/config.toml" --json --out "$files/results" >"$files/counters.json" 2>"$files/switch.txt" &
switch=$!
for _ in {1..100}; do
  ! grep -q "forwards between" "$files/switch.txt" || break
  if ! kill -0 "$switch" 2>/dev/null; then
    grep -q "no DPDK" "$files/switch.txt" && skip "this build has no DPDK"
    fail "the switch did not start"
  fi
  sleep 0.1
done

# Each pair reaches each other, with ARP through the switch.
for pair in "1 2" "2 0" "0 1"; do
  read -r from to <<<"$pair"
  ip netns exec "$id-$from" ping -q -c 5 -i 0.2 -W 2 "10.0.0.$to" >"$files/ping$from.txt" || fail "ping $pair"
done
grep -q " 0% packet loss" "$files"/ping1.txt || fail "ping lost packets"

# 300 Mbit/s of the lossless priority 3, offered to a port of 100 Mbit/s. The kernel does not obey the pauses.
ip netns exec "$id-2" iperf3 -s -1 -D --pidfile "$files/server2" >/dev/null
sleep 0.5
ip netns exec "$id-1" iperf3 -c 10.0.0.2 -u -b 300M -l 1400 -S 96 -t 3 --json >"$files/iperf.json" || fail "iperf3"
rate=$(sed -n '/"sum_received"/,/}/s/.*"bits_per_second":[^0-9]*\([0-9]*\).*/\1/p' "$files/iperf.json" | tail -1)
# A link that fails and is restored.
ip -n "$id-2" link set eth0 down
sleep 0.3
ip netns exec "$id-1" ping -q -c 3 -i 0.2 -W 1 10.0.0.2 >"$files/ping_down.txt" && fail "a link that is down carries packets"
ip -n "$id-2" link set eth0 up
ip -n "$id-2" route replace 10.0.0.0/8 dev eth0
sleep 0.3
ip netns exec "$id-1" ping -q -c 5 -i 0.2 -W 2 10.0.0.2 >"$files/ping_up.txt" || fail "a restored link carries nothing"

kill -TERM "$switch"
wait "$switch" || fail "the switch ended with status $?"
switch=
grep -q '"measured_gap_us": *[0-9.]*[1-9]' "$files/counters.json" || fail "the switch did not measure its loop"
grep -q '"link_failures": *1' "$files/counters.json" || fail "the switch did not notice the failure of a link"
"$weir" runs "$files/results" >"$files/runs.txt" || fail "the store cannot be read"
grep -q switch0 "$files/runs.txt" || fail "the store has no run of the switch"
"$weir" report "$files/results" >/dev/null || fail "no report of the store"
grep -q '"sent_pfc_frames": *[1-9]' "$files/counters.json" || fail "the overload caused no PFC"
[[ -n $rate ]] || fail "nothing arrived"
((rate > 1000000 && rate <= 100000000)) || fail "$rate bit/s arrived through a port of 100 Mbit/s"
echo "passed: $rate bit/s arrived"
