// SPDX-License-Identifier: Apache-2.0
// The invariants of a switch's accounts between calls.
#include <array>
#include <string>
#include <vector>

#include "switch/switch.h"

namespace weir {
namespace {

std::string difference(const char* what, std::int64_t counted, std::int64_t noted) {
  return std::string(what) + ": frames say " + std::to_string(counted) + ", the account says " + std::to_string(noted);
}

}  // namespace

std::size_t Switch::frames_held() const {
  std::size_t held = 0;
  for (const QueueState& queue : queues_) held += queue.frames;
  for (const PortState& port : ports_) {
    for (FrameId id = port.control_head; id.exists(); id = frames_[id].next) ++held;
  }
  return held;
}

std::string Switch::broken_invariant() const {
  std::vector<std::int64_t> of_ingress(ingress_.size());
  std::vector<std::int64_t> of_egress(egress_.size());
  std::vector<std::int64_t> uncharged(ports_.size());
  std::vector<std::int64_t> wide(ports_.size());
  std::int64_t of_buffer = 0;
  for (std::size_t index = 0; index < queues_.size(); ++index) {
    const QueueState& queue = queues_[index];
    std::int64_t bytes = 0;
    std::uint32_t frames = 0;
    std::uint32_t markers = 0;
    for (FrameId id = queue.head; id.exists(); id = frames_[id].next) {
      const Frame& frame = frames_[id];
      if (frame.kind == FrameKind::marker) {
        ++markers;
        continue;
      }
      ++frames;
      bytes += frame.charged_bytes;
      if (!queue.port.exists()) wide[frame.egress.index()] += frame.charged_bytes;
      if (!frame.ingress.exists()) {
        uncharged[frame.egress.index()] += frame.charged_bytes;
        continue;
      }
      of_buffer += frame.charged_bytes;
      of_ingress[frame.ingress.index() * kPriorities + frame.ingress_priority] += frame.charged_bytes;
    }
    const auto where = [index] { return "queue " + std::to_string(index) + " "; };
    if (bytes != queue.bytes) return where() + difference("bytes", bytes, queue.bytes);
    if (frames != queue.frames) return where() + difference("frames", frames, queue.frames);
    if (markers != queue.markers) return where() + difference("order markers", markers, queue.markers);
    if (queue.blocked != scheduler_.must_block(queue)) return where() + "does not obey its gates";
    if (queue.head.exists() && frames_[queue.head].kind == FrameKind::marker)
      return where() + "has an order marker at its head";
    const bool should = !queue.empty() && !queue.blocked;
    if (should != queue.active) return where() + (should ? "should be active" : "is active though closed or empty");
    if (queue.port.exists()) of_egress[queue.port.index() * kPriorities + queue.priority] += bytes;
  }
  std::array<std::int64_t, kPriorities> of_pool{};
  std::array<std::int64_t, kPriorities> made{};
  for (std::size_t i = 0; i < egress_.size(); ++i) {
    if (egress_[i].pooled < 0) return "egress " + std::to_string(i) + " gave the pool more than it had";
    uncharged[i / kPriorities] -= egress_[i].pooled;
    of_buffer += egress_[i].pooled;
    made[buffer_.pool_of_priority[i % kPriorities]] += egress_[i].pooled;
  }
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    const std::int64_t noted = scheduler_.wide_bytes(PortId(port));
    if (wide[port] == noted) continue;
    return "port " + std::to_string(port) + " " + difference("bytes in queues of the switch", wide[port], noted);
  }
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    if (uncharged[port] == ports_[port].uncharged_bytes) continue;
    return "port " + std::to_string(port) + " " +
           difference("uncharged bytes", uncharged[port], ports_[port].uncharged_bytes);
  }
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    if (ports_[port].uncharged_bytes <= buffer_.control_reserve) continue;
    return "port " + std::to_string(port) + " holds more than its reserve for control frames";
  }
  if (of_buffer != buffer_.used) return difference("buffer bytes", of_buffer, buffer_.used);
  if (buffer_.used > buffer_.size) return "the buffer holds more than its size";
  for (std::size_t i = 0; i < ingress_.size(); ++i) {
    const IngressState& ingress = ingress_[i];
    const auto where = [i] {
      return "ingress " + std::to_string(i / kPriorities) + " priority " + std::to_string(i % kPriorities) + " ";
    };
    if (of_ingress[i] != ingress.used) return where() + difference("bytes", of_ingress[i], ingress.used);
    if (ingress.shared < 0 || ingress.headroom < 0 || ingress.shared + ingress.headroom > ingress.used) {
      return where() + "has parts that do not add up";
    }
    if (ingress.headroom > ingress.headroom_size) return where() + "overran its headroom";
    of_pool[buffer_.pool_of_priority[i % kPriorities]] += ingress.shared;
    if (of_egress[i] != egress_[i].bytes) return where() + difference("egress bytes", of_egress[i], egress_[i].bytes);
  }
  for (std::size_t pool = 0; pool < of_pool.size(); ++pool) {
    if (of_pool[pool] != buffer_.pools[pool].used)
      return difference("pool bytes", of_pool[pool], buffer_.pools[pool].used);
    if (made[pool] != buffer_.pools[pool].made)
      return difference("pool bytes of the switch's own", made[pool], buffer_.pools[pool].made);
    if (!buffer_.pools[pool].has_room(0)) return "a service pool holds more than its size";
  }
  return {};
}

}  // namespace weir
