// SPDX-License-Identifier: Apache-2.0
// When a ring of closed gates is deadlocked: decided by the pool bytes that its frames leave free, whatever other
// frames may still depart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/deadlock.h"
#include "whole_network.h"

namespace weir::whole::deadlock_watch_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};
constexpr std::size_t kSwitches = 5;
constexpr Priority kLossless = 3;
constexpr std::int64_t kFrame = 1066;

Settings ring_settings(double alpha) {
  Topology topology;
  std::vector<NodeId> switches;
  for (std::size_t i = 0; i < kSwitches; ++i) topology.add_host("h" + std::to_string(i), 0, 0);
  for (std::size_t i = 0; i < kSwitches; ++i) {
    switches.push_back(topology.add_switch("s" + std::to_string(i), 1, 0, 0));
  }
  for (std::size_t i = 0; i < kSwitches; ++i) {
    topology.connect(topology.node_of(HostId(i)), switches[i], kLink);
    topology.connect(switches[i], switches[(i + 1) % kSwitches], kLink);
  }
  Settings settings = lossless_network(std::move(topology), 1_ms);
  settings.switches.buffer = 1_MB;
  settings.switches.buffer_policy = choose("dynamic_threshold", {{"alpha", alpha}});
  return settings;
}

/// Five switches in a ring, with a host at each, moved by hand. All times are the same unless a test says otherwise.
class Ring {
 public:
  explicit Ring(double alpha = 1) : Ring(ring_settings(alpha)) {}
  explicit Ring(const Settings& settings) : fabric_(settings), watch_(fabric_) {}

  [[nodiscard]] static std::size_t after(std::size_t i) { return (i + 1) % kSwitches; }
  [[nodiscard]] static std::size_t before(std::size_t i) { return (i + kSwitches - 1) % kSwitches; }
  [[nodiscard]] Switch& at(std::size_t i) { return fabric_.switch_by(SwitchId(i)); }
  /// Of switch `i`, towards its host.
  [[nodiscard]] PortId host_port(std::size_t i) const { return port(i, fabric_.topology().node_of(HostId(i))); }
  /// Of switch `i`, towards switch `j`.
  [[nodiscard]] PortId port_to(std::size_t i, std::size_t j) const {
    return port(i, fabric_.topology().node_of(SwitchId(j)));
  }
  [[nodiscard]] const IngressState& ingress(std::size_t i, std::size_t from) {
    return at(i).ingress(port_to(i, from), priority);
  }
  [[nodiscard]] std::int64_t pool() { return at(0).pool_of(priority).size; }

  /// A frame for host `to` arrives at switch `i`.
  void put(std::size_t i, PortId from, std::size_t to, std::int64_t bytes = kFrame) {
    const FrameId id = fabric_.frames().allocate();
    Frame& frame = fabric_.frames()[id];
    frame.kind = FrameKind::data;
    frame.frame_bytes = static_cast<std::uint16_t>(bytes);
    frame.priority = priority;
    frame.destination = HostId(to);
    at(i).receive(now, from, id);
  }
  /// At least this many bytes from host `i` to `to`.
  void put_from_host(std::size_t i, std::size_t to, std::int64_t bytes) {
    for (std::int64_t sent = 0; sent < bytes; sent += kFrame) put(i, host_port(i), to);
  }
  /// Switch `i` receives frames from its neighbour `from` for the host at its other neighbour until it pauses `from`;
  /// the last is just long enough to bring the shared bytes to xoff, so that none goes to headroom.
  void fill(std::size_t i, std::size_t from) {
    const std::size_t to = from == before(i) ? after(i) : before(i);
    while (!ingress(i, from).paused) {
      const std::int64_t left = at(i).xoff(port_to(i, from), priority) - ingress(i, from).shared;
      put(i, port_to(i, from), to, left > 2 * kFrame + 100 ? kFrame : left / 2 + 1);
    }
    deliver_pause(i, from);
  }
  /// The pause frame that switch `i` generated for `to` arrives there.
  void deliver_pause(std::size_t i, std::size_t to) {
    while (at(i).port(port_to(i, to)).control_head.exists()) {
      at(to).receive(now, port_to(to, i), at(i).transmit(now, port_to(i, to)));
    }
  }
  /// Switch `i` has a control frame for `to`, which waits for the wire.
  void say_something(std::size_t i, std::size_t to) {
    const FrameId id = fabric_.frames().allocate();
    fabric_.frames()[id].kind = FrameKind::hop_control;
    static_cast<SwitchContext&>(at(i)).send(port_to(i, to), id);
  }
  /// All frames queued for host `i` depart.
  void drain_to_host(std::size_t i) {
    for (FrameId id = at(i).transmit(now, host_port(i)); id.exists(); id = at(i).transmit(now, host_port(i))) {
      fabric_.frames().release(id);
    }
  }
  void refresh_pauses() {
    now += 200_us;
    for (std::size_t i = 0; i < kSwitches; ++i) at(i).advance(now);
  }
  /// The message about a deadlock; empty: none.
  std::string look() {
    const auto found = watch_.look(now);
    return found ? found->failure : std::string();
  }

  [[nodiscard]] const DeadlockWatch& watch() const { return watch_; }

  Time now = whole::at(10_us);
  Priority priority = kLossless;  // of the frames, and of the check

 private:
  [[nodiscard]] PortId port(std::size_t i, NodeId peer) const {
    const NodeId node = fabric_.topology().node_of(SwitchId(i));
    const auto& ports = fabric_.topology().ports(node);
    for (std::size_t port = 0; port < ports.size(); ++port) {
      if (ports[port].peer == peer) return PortId(port);
    }
    return PortId::none();
  }
  Fabric fabric_;
  DeadlockWatch watch_;
};

TEST(DeadlockWatch, FindsAtTheFirstLookARingThatUsesNoHeadroomUnderADynamicThreshold) {
  Ring ring;
  for (std::size_t i = 0; i < kSwitches; ++i) ring.fill(i, Ring::before(i));
  for (std::size_t i = 0; i < kSwitches; ++i) ASSERT_EQ(ring.ingress(i, Ring::before(i)).headroom, 0);
  EXPECT_EQ(ring.look(),
            "deadlock: 5 ports are blocked forever; s0 -> s1 (priority 3) waits for s1 -> s2 (priority 3) waits for s2 "
            "-> s3 (priority 3) waits for s3 -> s4 (priority 3) waits for s4 -> s0 (priority 3) waits for s0 -> s1");
}

/// A switch may have sent a RESUME and then another PAUSE, of which its neighbour has received neither.
TEST(DeadlockWatch, WaitsWhileAResumeMayBeUnderWay) {
  Ring ring;
  for (std::size_t i = 0; i < kSwitches; ++i) ring.fill(i, Ring::before(i));
  ring.say_something(1, 0);
  EXPECT_THAT(ring.look(), IsEmpty());
  ring.now += 3_us;
  EXPECT_THAT(ring.look(), HasSubstr("deadlock: 5 ports are blocked forever"));
}

/// In each direction one frame of 1,086 bytes on the wire, and a link of 1 us; one picosecond more, and the RESUME must
/// have arrived.
TEST(DeadlockWatch, KnowsHowLongAResumeMayBeOnItsWay) {
  EXPECT_EQ(Ring().watch().on_its_way(), Duration::picoseconds(2 * (1'000'000 + 86'880) + 1));
  Settings settings = ring_settings(1);
  settings.switches.pause_response = 500_ns;
  EXPECT_EQ(Ring(settings).watch().on_its_way(), Duration::picoseconds(2 * (1'000'000 + 86'880) + 500'000 + 1));
}

TEST(DeadlockWatch, FindsNoneInARingThatIsOpenSomewhere) {
  Ring ring;
  for (std::size_t i = 1; i < kSwitches; ++i) ring.fill(i, Ring::before(i));
  EXPECT_THAT(ring.look(), IsEmpty());
}

/// The frames for the hosts depart, the thresholds rise, and the ring moves again.
TEST(DeadlockWatch, FindsNoneWhereOthersHoldThePoolAndMayLeaveIt) {
  Ring ring;
  for (std::size_t i = 0; i < kSwitches; ++i) {
    ring.put_from_host(i, i, ring.pool() * 4 / 10);
    ring.fill(i, Ring::before(i));
    ASSERT_EQ(ring.ingress(i, Ring::before(i)).headroom, 0);
  }
  EXPECT_THAT(ring.look(), IsEmpty());
  for (std::size_t i = 0; i < kSwitches; ++i) ring.drain_to_host(i);
  ring.refresh_pauses();
  for (std::size_t i = 0; i < kSwitches; ++i) EXPECT_FALSE(ring.ingress(i, Ring::before(i)).paused);
}

TEST(DeadlockWatch, FindsNoneWhereOneOfTheRingMayResume) {
  Ring ring;
  ring.put_from_host(2, 2, ring.pool() * 4 / 10);
  for (std::size_t i = 0; i < kSwitches; ++i) ring.fill(i, Ring::before(i));
  EXPECT_THAT(ring.look(), IsEmpty());
  ring.now += 10_us;
  EXPECT_THAT(ring.look(), IsEmpty()) << "it uses no headroom, and nothing is on its way";
}

/// A frame of one ingress may depart to its host: the ring is checked after that.
TEST(DeadlockWatch, FindsNoneWhereAFrameOfAnIngressIsNotHeld) {
  Ring ring;
  ring.put(1, ring.port_to(1, 0), 1);
  for (std::size_t i = 0; i < kSwitches; ++i) ring.fill(i, Ring::before(i));
  EXPECT_THAT(ring.look(), IsEmpty());
  ring.drain_to_host(1);
  EXPECT_THAT(ring.look(), HasSubstr("deadlock: 5 ports are blocked forever"));
}

/// A frame for a host may still depart, which raises xoff above the shared bytes; but xon, 3 KB below it, stays lower.
TEST(DeadlockWatch, FindsARingThatWouldNotPauseAgainButDoesNotResume) {
  Ring ring;
  for (std::size_t i = 0; i < kSwitches; ++i) {
    ring.put(i, ring.host_port(i), i);
    ring.fill(i, Ring::before(i));
  }
  EXPECT_THAT(ring.look(), HasSubstr("deadlock: 5 ports are blocked forever"));
  for (std::size_t i = 0; i < kSwitches; ++i) ring.drain_to_host(i);
  ring.refresh_pauses();
  for (std::size_t i = 0; i < kSwitches; ++i) {
    EXPECT_LT(ring.ingress(i, Ring::before(i)).shared, ring.at(i).xoff(ring.port_to(i, Ring::before(i)), kLossless));
    EXPECT_TRUE(ring.ingress(i, Ring::before(i)).paused);
  }
}

/// Four frames for the host may depart, which raises xon above the shared bytes; but the frame in headroom counts too.
TEST(DeadlockWatch, CountsWhatHeadroomHoldsAsShared) {
  Ring ring;
  for (std::size_t i = 0; i < kSwitches; ++i) {
    ring.put_from_host(i, i, 4 * kFrame);
    ring.fill(i, Ring::before(i));
    ring.put(i, ring.port_to(i, Ring::before(i)), Ring::after(i));
    ASSERT_EQ(ring.ingress(i, Ring::before(i)).headroom, kFrame);
  }
  EXPECT_THAT(ring.look(), HasSubstr("deadlock: 5 ports are blocked forever"));
}

/// The host has 20 frames behind the gate and 11 that may depart. Their departure frees everything above the reserve of
/// 10 KB except 11 KB, and the ring moves again; if those 20 frames were charged to the pool alone, it would not.
TEST(DeadlockWatch, KnowsThatTheLastFramesOfAnIngressAreInItsReserve) {
  Settings settings = ring_settings(1);
  settings.switches.reserve = 10_KB;
  Ring ring(settings);
  for (std::size_t i = 0; i < kSwitches; ++i) {
    ring.put_from_host(i, Ring::after(i), 20 * kFrame);
    ring.put_from_host(i, i, 11 * kFrame);
    ring.fill(i, Ring::before(i));
    ASSERT_EQ(ring.ingress(i, Ring::before(i)).headroom, 0);
  }
  EXPECT_THAT(ring.look(), IsEmpty());
  for (std::size_t i = 0; i < kSwitches; ++i) ring.drain_to_host(i);
  ring.refresh_pauses();
  for (std::size_t i = 0; i < kSwitches; ++i) EXPECT_FALSE(ring.ingress(i, Ring::before(i)).paused);
}

/// Priority 4 is deadlocked in its own pool. In the pool of priority 3 frames for the hosts may depart.
TEST(DeadlockWatch, CountsWhatIsHeldInThePoolOfThePriority) {
  Settings settings = ring_settings(1);
  settings.switches.lossless[4] = true;
  settings.switches.pool_of_priority[4] = 1;
  settings.switches.pool_share = {0.5, 0.5};
  Ring ring(settings);
  for (std::size_t i = 0; i < kSwitches; ++i) {
    ring.put_from_host(i, i, ring.pool() * 4 / 10);
    ring.fill(i, Ring::before(i));
  }
  EXPECT_THAT(ring.look(), IsEmpty());
  ring.priority = 4;
  for (std::size_t i = 0; i < kSwitches; ++i) ring.fill(i, Ring::before(i));
  EXPECT_THAT(ring.look(), StartsWith("deadlock: 5 ports are blocked forever; s0 -> s1 (priority 4)"));
}

/// Frames from elsewhere that are queued behind the ring's gates cannot depart either.
TEST(DeadlockWatch, CountsAllThatLiesBehindTheGates) {
  Ring ring;
  for (std::size_t i = 0; i < kSwitches; ++i) {
    ring.put_from_host(i, Ring::after(i), ring.pool() * 4 / 10);
    ring.fill(i, Ring::before(i));
    ASSERT_EQ(ring.ingress(i, Ring::before(i)).headroom, 0);
  }
  EXPECT_THAT(ring.look(), HasSubstr("deadlock: 5 ports are blocked forever"));
}

/// Fills both directions equally, except one path into switch 0 if that is left `open`.
Ring& fill_both_ways(Ring& ring, bool open) {
  for (std::size_t i = 0; i < kSwitches; ++i) {
    const std::size_t one = Ring::before(i);
    const std::size_t other = Ring::after(i);
    const auto wanted = [&](std::size_t from) {
      return !ring.ingress(i, from).paused && (from == one || i > 0 || !open);
    };
    while (wanted(one) || wanted(other)) {
      if (wanted(one)) ring.put(i, ring.port_to(i, one), other);
      if (wanted(other)) ring.put(i, ring.port_to(i, other), one);
    }
    ring.deliver_pause(i, one);
    ring.deliver_pause(i, other);
  }
  return ring;
}

TEST(DeadlockWatch, FindsTwoRingsThatHoldThePoolTogether) {
  Ring ring;
  EXPECT_THAT(fill_both_ways(ring, false).look(), HasSubstr("deadlock: 10 ports are blocked forever"));
}

/// The open ring drains, and the bytes that it frees let the other resume.
TEST(DeadlockWatch, CountsNoLongerWhatTurnsOutToDrain) {
  Ring ring;
  EXPECT_THAT(fill_both_ways(ring, true).look(), IsEmpty());
}

/// Each uses headroom, which only its own frames can release: those on the wire when it paused leave elsewhere, ...
TEST(DeadlockWatch, FindsNoneWhereFramesUnderWayMayStillFreeHeadroom) {
  Ring ring;
  for (std::size_t i = 0; i < kSwitches; ++i) {
    ring.put_from_host(i, i, ring.pool() * 4 / 10);
    ring.fill(i, Ring::before(i));
    ring.put(i, ring.port_to(i, Ring::before(i)), Ring::after(i));
    ASSERT_EQ(ring.ingress(i, Ring::before(i)).headroom, kFrame);
  }
  EXPECT_THAT(ring.look(), IsEmpty());
  for (std::size_t i = 0; i < kSwitches; ++i) {
    ring.drain_to_host(i);
    ring.put(i, ring.port_to(i, Ring::before(i)), i);
    ring.drain_to_host(i);
    EXPECT_FALSE(ring.ingress(i, Ring::before(i)).paused);
  }
}

/// ... and when none can be on the wire any more, nothing releases it.
TEST(DeadlockWatch, FindsARingThatUsesHeadroomWhenNoFrameIsUnderWay) {
  Ring ring;
  for (std::size_t i = 0; i < kSwitches; ++i) {
    ring.put_from_host(i, i, ring.pool() * 4 / 10);
    ring.fill(i, Ring::before(i));
    ring.put(i, ring.port_to(i, Ring::before(i)), Ring::after(i));
  }
  EXPECT_THAT(ring.look(), IsEmpty());
  ring.now += 2_us;
  EXPECT_THAT(ring.look(), HasSubstr("deadlock: 5 ports are blocked forever"));
}

}  // namespace
}  // namespace weir::whole::deadlock_watch_test
