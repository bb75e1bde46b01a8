// SPDX-License-Identifier: Apache-2.0
#include "ports/loop_trial.h"

#include <algorithm>
#include <memory>

#include "ports/port_loop.h"
#include "wire/emit.h"

namespace weir {

std::size_t TrialPort::receive(std::span<Packet> out) {
  const std::size_t arrived = device_.receive(out);
  for (const Packet& packet : out.first(arrived)) packets_.release(packet);
  std::size_t count = 0;
  while (!frames_.empty() && count < out.size()) {
    Packet packet = packets_.allocate();
    if (!packet.exists()) break;
    const std::vector<std::byte>& frame = frames_[next_];
    next_ = (next_ + 1) % frames_.size();
    std::copy(frame.begin(), frame.end(), packet.bytes);
    packet.length = static_cast<std::uint32_t>(frame.size());
    out[count++] = packet;
  }
  return count;
}

std::size_t TrialPort::send(std::span<const Packet> packets) {
  for (const Packet& packet : packets) packets_.release(packet);
  return packets.size();
}

std::vector<std::vector<std::byte>> shortest_frames(std::size_t hosts, Priority priority) {
  constexpr std::size_t kMost = 64;
  FramePool pool(1);
  std::vector<std::vector<std::byte>> out;
  for (std::size_t i = 0; hosts > 1 && i < std::min(hosts, kMost); ++i) {
    const FrameId id = pool.allocate();
    Frame& frame = pool[id];
    frame.kind = FrameKind::data;
    frame.source = HostId((i + 1) % hosts);
    frame.destination = HostId(i);
    frame.priority = priority;
    frame.queue_pair = QueuePairId(i + 2);
    frame.entropy = static_cast<std::uint16_t>(0xc000 + i);
    frame.set_ecn(Ecn::capable);
    Envelope envelope = default_envelope(frame);
    envelope.tagged = false;
    std::vector<std::byte> bytes(kMinimumEthernetBytes);
    const WireResult<std::size_t> length = emit(pool, frame, envelope, {}, Fcs::absent, bytes);
    pool.release(id);
    if (length) out.push_back(std::move(bytes));
  }
  return out;
}

Duration longest_gap(PacketSwitch& node, std::span<PacketPort* const> devices, PacketPool& packets,
                     const std::vector<std::vector<std::byte>>& frames, Duration length,
                     const std::function<Time()>& clock) {
  constexpr BitRate kRate(1'000'000'000'000);  // no frame waits for its link
  constexpr std::uint32_t kOverhead = 20;
  std::vector<std::unique_ptr<TrialPort>> ports;
  std::vector<LoopPort> links;
  for (PacketPort* device : devices) {
    ports.push_back(std::make_unique<TrialPort>(*device, packets, frames));
    links.push_back({ports.back().get(), kRate, Duration()});
  }
  PortLoop loop(node, packets, links, kOverhead);
  Time now = clock();
  for (const Time end = now + length; now < end; now = clock()) loop.poll(now);
  return loop.counters().longest_gap;
}

}  // namespace weir
