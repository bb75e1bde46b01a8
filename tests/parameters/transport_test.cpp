// SPDX-License-Identifier: Apache-2.0
// A transport in a scenario: read, shown, and rejected beside the schemes that it replaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "scenario/test_scenario.h"

namespace weir::transport_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_scenario::changed;
using testing_scenario::errors;
using testing_scenario::only;

/// Sends nothing.
class Silent final : public Transport {
 public:
  ChosenPacket choose(TransportContext&, Priority) override { return {}; }
  void on_data(TransportContext&, ReceiveState&, const Frame&) override {}
};

const Scheme kSilent = {
    .name = "silent",
    .summary = "sends nothing",
    .traits = {},
    .transport = [](const Parameters&) -> std::unique_ptr<Transport> { return std::make_unique<Silent>(); },
};

class RegisterSilent : public testing::Environment {
 public:
  void SetUp() override { register_scheme(kSilent); }
};
const auto* const kRegistered = testing::AddGlobalTestEnvironment(new RegisterSilent);

std::string with(const std::string& lines) {
  return changed("payload = 1000", "payload = 1000\ntransport = \"silent\"\n" + lines);
}

TEST(TransportInAScenario, TakesThePlaceOfTwoRoles) {
  const ScenarioVariant variant = only(with(""));
  EXPECT_EQ(variant.settings.hosts.transport.scheme, &kSilent);
  EXPECT_EQ(variant.settings.hosts.congestion_control.scheme, nullptr);
  EXPECT_EQ(variant.settings.hosts.loss_recovery.scheme, nullptr);
  EXPECT_THAT(variant.settings.effective_configuration, HasSubstr("[host.transport]\nscheme = \"silent\""));
  EXPECT_EQ(only(variant.settings.effective_configuration).settings.hosts.transport.scheme, &kSilent) << "and again";
}

TEST(TransportInAScenario, IsRefusedBesideThem) {
  EXPECT_THAT(
      errors(with("congestion_control = \"dcqcn\"")),
      ElementsAre(HasSubstr("host.congestion_control: \"silent\" (host.transport) replaces the congestion control")));
  EXPECT_THAT(errors(with("loss_recovery = \"irn\"")), ElementsAre(HasSubstr("host.loss_recovery: \"silent\"")));
}

TEST(TransportInAScenario, IsRefusedBesideWhatItWouldIgnore) {
  EXPECT_THAT(errors(with("acknowledge_every = 4")),
              ElementsAre(HasSubstr("host.acknowledge_every: has no effect with host.transport = \"silent\"")));
  EXPECT_THAT(errors(with("shortest_remaining_first = true")), ElementsAre(HasSubstr("shortest_remaining_first")));
  EXPECT_THAT(errors(with("window = { kind = \"fixed\" }")),
              ElementsAre(HasSubstr("host.window: has no effect with host.transport = \"silent\"")));
}

/// A transport itself decides when packets are sent.
TEST(TransportInAScenario, IsRefusedBesideARateLimitOfFlows) {
  const std::string limited = with("") + "\n[[traffic]]\nkind = \"flows\"\n";
  EXPECT_THAT(
      errors(limited +
             "rate_limit = \"1 Gbit/s\"\nflow = [{ source = \"h0\", destination = \"h1\", size = \"1 KB\" }]\n"),
      ElementsAre(AllOf(HasSubstr("rate_limit: has no effect with host.transport = \"silent\""),
                        HasSubstr("expected no rate limit"))));
  EXPECT_THAT(
      errors(limited +
             "flow = [{ source = \"h0\", destination = \"h1\", size = \"1 KB\", rate_limit = \"1 Gbit/s\" }]\n"),
      ElementsAre(HasSubstr("rate_limit: has no effect")));
  EXPECT_THAT(errors(limited +
                     "rate_limit = \"0 bit/s\"\nflow = [{ source = \"h0\", destination = \"h1\", size = \"1 KB\" }]\n"),
              IsEmpty());
}

TEST(TransportInAScenario, MustBeOne) {
  EXPECT_THAT(errors(changed("payload = 1000", "payload = 1000\ntransport = \"dcqcn\"")),
              ElementsAre(AllOf(HasSubstr("scheme \"dcqcn\" cannot be used as transport, expected one of "),
                                HasSubstr("\"silent\""))));
}

}  // namespace
}  // namespace weir::transport_test
