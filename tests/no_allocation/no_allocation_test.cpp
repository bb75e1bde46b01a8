// SPDX-License-Identifier: Apache-2.0
// Nothing is allocated while a network runs, under either driver, with every registered scheme in each of its roles:
// code that makes decisions must be able to run in real switches and NICs. Excluded are the opening and closing of
// flows, which is the connection manager's task, changes of links, and checks of the whole network (samples, accounts,
// the search for deadlocks), which a driver makes every 10 us at most; between these neither a node nor its driver
// allocates. The measurement's records of switches grow with what they observe, so they are not enabled here. Ideal
// schemes, which no switch could run (SchemeTraits::ideal), are exempt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "allocations.h"
#include "candidates.h"
#include "counting_new.h"
#include "fabric/header_plan.h"
#include "poll/poll_network.h"
#include "shape_credits.h"
#include "shape_grants.h"
#include "shape_pulls.h"
#include "sim/simulation.h"

namespace weir::whole::no_allocation_test {
namespace {

#ifdef WEIR_KEEPS_ALLOCATOR
constexpr bool kCounts = false;
#else
constexpr bool kCounts = true;
#endif

constexpr Duration kWarmUp = Duration::picoseconds(700'000'000);
constexpr Duration kLength = Duration::picoseconds(2'000'000'000);
// Checks of the whole network occur at multiples of 10 us, or slightly earlier in the poll loop. Allocations are
// counted in between.
constexpr Duration kGrid = Duration::picoseconds(10'000'000);
constexpr Duration kMargin = Duration::picoseconds(1'000'000);
constexpr Duration kPollPeriod = Duration::picoseconds(312'500);  // 512 of these, between two checks, are 160 us

/// The count after the warm-up.
struct Count {
  std::uint64_t windows = 0;
  std::uint64_t allocations = 0;
};
Count& counted() {
  static Count count;
  return count;
}

/// Arms and disarms the counter by a timer of switch 0, that is, from within the driver. With `allocates` it allocates
/// memory meanwhile.
class Meter final : public CongestionPoint {
 public:
  explicit Meter(bool allocates) : allocates_(allocates) {}

  void attach(SwitchContext& context) override {
    if (context.id() != SwitchId(0)) return;
    timer_ = context.new_timer(*this);
    due_ = Time() + kWarmUp + kMargin;
    context.arm(timer_, due_);
  }
  void on_timer(SwitchContext& context, TimerId timer) override {
    AllocationCounter& counter = allocation_counter();
    due_ += counter.armed ? 2 * kMargin : kGrid - 2 * kMargin;
    context.arm(timer, due_);
    if (counter.armed) {
      counter.armed = false;
      ++counted().windows;
      counted().allocations += counter.count;
      return;
    }
    counter.count = 0;
    counter.armed = true;
    if (allocates_) waste_ = std::make_unique<int>(1);
  }

 private:
  bool allocates_;
  std::unique_ptr<int> waste_;
  TimerId timer_;
  Time due_;
};

template <bool kAllocates>
const Scheme& meter() {
  static const Scheme scheme = {.name = "meter",
                                .summary = "counts allocations",
                                .traits = {},
                                .congestion_point = [](const Parameters&) -> std::unique_ptr<CongestionPoint> {
                                  return std::make_unique<Meter>(kAllocates);
                                }};
  return scheme;
}

/// Flows that all begin in the warm-up and continue until after the end: within a rack, between racks, of a lossless
/// and of a lossy priority, and six to one host.
std::vector<FlowSpec> endless_flows() {
  std::vector<FlowSpec> flows;
  const auto add = [&flows](std::size_t source, std::size_t destination, Priority priority) {
    FlowSpec spec = flow(source, destination, kLongRunning, at(Duration::picoseconds(1'000'000) * flows.size()));
    spec.priority = priority;
    flows.push_back(spec);
  };
  for (std::size_t host = 0; host < 8; ++host) {
    add(host, (host + 1) % 8, 3);
    add(host, (host + 4) % 8, 3);
    add(host, (host + 3) % 8, 1);
    if (host >= 2) add(host, 0, 3);
  }
  return flows;
}

template <bool kAllocates = false>
Settings metered_network(const Candidate& candidate) {
  Settings settings = calm_leaf_spine(candidate);
  offer(settings, endless_flows());
  settings.switches.congestion_point.push_back({&meter<kAllocates>(), {}});
  settings.measurement.sample_interval = 10_ms;
  settings.run.stop = at(kLength);
  return settings;
}

std::uint64_t allocations_in_the_event_loop(const Settings& settings) {
  counted() = {};
  Simulation simulation(settings);
  Fabric& fabric = simulation.fabric();
  for (std::size_t i = 0; i < fabric.switches(); ++i) fabric.switch_by(SwitchId(i)).observe(nullptr);
  const RunRecord record = simulation.run();
  allocation_counter().armed = false;
  EXPECT_EQ(record.failure, "");
  EXPECT_GT(record.packet_hops, 10'000U);
  EXPECT_GT(counted().windows, 100U);
  return counted().allocations;
}

std::uint64_t allocations_in_the_poll_loop(const Settings& settings) {
  counted() = {};
  const PollReport report = PollNetwork(settings, {.period = kPollPeriod, .limit = at(kLength)}).run();
  allocation_counter().armed = false;
  EXPECT_EQ(report.failure, "");
  EXPECT_EQ(report.flows_completed, 0U);
  EXPECT_GT(counted().windows, 100U);
  return counted().allocations;
}

class NoAllocation : public testing::TestWithParam<Candidate> {
 protected:
  void SetUp() override {
    if (!kCounts) GTEST_SKIP() << "the sanitizer has an allocator of its own";
    if (GetParam().scheme->traits.ideal) GTEST_SKIP() << "an ideal scheme may allocate";
  }
};
INSTANTIATE_TEST_SUITE_P(Schemes, NoAllocation, testing::ValuesIn(candidates()), name_of);

TEST_P(NoAllocation, InTheEventLoop) {
  EXPECT_EQ(allocations_in_the_event_loop(metered_network(GetParam())), 0U);
}

TEST_P(NoAllocation, InThePollLoop) {
  EXPECT_EQ(allocations_in_the_poll_loop(metered_network(GetParam())), 0U);
}

/// Two roles at once: every congestion control and every transport with every scheme in a role beside it.
TEST(NoAllocationOfPairs, InEitherLoop) {
  if (!kCounts) GTEST_SKIP() << "the sanitizer has an allocator of its own";
  const std::vector<Candidate> all = candidates();
  for (const Candidate& first : all) {
    for (const Candidate& second : all) {
      if (first.slot != Slot::congestion_control && first.slot != Slot::transport) continue;
      if (second.slot == Slot::all || second.slot == first.slot) continue;
      if (exclude_each_other(first.slot, second.slot)) continue;
      if (first.scheme->traits.ideal || second.scheme->traits.ideal) continue;
      Settings settings = metered_network(second);
      place(settings, *first.scheme, first.slot);
      if (HeaderLayout(plan_headers(settings.switches, settings.switch_groups, settings.hosts)).conflict()) continue;
      SCOPED_TRACE(std::string(first.scheme->name) + " with " + std::string(second.scheme->name));
      EXPECT_EQ(allocations_in_the_event_loop(settings), 0U);
      EXPECT_EQ(allocations_in_the_poll_loop(settings), 0U);
    }
  }
}

/// The transports of the shape tests, with switches of their own.
TEST(NoAllocationOfTransports, InEitherLoop) {
  if (!kCounts) GTEST_SKIP() << "the sanitizer has an allocator of its own";
  const Candidate usual{find_scheme("ecmp"), Slot::forwarding};
  for (const Scheme* scheme :
       {&shape::grants_shape::grants, &shape::pulls_shape::pulls, &shape::credits_shape::credits}) {
    SCOPED_TRACE(scheme->name);
    Settings settings = metered_network(usual);
    shape::use_transport(settings, *scheme);
    EXPECT_EQ(allocations_in_the_event_loop(settings), 0U);
    EXPECT_EQ(allocations_in_the_poll_loop(settings), 0U);
  }
}

/// Has queues of the whole switch and closes them one after the other, each once, for a microsecond.
class SwitchWideGates final : public Classifier {
 public:
  [[nodiscard]] Hooks hooks() const override { return {.arrival = true}; }
  void attach(SwitchContext& context) override {
    owner_ = context.new_gate_owner();
    for (int i = 0; i < 100; ++i) {
      queues_.push_back(queue_context(context).new_queue({.priority = 3, .service = Service::released}));
    }
  }
  void on_arrival(SwitchContext& context, Frame&) override {
    if (closed_ == queues_.size() || context.now() < next_) return;
    context.close_gate_until(queues_[closed_++], owner_, context.now() + 1_us);
    next_ = context.now() + 15_us;
  }

 private:
  GateOwner owner_ = 0;
  std::vector<QueueId> queues_;
  std::size_t closed_ = 0;
  Time next_;
};
const Scheme kSwitchWideGates = {
    .name = "switch-wide gates",
    .summary = "",
    .traits = {},
    .flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> {
      return std::make_unique<SwitchWideGates>();
    },
};

/// No registered scheme closes them, with the first frame or in the middle of a run.
TEST(NoAllocationOfGates, OfQueuesOfTheWholeSwitch) {
  if (!kCounts) GTEST_SKIP() << "the sanitizer has an allocator of its own";
  Settings settings = metered_network({find_scheme("ecmp"), Slot::forwarding});
  settings.switches.flow_control.insert(settings.switches.flow_control.begin(), {&kSwitchWideGates, {}});
  EXPECT_EQ(allocations_in_the_event_loop(settings), 0U);
  EXPECT_EQ(allocations_in_the_poll_loop(settings), 0U);
}

/// A test of the test itself.
TEST(Meter, SeesAnAllocation) {
  if (!kCounts) GTEST_SKIP() << "the sanitizer has an allocator of its own";
  const Candidate usual{find_scheme("ecmp"), Slot::forwarding};
  const std::uint64_t allocations = allocations_in_the_event_loop(metered_network<true>(usual));
  EXPECT_EQ(allocations, counted().windows);
}

}  // namespace
}  // namespace weir::whole::no_allocation_test
