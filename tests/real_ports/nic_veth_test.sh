#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Real packets through `weir nic` and `weir switch`: three hosts, each joined by a veth pair to its NIC, and the NICs by
# veth pairs to a switch of 100 Mbit/s. The NICs and the switch have namespaces of their own, because DPDK numbers its
# packet sockets by process and interface, and the numbers of two processes may be the same.
# usage: nic_veth_test.sh WEIR SWITCH_CONFIG NIC_CONFIG
# Exit status 77: the machine lacks the means (root, network namespaces, iperf3, ethtool, ping, DPDK).
set -euo pipefail
weir=$1
switch_config=$2
nic_config=$3

skip() {
  echo "skipped: $*"
  exit 77
}
((EUID == 0)) || skip "needs root"
for program in ip iperf3 ethtool ping; do
  command -v "$program" >/dev/null || skip "needs $program"
done
id=wn$$
files=$(mktemp -d)
processes=()
clean_up() {
  for process in "${processes[@]}"; do kill -TERM "$process" 2>/dev/null || true; done
  for process in "${processes[@]}"; do wait "$process" 2>/dev/null || true; done
  for host in 0 1 2; do
    [[ ! -e $files/server$host ]] || kill "$(cat "$files/server$host")" 2>/dev/null || true
  done
  for name in 0 1 2 nics switch; do ip netns del "$id-$name" 2>/dev/null || true; done
  rm -rf "$files"
}
trap clean_up EXIT

fail() {
  echo "FAILED: $*"
  cat "$files"/*.txt "$files"/switch.json "$files"/nics.json 2>/dev/null || true
  exit 1
}

for name in nics switch 0 1 2; do ip netns add "$id-$name" 2>/dev/null || skip "needs network namespaces"; done
ip netns exec "$id-nics" true 2>/dev/null || skip "needs network namespaces that a command can enter"
for host in 0 1 2; do
  ip -n "$id-nics" link add "host$host" type veth peer name eth0 netns "$id-$host" 2>/dev/null || skip "needs veth"
  ip -n "$id-nics" link add "fabric$host" type veth peer name "veth$host" netns "$id-switch"
  for end in "nics host$host" "nics fabric$host" "switch veth$host"; do
    ip netns exec "$id-${end% *}" sysctl -qw "net.ipv6.conf.${end#* }.disable_ipv6=1" 2>/dev/null || true
    ip -n "$id-${end% *}" link set "${end#* }" up
  done
  ip netns exec "$id-$host" ethtool -K eth0 tx off gso off tso off gro off >/dev/null 2>&1 || true
  ip -n "$id-$host" link set lo up
  ip -n "$id-$host" link set eth0 address "02:00:0a:00:00:0$host" up
  ip -n "$id-$host" addr add "10.0.0.$host/32" dev eth0
  ip -n "$id-$host" route add 10.0.0.0/8 dev eth0
done
# A process may have to wait for its core: headroom for 100 ms.
sed 's/^pause_response = .*/pause_response = "100 ms"/; s/^node = .*/&\ncalibration = "0 s"/' "$switch_config" \
  >"$files/switch.toml"
sed 's/^pause_response = .*/pause_response = "100 ms"/' "$nic_config" \
  >"$files/nics.toml"
ip netns exec "$id-switch" "$weir" switch --config "$files/switch.toml" --json >"$files/switch.json" 2>"$files/switch.txt" &
processes+=($!)
ip netns exec "$id-nics" "$weir" nic --config "$files/nics.toml" --json >"$files/nics.json" 2>"$files/nics.txt" &
processes+=($!)
for started in "switch.txt:forwards between" "nics.txt:NICs run"; do
  for _ in {1..100}; do
    ! grep -q "${started#*:}" "$files/${started%%:*}" || continue 2
    ! grep -q "no DPDK" "$files/${started%%:*}" || skip "this build has no DPDK"
    kill -0 "${processes[@]}" 2>/dev/null || fail "a process did not start"
    sleep 0.1
  done
  fail "no start: $started"
done

for pair in "1 2" "2 0" "0 1"; do
  read -r from to <<<"$pair"
  ip netns exec "$id-$from" ping -q -c 5 -i 0.2 -W 2 "10.0.0.$to" >"$files/ping$from.txt" || fail "ping $pair"
done
grep -q " 0% packet loss" "$files"/ping1.txt || fail "ping lost packets"

# Twice 80 Mbit/s of the lossless priority 3, offered to a port of 100 Mbit/s. The NICs obey the pauses: the switch
# drops nothing, and what is too much is dropped by the queues of the NICs.
ip netns exec "$id-2" iperf3 -s -1 -p 5201 -D --pidfile "$files/server2" >/dev/null
ip netns exec "$id-2" iperf3 -s -1 -p 5202 -D --pidfile "$files/server0" >/dev/null
sleep 0.5
ip netns exec "$id-1" iperf3 -c 10.0.0.2 -p 5201 -u -b 80M -l 1400 -S 96 -t 3 --json >"$files/iperf1.json" &
client=$!
ip netns exec "$id-0" iperf3 -c 10.0.0.2 -p 5202 -u -b 80M -l 1400 -S 96 -t 3 --json >"$files/iperf0.json" || fail "iperf3"
wait "$client" || fail "iperf3"
for process in "${processes[@]}"; do kill -TERM "$process"; done
for process in "${processes[@]}"; do wait "$process" || fail "a process ended with status $?"; done
processes=()
grep -q '"sent_pfc_frames": *[1-9]' "$files/switch.json" || fail "the overload caused no PFC"
grep -q '"received_pfc_frames": *[1-9]' "$files/nics.json" || fail "no NIC received a pause"
grep -q '"from_host_queue_full": *[1-9]' "$files/nics.json" || fail "no queue of a NIC was full"
! grep -q '"buffer full"' "$files/switch.json" || fail "the switch dropped frames of a lossless priority"
total=0
for client in 0 1; do
  rate=$(sed -n '/"sum_received"/,/}/s/.*"bits_per_second":[^0-9]*\([0-9]*\).*/\1/p' "$files/iperf$client.json" | tail -1)
  [[ -n $rate ]] || fail "nothing arrived from host $client"
  total=$((total + rate))
done
((total > 10000000 && total <= 100000000)) || fail "$total bit/s arrived through a port of 100 Mbit/s"
echo "passed: $total bit/s arrived"
