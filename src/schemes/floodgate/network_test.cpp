// SPDX-License-Identifier: Apache-2.0
// Networks of switches with Floodgate in which everything happens in random order: what must hold at any time, with
// and without losses.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>

#include "schemes/floodgate/test_network.h"
#include "units/random.h"

namespace weir::floodgate::network_test {
namespace {

constexpr std::size_t kTors = 3;
constexpr std::size_t kHosts = 2;  // of a ToR
constexpr std::size_t kCores = 2;
constexpr std::uint32_t kWindow = 5;

/// ToRs with hosts behind ports 0..kHosts-1 and cores behind the rest; a core has ToR n behind port n.
class Network {
 public:
  Network(const Values& values, std::uint64_t seed, double loss) : random_(seed, 7, 7), loss_(loss) {
    Values all = values;
    all.emplace_back("window", Bytes(kWindow * kPacket));
    all.emplace_back("syn_timeout", us(200));
    for (std::size_t i = 0; i < kTors; ++i) {
      nodes_.push_back(std::make_unique<Node>(kHosts + kCores, all, kTors * kHosts));
      for (std::size_t core = 0; core < kCores; ++core) nodes_.back()->faces_switch(kHosts + core, true);
    }
    for (std::size_t i = 0; i < kCores; ++i) {
      nodes_.push_back(std::make_unique<Node>(kTors, all, kTors * kHosts));
      for (std::size_t tor = 0; tor < kTors; ++tor) nodes_.back()->faces_switch(tor);
    }
    for (auto& node : nodes_) node->attach();
    const auto sets = [&all](std::string_view name) {
      return std::any_of(all.begin(), all.end(), [name](const auto& value) { return value.first == name; });
    };
    bytes_ = sets("unit");
    by_port_ = sets("window_of");
  }

  /// A packet of a host for another rack.
  void inject() {
    const std::size_t from = random_.below(kTors * kHosts);
    std::size_t to = random_.below(3) == 0 ? random_.below(kTors * kHosts) : 0;  // an incast to host 0
    if (to == from) to = (to + 1) % (kTors * kHosts);
    const std::size_t tor = from / kHosts;
    const std::size_t out = to / kHosts == tor ? to % kHosts : kHosts + core_of(from, to);
    Frame& frame = nodes_[tor]->make(from % kHosts, out, to, 0, static_cast<std::uint16_t>(100 + random_.below(900)));
    frame.source = HostId(from);
    nodes_[tor]->enter(frame);
    ++injected_;
  }
  void transmit() {
    Node& node = *nodes_[random_.below(nodes_.size())];
    node.transmit(random_.below(node.wires.size()));
  }
  void deliver() {
    const std::size_t at = random_.below(nodes_.size());
    const std::size_t port = random_.below(nodes_[at]->wires.size());
    deliver(at, port);
  }
  void tick() {
    for (auto& node : nodes_) node->wait(us(1));
  }
  void step() {
    switch (random_.below(8)) {
      case 0:
      case 1:
        return inject();
      case 2:
      case 3:
      case 4:
        return transmit();
      case 7:
        if (random_.below(6) == 0) return tick();
        [[fallthrough]];
      default:
        return deliver();
    }
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      step();
      if (i % 16 == 0) check();
      if (testing::Test::HasFailure()) return;
    }
  }
  /// Until nothing moves any more, without further losses unless `lossy`.
  void settle(bool lossy = false) {
    if (!lossy) loss_ = 0;
    for (int round = 0; round < 3'000; ++round) {
      for (std::size_t at = 0; at < nodes_.size(); ++at) {
        for (std::size_t port = 0; port < nodes_[at]->wires.size(); ++port) {
          while (nodes_[at]->transmit(port)) {
          }
          while (!nodes_[at]->wires[port].empty()) deliver(at, port);
        }
      }
      tick();
      check();
      if (testing::Test::HasFailure()) return;
    }
  }

  /// Sent and not credited is within the window, and is what is on the wire, in the switch downstream or owed by it,
  /// or credit on its way back; more only where something was lost.
  void check() {
    for (std::size_t at = 0; at < nodes_.size(); ++at) {
      for (std::size_t port = 0; port < nodes_[at]->wires.size(); ++port) {
        if (is_host(at, port)) continue;
        const auto [other, back] = peer(at, port);
        for (std::uint32_t to = 0; to < kTors * kHosts; ++to) {
          const Windows& windows = nodes_[at]->policy.windows();
          const std::uint32_t flight = windows.in_flight(PortId(port), to);
          EXPECT_LE(windows.charged(to), kWindow * (bytes_ ? kPacket : 1) * (by_port_ ? kCores : 1));
          std::uint32_t known = nodes_[other]->policy.accounts().outstanding(PortId(back), to);
          for (const OnWire& on : nodes_[at]->wires[port]) {
            if (on.frame.kind == FrameKind::data && on.frame.destination.value == to) known += weight(on.frame);
          }
          for (const OnWire& on : nodes_[other]->wires[back]) known += credit_in(on, to);
          if (loss_ == 0 && !was_lossy_) {
            EXPECT_EQ(flight, known) << "node " << at << " port " << port << " to " << to;
          } else {
            EXPECT_GE(flight, known);
          }
        }
      }
    }
    // [FLOODGATE-W-2] What waits for host 0 at its ToR is at most a window of each core, and what its own rack sent.
    std::size_t backlog = 0;
    const Node& last = *nodes_[0];
    for (FrameId id = last.context.queue(last.fifo(0)).head; id.exists(); id = last.context.frames()[id].next) {
      backlog += last.context.frames()[id].ingress.index() >= kHosts ? 1 : 0;
    }
    if (links_failed_) return;
    EXPECT_LE(backlog, bytes_ ? kCores * kWindow * 11 : kCores * kWindow);  // a packet has 100 bytes at least
  }
  /// All is delivered that was not lost, in order, and all windows are full again.
  void expect_rest() {
    for (const auto& node : nodes_) {
      EXPECT_EQ(node->waiting(), 0u);
      EXPECT_EQ(node->statistic("floodgate.voqs"), 0);
      EXPECT_EQ(node->statistic("floodgate.voq_bytes"), 0);
      EXPECT_EQ(node->policy.windows().active(), 0u);
      EXPECT_EQ(node->context.frames().in_use(), 0u);
    }
    EXPECT_EQ(delivered_ + lost_, injected_);
    EXPECT_EQ(out_of_order_, 0u);
  }
  [[nodiscard]] std::size_t delivered() const { return delivered_; }
  [[nodiscard]] std::size_t lost() const { return lost_; }
  [[nodiscard]] double statistic(std::string_view name) const {
    return std::accumulate(nodes_.begin(), nodes_.end(), 0.0,
                           [&](double sum, const auto& node) { return sum + node->statistic(name); });
  }
  void lose(double share) { loss_ = share, was_lossy_ = true; }
  /// The link between a ToR and a core fails, with what is on it.
  void fail_link() {
    was_lossy_ = links_failed_ = true;
    const std::size_t tor = random_.below(kTors);
    const std::size_t core = random_.below(kCores);
    for (const bool up : {false, true}) {
      const std::size_t frames = frames_in_use();
      nodes_[tor]->link(kHosts + core, up);
      nodes_[kTors + core]->link(tor, up);
      lost_ += frames - frames_in_use();
    }
    for (auto* wire : {&nodes_[tor]->wires[kHosts + core], &nodes_[kTors + core]->wires[tor]}) {
      lost_ += static_cast<std::size_t>(
          std::count_if(wire->begin(), wire->end(), [](const OnWire& on) { return on.frame.kind == FrameKind::data; }));
      wire->clear();
    }
  }

 private:
  static std::size_t core_of(std::size_t from, std::size_t to) { return (from * 7 + to) % kCores; }
  static bool is_host(std::size_t at, std::size_t port) { return at < kTors && port < kHosts; }
  static std::pair<std::size_t, std::size_t> peer(std::size_t at, std::size_t port) {
    return at < kTors ? std::pair(kTors + port - kHosts, at) : std::pair(port, kHosts + at - kTors);
  }
  [[nodiscard]] std::size_t frames_in_use() const {
    std::size_t in_use = 0;
    for (const auto& node : nodes_) in_use += node->context.frames().in_use();
    return in_use;
  }
  [[nodiscard]] std::uint32_t weight(const Frame& frame) const {
    return bytes_ ? Framing::rocev2().data(frame.payload_bytes) : 1;
  }
  [[nodiscard]] static std::uint32_t credit_in(const OnWire& on, std::uint32_t to) {
    if (on.frame.kind != FrameKind::hop_control) return 0;
    if (on.frame.tag == static_cast<std::uint16_t>(Say::credit) && on.frame.queue_pair.value == to) {
      return on.frame.tag_value;
    }
    std::uint32_t units = 0;
    for (const Credit& credit : on.listed) units += credit.name == to ? credit.units : 0;
    return units;
  }
  void deliver(std::size_t at, std::size_t port) {
    auto& wire = nodes_[at]->wires[port];
    if (wire.empty()) return;
    const OnWire on = wire.front();
    wire.pop_front();
    const bool is_data = on.frame.kind == FrameKind::data;
    if (is_host(at, port)) {
      if (!is_data) return;
      ++delivered_;
      auto& order = received_[{on.frame.source.index(), on.frame.destination.index()}];
      if (order >= on.frame.sequence) ++out_of_order_;
      order = on.frame.sequence;
      return;
    }
    if (random_.uniform() < loss_) {
      lost_ += is_data ? 1 : 0;
      return;
    }
    const auto [other, back] = peer(at, port);
    Node& node = *nodes_[other];
    if (is_data) {
      const std::size_t to = on.frame.destination.index();
      const std::size_t out = other < kTors ? to % kHosts : to / kHosts;
      Frame& frame = node.make(back, out, to, on.frame.tag_value, on.frame.payload_bytes);
      frame.sequence = on.frame.sequence;
      frame.source = on.frame.source;
      node.enter(frame);
    } else if (on.listed.empty()) {
      node.hear(back, static_cast<Say>(on.frame.tag),
                {on.frame.queue_pair.value, on.frame.tag_value, on.frame.sequence});
    } else {
      node.hear(back, on.listed);
    }
  }

  RandomStream random_;
  double loss_;
  bool was_lossy_ = false;
  bool bytes_ = false;
  bool by_port_ = false;       // windows are
  bool links_failed_ = false;  // a new window begins while packets of the old one may be on their way
  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> received_;
  std::size_t injected_ = 0;
  std::size_t delivered_ = 0;
  std::size_t lost_ = 0;
  std::size_t out_of_order_ = 0;
};

const std::vector<Values>& variants() {
  static const std::vector<Values> all = {
      {},
      {{"unit", std::string("bytes")}},
      {{"credit_frames", std::string("list")}},
      {{"variant", std::string("ideal")}},
      {{"pipeline", std::string("port")}},
      {{"credit_earned", std::string("voq")}},
      {{"queues", std::int64_t{2}}},
      {{"pipeline", std::string("port")}, {"queues", std::int64_t{2}}, {"unit", std::string("bytes")}},
      {{"credit_threshold", Bytes(2'000)}},
      {{"table_entries", std::int64_t{20}}},
      {{"pause_destinations", true}, {"pause_threshold", Bytes(3'000)}},
      {{"window_of", std::string("port")}},
      {{"credit_bytes", Bytes(3'000)}},
  };
  return all;
}

TEST(FloodgateNetwork, NeverExceedsAWindowAndLosesNoCredit) {
  std::uint64_t seed = 1;
  for (const Values& values : variants()) {
    SCOPED_TRACE(values.empty() ? "plain" : std::string(values.front().first));
    Network network(values, ++seed, 0);
    network.run(12'000);
    if (HasFailure()) return;
    network.settle();
    network.expect_rest();
    EXPECT_GT(network.delivered(), 1'000u);
    EXPECT_GT(network.statistic("floodgate.voq_packets"), 100);
    EXPECT_EQ(network.statistic("floodgate.recovered"), 0);
  }
}

TEST(FloodgateNetwork, GetsItsWindowsBackWhateverIsLost) {
  std::uint64_t seed = 100;
  for (const Values& values : variants()) {
    SCOPED_TRACE(values.empty() ? "plain" : std::string(values.front().first));
    for (const double loss : {0.01, 0.1, 0.4}) {
      Network network(values, ++seed, 0);
      network.lose(loss);
      network.run(6'000);
      if (HasFailure()) return;
      network.settle();
      network.expect_rest();
      EXPECT_GT(network.lost(), 0u);
      EXPECT_GT(network.statistic("floodgate.recovered"), 0);
    }
  }
}

TEST(FloodgateNetwork, LosesWindowsForGoodWithoutRecovery) {
  Network network({{"recovery", false}}, 5, 0);
  network.lose(0.1);
  network.run(6'000);
  network.settle();
  EXPECT_LT(network.delivered(), 2'000u);
  EXPECT_EQ(network.statistic("floodgate.recovered"), 0);
  // What has a window lost waits for ever.
  EXPECT_GT(network.statistic("floodgate.voqs"), 0);
}

TEST(FloodgateNetwork, SurvivesLinksThatFail) {
  std::uint64_t seed = 200;
  for (const Values& values : variants()) {
    SCOPED_TRACE(values.empty() ? "plain" : std::string(values.front().first));
    Network network(values, ++seed, 0);
    for (int failure = 0; failure < 20; ++failure) {
      network.run(300);
      network.fail_link();
      if (HasFailure()) return;
    }
    network.settle();
    network.expect_rest();
    EXPECT_GT(network.lost(), 0u);
  }
}

}  // namespace
}  // namespace weir::floodgate::network_test
