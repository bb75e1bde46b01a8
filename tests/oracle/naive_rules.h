// SPDX-License-Identifier: Apache-2.0
// What the naive simulator is made of, and the rules that need no simulator to be told.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/settings.h"
#include "policy/flow_hash.h"
#include "seen.h"
#include "traffic/flow.h"
#include "units/int128.h"
#include "units/random.h"

namespace weir::oracle {

/// Deficit round robin (Shreedhar and Varghese 1995) among numbered queues. One that becomes active goes behind the
/// others, with a quantum to spend.
class Turns {
 public:
  void set_active(int queue, bool active, std::int64_t quantum) {
    const auto found = std::find(ring_.begin(), ring_.end(), queue);
    if (active && found == ring_.end()) {
      ring_.push_back(queue);
      deficit_[queue] = quantum;
    } else if (!active && found != ring_.end()) {
      ring_.erase(found);
    }
  }
  [[nodiscard]] bool empty() const { return ring_.empty(); }
  /// Who sends now; head(queue) is the size of its next frame. One without others is not charged
  /// (Discipline::deficit_round_robin).
  template <class Head>
  int take(const Head& head, std::int64_t quantum) {
    if (ring_.size() == 1) return ring_.front();
    while (head(ring_.front()) > deficit_[ring_.front()]) {
      deficit_[ring_.front()] += quantum;
      ring_.splice(ring_.end(), ring_, ring_.begin());
    }
    deficit_[ring_.front()] -= head(ring_.front());
    return ring_.front();
  }

 private:
  std::list<int> ring_;
  std::map<int, std::int64_t> deficit_;
};

enum class Account { none, ingress, control_reserve };  // which of a switch holds a packet
struct Packet {
  std::size_t flow = 0;
  Seen seen{};
  bool asks = false;  // for an acknowledgement
  Account account = Account::none;
  std::size_t ingress = 0;
};
struct Ingress {
  std::int64_t kept = 0;  // in reserve and pool
  std::int64_t headroom = 0;
  bool paused = false;  // the neighbour
};
struct Port {
  std::uint64_t direction = 0;
  std::size_t peer = 0;
  std::size_t peer_port = 0;
  std::int64_t rate = 0;
  Picoseconds delay = 0;
  double error_rate = 0;
  RandomStream damage{};
  Picoseconds free_at = 0;
  std::optional<Packet> pfc{};                                // waits for the wire
  std::array<std::deque<Packet>, kPriorities> queue{};        // at a host: of acknowledgements
  std::array<std::list<std::size_t>, kPriorities> senders{};  // at a host: flows with something to send
  std::array<Picoseconds, kPriorities> closed_until{};
  std::array<Turns, kPriorities> turns{};  // by level
  std::array<Ingress, kPriorities> ingress{};
  std::array<std::int64_t, kPriorities> egress_bytes{};
  std::int64_t in_control_reserve = 0;
  Picoseconds repeat_at = kNever;
};
struct Node {
  std::size_t number = 0;
  bool host = false;
  std::vector<Port> ports{};
  RandomStream random{};
  std::uint32_t hash_seed = 0;
  std::int64_t pool_size = 0;
  std::int64_t pool_used = 0;
};
struct Flow {
  FlowSpec spec;
  std::uint16_t entropy = 0;
  std::uint32_t packets = 0;
  bool open = false;
  Picoseconds over_at = kNever;
  std::uint32_t unacknowledged = 0, next = 0, highest = 0, unasked = 0;  // the sender
  Picoseconds deadline = kNever;
  std::int64_t timeouts = 0;
  std::uint32_t expected = 0;                                       // the receiver
  std::optional<std::pair<std::uint32_t, Picoseconds>> reported{};  // which gap, and when
};

/// Rates are in bit/s, sizes in bytes.
class Rules {
 protected:
  explicit Rules(const Settings& settings)
      : network_(settings.network), switches_(settings.switches), hosts_(settings.hosts), seed_(settings.run.seed) {}

  template <class Value>
  static Value of(const PolicyChoice& choice, const char* name) {
    return choice.parameters.get<Value>(name);
  }
  static Picoseconds time_of(Int128 bits, std::int64_t rate) {
    return static_cast<Picoseconds>((bits * 1'000'000'000'000 + rate - 1) / rate);
  }
  std::int64_t largest_frame() const { return network_.framing.data(static_cast<std::uint32_t>(hosts_.payload)); }
  std::uint32_t payload_of(const FlowSpec& flow, std::uint32_t sequence) const {
    return static_cast<std::uint32_t>(std::min(hosts_.payload, flow.size.count() - sequence * hosts_.payload));
  }

  // ---- the buffer ----
  bool lossless(int priority) const { return switches_.lossless[priority]; }
  std::int64_t reserve() const { return switches_.reserve.count(); }
  /// policy/headroom.h: the frame that crosses the threshold, one of ours on the wire, the PAUSE, what flies both ways
  /// and in the response time, the frame that the neighbour has begun.
  std::int64_t headroom(std::int64_t rate, Picoseconds delay) const {
    if (switches_.headroom.kind == HeadroomRule::Kind::bytes) return switches_.headroom.bytes.count();
    const std::int64_t overhead = network_.framing.wire_overhead;
    const auto carried = [&](Picoseconds time) {
      return static_cast<std::int64_t>((Int128(time) * rate + 7'999'999'999'999) / 8'000'000'000'000);
    };
    return largest_frame() + largest_frame() + overhead + network_.framing.pfc + overhead + carried(2 * delay) +
           carried(switches_.pause_response.picoseconds()) + largest_frame();
  }
  std::int64_t xoff(std::int64_t free, std::int64_t rate) const {
    auto alpha = of<double>(switches_.buffer_policy, "alpha");
    if (of<bool>(switches_.buffer_policy, "scale_alpha_with_rate")) {
      const std::int64_t reference = of<BitRate>(switches_.buffer_policy, "reference_rate").bits_per_second();
      for (std::int64_t full = reference; full < rate && alpha < 1; full *= 2) alpha = std::min(1.0, 2 * alpha);
    }
    return static_cast<std::int64_t>(alpha * static_cast<double>(free));
  }
  std::int64_t resume_offset() const { return of<Bytes>(switches_.buffer_policy, "resume_offset").count(); }
  std::int64_t egress_limit(std::int64_t free) const {
    return static_cast<std::int64_t>(of<double>(switches_.buffer_policy, "egress_alpha") * static_cast<double>(free));
  }

  // ---- PFC, RED ----
  bool binary() const { return of<bool>(switches_.flow_control[0], "binary"); }
  /// "enqueue" or "dequeue"; nothing where nothing is marked.
  std::string marks_at() const {
    return switches_.congestion_point.empty() ? "" : of<std::string>(switches_.congestion_point[0], "mark_at");
  }
  /// Zero: never, without a look at chance; above one: always.
  double marking_chance(std::int64_t rate, std::int64_t length) const {
    const PolicyChoice& red = switches_.congestion_point[0];
    const auto scaled = [&](const char* name) {
      const std::int64_t bytes = of<Bytes>(red, name).count();
      if (!of<bool>(red, "scale_with_rate")) return bytes;
      return static_cast<std::int64_t>(Int128(bytes) * rate / of<BitRate>(red, "reference_rate").bits_per_second());
    };
    const std::int64_t low = scaled("kmin");
    const std::int64_t high = scaled("kmax");
    if (length <= low) return 0;
    if (length > high) return 2;
    return of<double>(red, "pmax") * static_cast<double>(length - low) / static_cast<double>(high - low);
  }

  // ---- paths ----
  /// The ports of a switch on the shortest paths to a host, by number of links and through switches only.
  std::vector<std::size_t> ports_towards(std::size_t from, HostId host) {
    const Topology& topology = network_.topology;
    const std::size_t to = topology.node_of(host).index();
    auto& distance = distances_[to];
    if (distance.empty()) {
      distance.assign(topology.nodes().size(), topology.nodes().size());
      distance[to] = 0;
      for (std::deque<std::size_t> next{to}; !next.empty(); next.pop_front()) {
        for (const PortEnd& end : topology.ports(NodeId(next.front()))) {
          std::size_t& known = distance[end.peer.index()];
          if (known < topology.nodes().size()) continue;
          known = distance[next.front()] + 1;
          if (!topology.node(end.peer).is_host()) next.push_back(end.peer.index());
        }
      }
    }
    std::vector<std::size_t> equal;
    const std::vector<PortEnd>& ports = topology.ports(NodeId(from));
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (distance[ports[i].peer.index()] + 1 == distance[from]) equal.push_back(i);
    }
    return equal;
  }
  /// ecmp.md, "Which port".
  std::size_t choose(const std::vector<std::size_t>& equal, std::uint32_t hash_seed, const FlowKey& key) const {
    const auto name = of<std::string>(switches_.forwarding, "hash");
    const bool folds = name == "xor_fold";
    const HashKind kind = folds ? HashKind::xor_fold : name == "crc32" ? HashKind::crc32 : HashKind::mix;
    std::uint64_t hash = flow_hash(kind, hash_seed, key);
    if (folds) hash = (hash << 24 | (hash & 0xff00) << 8 | (hash >> 8 & 0xff00) | hash >> 24) & 0xffffffff;
    return equal[hash * equal.size() >> 32];
  }

  const NetworkSettings& network_;
  const SwitchSettings& switches_;
  const HostSettings& hosts_;
  const std::uint64_t seed_;

 private:
  std::map<std::size_t, std::vector<std::size_t>> distances_;  // by node to go to, and node
};

}  // namespace weir::oracle
