// SPDX-License-Identifier: Apache-2.0
// Configurations that a NIC rejects.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/test_nic.h"

namespace weir::testing_nic::nic_assembly_test {
namespace {

/// A flow control with this number of gate owners.
class Owners final : public NicFlowControl {
 public:
  Owners(int owners, bool by_gate) : owners_(owners), by_gate_(by_gate) {}
  void attach(NicContext& context) override {
    for (int i = 0; i < owners_; ++i) context.new_gate_owner();
  }
  [[nodiscard]] bool serves_by_gate() const override { return by_gate_; }

 private:
  int owners_;
  bool by_gate_;
};

/// The error message for a NIC with flow controls that have these numbers of owners; empty: none. The gates of the
/// first `by_gate` of them are queues.
std::string refusal(const std::vector<int>& owners, std::size_t by_gate = 0) {
  FramePool pool(16);
  NicPolicies policies;
  policies.congestion_control = std::make_unique<TestCongestion>();
  policies.loss_recovery = std::make_unique<TestRecovery>();
  for (std::size_t i = 0; i < owners.size(); ++i) {
    policies.flow_control.push_back(std::make_unique<Owners>(owners[i], i < by_gate));
  }
  try {
    const Nic nic(pool, config_of(), std::move(policies));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(NicAssembly, RefusesMoreOwnersOfGatesThanThereAre) {
  EXPECT_EQ(refusal({4, 4}), "");
  EXPECT_EQ(refusal({4, 3, 2}), "a NIC has 9 owners of gates, expected 8 at most");
}

TEST(NicAssembly, RefusesMoreFlowControlsThanThereIsRoomFor) {
  EXPECT_EQ(refusal({0, 0, 0}), "");
  EXPECT_EQ(refusal({0, 0, 0, 0}), "a NIC has 4 flow controls, expected 3 at most");
}

TEST(NicAssembly, RefusesTwoFlowControlsWhoseGatesTakeTurns) {
  EXPECT_EQ(refusal({0, 0}, 1), "");
  EXPECT_EQ(refusal({0, 0}, 2), "a NIC has 2 flow controls whose gates take turns, expected 1 at most");
}

}  // namespace
}  // namespace weir::testing_nic::nic_assembly_test
