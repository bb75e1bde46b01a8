// SPDX-License-Identifier: Apache-2.0
// Cost of forwarding real frames: nanoseconds of processor time per frame of 64 bytes, by scheme. One line per scheme.
// The ports are null devices of DPDK, which give each packet that is asked for a buffer, and free what is sent. Next to
// dpdk-testpmd on the same devices (tools/bench_real) this shows what the switch costs beyond moving packets.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dpdk/dpdk_ports.h"
#include "fabric/fabric.h"
#include "fabric/hop_protocols.h"
#include "ports/packet_switch.h"
#include "ports/port_loop.h"
#include "scenario/real_switch.h"
#include "scenario/switch_schemes.h"
#include "wire/emit.h"

namespace {

using weir::BitRate;
using weir::Duration;
using weir::HostId;

constexpr std::size_t kFrames = 64;
constexpr std::size_t kPackets = 1 << 17;

/// A frame without FCS.
using Bytes = std::array<std::byte, weir::kMinimumEthernetBytes>;

const char* const kNetwork = R"([topology]
kind = "leaf_spine"
tors = 2
hosts_per_tor = 1
spines = 1
host_link = { rate = "400 Gbit/s", delay = "1 us" }
fabric_link = { rate = "400 Gbit/s", delay = "1 us" }
[switch]
buffer = "12 MB"
flow_control = "pfc"
[real]
node = "tor0"
[[port]]
towards = "h0"
device = "net_null0,size=60"
[[port]]
towards = "spine0"
device = "net_null1,size=60"
)";

/// A null device whose packets contain frames, in turn.
class FramePort final : public weir::PacketPort {
 public:
  FramePort(weir::PacketPort& device, std::vector<Bytes> frames) : device_(device), frames_(std::move(frames)) {}
  std::size_t receive(std::span<weir::Packet> out) override {
    const std::size_t count = device_.receive(out);
    for (weir::Packet& packet : out.first(count)) {
      const Bytes& frame = frames_[next_++ % kFrames];
      std::memcpy(packet.bytes, frame.data(), frame.size());  // of a fixed size, hence inline
      packet.length = static_cast<std::uint32_t>(frame.size());
    }
    return count;
  }
  std::size_t send(std::span<const weir::Packet> packets) override { return device_.send(packets); }

 private:
  weir::PacketPort& device_;
  std::vector<Bytes> frames_;
  std::size_t next_ = 0;
};

/// RoCEv2 packets of 64 bytes with FCS, of as many flows as there are, from one host to the other.
std::vector<Bytes> frames_between(HostId from, HostId to) {
  weir::FramePool pool(1);
  std::vector<Bytes> out;
  for (std::size_t i = 0; i < kFrames; ++i) {
    const weir::FrameId id = pool.allocate();
    weir::Frame& frame = pool[id];
    frame.kind = weir::FrameKind::data;
    frame.source = from;
    frame.destination = to;
    frame.priority = 3;
    frame.queue_pair = weir::QueuePairId(i + 2);
    frame.entropy = static_cast<std::uint16_t>(0xc000 + i);
    frame.set_ecn(weir::Ecn::capable);
    weir::Envelope envelope = weir::default_envelope(frame);
    envelope.tagged = false;
    out.emplace_back();
    if (!emit(pool, frame, envelope, {}, weir::Fcs::absent, out.back())) std::abort();
    pool.release(id);
  }
  return out;
}

double seconds_of_processor() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The switch with this scheme in all its roles there.
weir::Settings settings_with(const weir::Settings& settings, const weir::Scheme& scheme) {
  weir::PolicyChoice choice{&scheme, weir::Parameters(scheme.parameters)};
  // No neighbour gives credits back, so a flow control's window must never end.
  constexpr weir::Bytes kUnlimited(1'000'000'000'000);
  if (scheme.flow_control != nullptr) static_cast<void>(choice.parameters.set("window", kUnlimited));
  weir::Settings out = with_scheme_in_switches(settings, choice);
  out.run.frame_capacity = kPackets;
  return out;
}

/// Nanoseconds of processor time per frame.
double cost_of(const weir::RealSwitch& real, const weir::Settings& settings, weir::DpdkPorts& devices, double seconds) {
  weir::Fabric fabric(settings);
  const weir::Neighbours neighbours(2);
  weir::PacketSwitch node(fabric.switch_by(real.id), fabric.frames(), devices.packets(), neighbours,
                          std::vector<weir::PortAddresses>(2));
  const weir::HostControlProtocols to_hosts = weir::host_control_of(settings);
  node.set_rules(weir::PortId(0), {.to_hosts = to_hosts.from_hosts});
  node.set_rules(weir::PortId(1), {.to_hosts = to_hosts.all});
  const weir::Topology& topology = fabric.topology();
  const bool host_is_first = topology.node(topology.ports(topology.node_of(real.id))[0].peer).is_host();
  const std::size_t up = host_is_first ? 1 : 0;
  std::vector<FramePort> ports;
  ports.reserve(2);
  for (std::size_t i = 0; i < 2; ++i) {
    ports.emplace_back(devices.port(i),
                       i == up ? frames_between(HostId(1), HostId(0)) : frames_between(HostId(0), HostId(1)));
  }
  std::vector<weir::LoopPort> links;
  for (FramePort& port : ports) links.push_back({&port, BitRate(400'000'000'000), Duration::picoseconds(1'000'000)});
  weir::PortLoop loop(node, devices.packets(), links, settings.network.framing.wire_overhead);
  const weir::TscClock clock;
  const auto sent = [&] {
    return node.counters(weir::PortId(0)).sent_frames + node.counters(weir::PortId(1)).sent_frames;
  };
  const auto run = [&](double length) {
    for (const double end = seconds_of_processor() + length; seconds_of_processor() < end;) {
      for (int i = 0; i < 1'000; ++i) loop.poll(clock.now());
    }
  };
  run(seconds / 10);
  const std::uint64_t before = sent();
  const double start = seconds_of_processor();
  run(seconds);
  const double used = seconds_of_processor() - start;
  return used * 1e9 / static_cast<double>(sent() - before);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: frame_forwarding SECONDS [SCHEME]...\n");
    return 2;
  }
  const double seconds = std::atof(argv[1]);
  const std::vector<std::string> only(argv + 2, argv + argc);
  const weir::RealSwitchFile file = weir::read_real_switch(kNetwork, "bench");
  for (const std::string& error : file.errors) fmt::print(stderr, "{}\n", error);
  if (!file.errors.empty()) return 2;
  weir::DpdkOptions options;
  for (const weir::RealPort& port : file.real.ports) options.devices.push_back(port.device);
  options.packets = 8'192;
  options.control_packets = 8'192;
  weir::DpdkPorts devices(options);
  for (const weir::Scheme* scheme : weir::schemes_of_real_switches()) {
    const std::string name(scheme->name);
    if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) continue;
    fmt::print("{} {:.1f}\n", name, cost_of(file.real, settings_with(file.real.settings, *scheme), devices, seconds));
    std::fflush(stdout);
  }
  return 0;
}
