// SPDX-License-Identifier: Apache-2.0
// Configurations that a switch rejects, and the access that only a classifier has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "switch/test_switch.h"

namespace weir::testing_switch::assembly_test {
namespace {

template <class Context>
concept HasQueueActions = requires(Context& context, QueueId queue) {
  context.new_queue(QueueSpec());
  context.release(queue);
  context.insert_marker(queue, 0);
};
template <class Context>
concept HasAQueueAction = requires(Context& context, QueueId queue) {
  context.release(queue);
}
|| requires(Context& context, QueueId queue) {
  context.insert_marker(queue, 0);
}
|| requires(Context& context) {
  context.new_queue(QueueSpec());
};
static_assert(HasQueueActions<QueueContext>);
static_assert(!HasAQueueAction<SwitchContext>);

/// Requests this number of gate owners.
class Owners final : public FlowControl {
 public:
  explicit Owners(int owners) : owners_(owners) {}
  void attach(SwitchContext& context) override {
    for (int i = 0; i < owners_; ++i) context.set_gate(QueueId(0), context.new_gate_owner(), false);
  }

 private:
  int owners_;
};

class Sorts final : public Classifier {};

/// The error message for a switch with these flow controls; empty: none.
template <class... FlowControls>
std::string refusal(std::unique_ptr<FlowControls>... flow_controls) {
  FramePool pool(16);
  SwitchPolicies policies;
  policies.buffer = std::make_unique<Thresholds>();
  (policies.flow_control.push_back(std::move(flow_controls)), ...);
  try {
    const Switch node(pool, config_of(), std::move(policies));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(SwitchAssembly, RefusesMoreOwnersOfGatesThanThereAre) {
  EXPECT_EQ(refusal(std::make_unique<Owners>(5), std::make_unique<Owners>(3)), "");
  EXPECT_EQ(refusal(std::make_unique<Owners>(5), std::make_unique<Owners>(6)),
            "a switch has 11 owners of gates, expected 8 at most");
}

TEST(SwitchAssembly, RefusesTwoFlowControlsThatClassify) {
  EXPECT_EQ(refusal(std::make_unique<Sorts>(), std::make_unique<Owners>(1)), "");
  EXPECT_EQ(refusal(std::make_unique<Sorts>(), std::make_unique<Owners>(1), std::make_unique<Sorts>()),
            "a switch has 2 flow controls that classify frames into queues, expected 1 at most");
}

}  // namespace
}  // namespace weir::testing_switch::assembly_test
