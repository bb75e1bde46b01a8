// SPDX-License-Identifier: Apache-2.0
// Results of measure.hops compared with a naive count, which sums up all queued bytes after every event, for each
// class, hop, port and switch.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sim/hop_statistics.h"
#include "units/random.h"
#include "whole_network.h"

namespace weir::whole::hop_maxima_test {
namespace {

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};

/// Two racks of two hosts below a spine.
Topology racks() {
  Topology topology;
  const NodeId tors[] = {topology.add_switch("tor0", 1, 0, 0), topology.add_switch("tor1", 1, 0, 1)};
  const NodeId spine = topology.add_switch("spine", 2, 0);
  for (std::size_t i = 0; i < 4; ++i) {
    topology.connect(topology.add_host("h" + std::to_string(i), 0, static_cast<int>(i / 2)), tors[i / 2], kLink);
  }
  for (const NodeId tor : tors) topology.connect(tor, spine, kLink);
  return topology;
}

/// A frame and its location, for the naive count.
struct Followed {
  FrameId id;
  std::string flow_class;
  int hop = 0;
  std::optional<SwitchId> at;
};

struct Row {
  std::int64_t port_most = 0;
  std::int64_t switch_most = 0;
  double byte_time = 0;  // byte picoseconds
  std::uint64_t delays = 0;
};

class Naive {
 public:
  using Key = std::tuple<std::string, int, int, std::string>;  // class, hop, tier, direction

  explicit Naive(Fabric& fabric) : fabric_(fabric) {}

  static bool counts_as(const std::string& is, const std::string& flow_class) {
    if (flow_class == is || flow_class == "everything") return true;
    if (is == "control") return false;
    return flow_class == "all" || (flow_class == "not incast" && is != "incast");
  }
  [[nodiscard]] Key key(const std::string& flow_class, int hop, SwitchId at, PortId egress) const {
    const Topology& topology = fabric_.topology();
    const int tier = topology.node(topology.node_of(at)).tier;
    const Peer& peer = fabric_.switch_by(at).port(egress).peer;
    const bool up = !peer.is_host() && topology.node(topology.node_of(peer.neighbour)).tier > tier;
    return {flow_class, hop, tier, up ? "up" : "down"};
  }
  /// Sums up the queued bytes.
  void look(const std::vector<Followed>& frames) {
    std::map<std::pair<Key, std::uint32_t>, std::int64_t> of_switch;
    std::map<std::tuple<Key, std::uint32_t, std::uint32_t>, std::int64_t> of_port;
    for (const Followed& frame : frames) {
      if (!frame.at) continue;
      const Frame& held = fabric_.frames()[frame.id];
      for (const std::string_view each : kHopClasses) {
        if (!counts_as(frame.flow_class, std::string(each))) continue;
        for (const int hop : {0, frame.hop}) {
          const Key row = key(std::string(each), hop, *frame.at, held.egress);
          Row& of = rows[row];
          of.switch_most = std::max(of.switch_most, of_switch[{row, frame.at->value}] += held.charged_bytes);
          of.port_most =
              std::max(of.port_most, of_port[{row, frame.at->value, held.egress.value}] += held.charged_bytes);
        }
      }
    }
  }
  void end(const Followed& frame, std::int64_t waited, bool departs) {
    const Frame& held = fabric_.frames()[frame.id];
    for (const std::string_view each : kHopClasses) {
      if (!counts_as(frame.flow_class, std::string(each))) continue;
      for (const int hop : {0, frame.hop}) {
        Row& of = rows[key(std::string(each), hop, *frame.at, held.egress)];
        of.byte_time += static_cast<double>(held.charged_bytes) * static_cast<double>(waited);
        if (departs) ++of.delays;
      }
    }
  }

  std::map<Key, Row> rows;

 private:
  Fabric& fabric_;
};

TEST(HopMaxima, AreThoseOfANaiveCount) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, 0, 0);
    const Settings settings = lossless_network(racks(), 1_ms);
    Fabric fabric(settings);
    constexpr std::array kOf{FlowClass::incast, FlowClass::victim, FlowClass::background};
    constexpr std::array kNames{"incast", "victim", "background", "control"};
    HopStatistics hops(fabric, [&](HostId, QueuePairId receiver) { return kOf[receiver.value]; });
    if (seed % 4 != 0) hops.tell_classes_apart();
    Naive naive(fabric);
    std::vector<Followed> frames(24);
    for (Followed& frame : frames) frame.id = fabric.frames().allocate();
    Time now;
    for (int event = 0; event < 400; ++event) {
      now = now + Duration::picoseconds(static_cast<std::int64_t>(random.below(1'000)));
      for (std::size_t i = 0; i < fabric.switches(); ++i) fabric.switch_by(SwitchId(i)).advance(now);
      Followed& frame = frames[random.below(frames.size())];
      Frame& header = fabric.frames()[frame.id];
      if (frame.at) {
        const Switch& at = fabric.switch_by(*frame.at);
        const bool dropped = random.below(8) == 0;
        naive.end(frame, (now - header.arrival).picoseconds(), !dropped);
        if (dropped) {
          hops.on_drop(at, header);
        } else {
          hops.on_depart(at, header);
        }
        if (dropped || at.port(header.egress).peer.is_host()) frame.hop = 0;
        frame.at = std::nullopt;
        continue;
      }
      const SwitchId where(random.below(fabric.switches()));
      const Switch& at = fabric.switch_by(where);
      const std::size_t kind = seed % 4 == 0 ? 2 + random.below(2) : random.below(4);
      header.kind = kind == 3 ? FrameKind::ack : FrameKind::data;
      header.queue_pair = QueuePairId(static_cast<std::uint32_t>(kind));
      header.charged_bytes = kind == 3 ? 64 : static_cast<std::uint16_t>(64 + random.below(1'000));
      header.arrival = now;
      header.ingress = PortId(random.below(at.ports()));
      header.egress = PortId(random.below(at.ports()));
      frame.flow_class = kNames[kind];
      frame.hop = at.port(header.ingress).peer.is_host() ? 1 : std::min(frame.hop + 1, 7);
      frame.at = where;
      naive.look(frames);
      if (random.below(3) != 0) {
        hops.on_admit(at, header);
        continue;
      }
      naive.end(frame, 0, true);
      hops.on_pass(at, header);
      if (at.port(header.egress).peer.is_host()) frame.hop = 0;
      frame.at = std::nullopt;
    }
    now = now + 1_us;
    for (const Followed& frame : frames) {
      if (frame.at) naive.end(frame, (now - fabric.frames()[frame.id].arrival).picoseconds(), false);
    }
    const std::vector<HopRecord> rows = hops.finish(now);
    EXPECT_EQ(rows.size(), naive.rows.size());
    for (const HopRecord& row : rows) {
      const Row& wanted =
          naive.rows[{row.flow_class, static_cast<int>(row.hop), static_cast<int>(row.tier), row.direction}];
      const std::string what = row.flow_class + " hop " + std::to_string(row.hop) + " tier " +
                               std::to_string(row.tier) + " " + row.direction + ", seed " + std::to_string(seed);
      EXPECT_EQ(row.port_most, wanted.port_most) << what;
      EXPECT_EQ(row.switch_most, wanted.switch_most) << what;
      EXPECT_EQ(row.delay.count(), wanted.delays) << what;
      EXPECT_DOUBLE_EQ(row.mean, wanted.byte_time / static_cast<double>(now.picoseconds())) << what;
    }
  }
}

}  // namespace
}  // namespace weir::whole::hop_maxima_test
