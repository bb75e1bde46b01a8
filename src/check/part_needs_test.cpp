// SPDX-License-Identifier: Apache-2.0
#include "check/part_needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "check/check.h"
#include "scenario/test_scenario.h"

namespace weir::part_needs_test {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_scenario::changed;
using testing_scenario::kGood;
using testing_scenario::only;

/// The small network with a transport, these lines in [switch], and without lossless priorities.
std::string with_transport(const std::string& name, const std::string& switches) {
  return changed("payload = 1000", "payload = 1000\ntransport = \"" + name + "\"",
                 changed("flow_control = [\"pfc\"]", "lossless = []\n" + switches));
}
const std::string kSprayed = "forwarding = \"spray\"";
const std::string kTrimming = "flow_control = [\"ndp\"]\nforwarding = \"ndp\"";
/// NDP with 16 packets before the first pull.
std::string pulling() {
  return changed("transport = \"ndp\"", "transport = { scheme = \"ndp\", initial_window = \"16 KB\" }",
                 with_transport("ndp", kTrimming));
}

CheckedVariant check(const std::string& text) {
  const ScenarioVariant variant = only(text);
  return check_variant(variant.settings, variant.traffic);
}

/// The highest load of a link with what receivers answer.
double answers(const std::string& text) {
  const CheckedVariant checked = check(text);
  double most = 0;
  for (const CheckedLink& link : checked.states.front().links) most = std::max(most, link.acknowledgements);
  return most;
}

TEST(PartNeeds, AreSaidOfANetworkThatLacksThem) {
  EXPECT_THAT(check(with_transport("homa", kSprayed)).warnings, IsEmpty());
  EXPECT_THAT(check(with_transport("homa", "")).warnings,
              ElementsAre(HasSubstr("homa: \"ecmp\" does not spread the packets of a flow evenly")));
  EXPECT_THAT(check(with_transport("ndp", kTrimming)).warnings, IsEmpty());
  EXPECT_THAT(check(with_transport("ndp", "flow_control = [\"ndp\"]")).warnings,
              ElementsAre(HasSubstr("ndp: \"ecmp\" does not spread the packets of a flow evenly")));
}

// The switches' part of a transport does not pause senders.
TEST(PartNeeds, IncludeNoLosslessPriorityWithoutPauses) {
  const std::string lossless =
      changed("lossless = []\n", "", with_transport("expresspass", "flow_control = [\"expresspass\"]"));
  EXPECT_THAT(check(lossless).warnings, Contains(HasSubstr("expected switch.lossless = []")));
}

const std::string kCredits =
    "flow_control = [\"expresspass\"]\n"
    "forwarding = { scheme = \"ecmp\", hash = \"symmetric\", seed_per_switch = false }";

// Each packet needs a credit, however small it is: (84 + 1092) bytes of the link per 100 bytes of payload.
TEST(PartNeeds, IncludeCreditsForSmallPackets) {
  const auto small = [](const std::string& load) {
    return check(changed("size = \"64 KB\"\nload = 0.5", "size = \"100 B\"\nload = " + load,
                         with_transport("expresspass", kCredits)));
  };
  const CheckedVariant fits = small("0.08");
  EXPECT_THAT(fits.errors, IsEmpty());
  const CheckedLink& link = fits.states.front().links.front();
  EXPECT_NEAR(link.credits, 0.08 * 11.76, 1e-6);
  EXPECT_NEAR(link.demand(), link.credits, 1e-12) << "the highest demand is first";
  const CheckedVariant refused = small("0.1");
  ASSERT_FALSE(refused.errors.empty());
  EXPECT_THAT(refused.errors.front().message,
              testing::AllOf(HasSubstr("need 1.176 times the credits that it carries (7.14 % of its rate, for 10.63 "
                                       "million packets per second of any size)"),
                             HasSubstr("from 0 ps on, by background")));
}

// 100 bytes of payload take more than twice as many on the wire.
TEST(PartNeeds, NameTheLoadBesideCreditsIfBothAreTooMuch) {
  const auto refusal = [](const std::string& load) {
    const CheckedVariant checked = check(changed("size = \"64 KB\"\nload = 0.5", "size = \"100 B\"\nload = " + load,
                                                 with_transport("expresspass", kCredits)));
    return checked.errors.empty() ? "" : checked.errors.front().message;
  };
  EXPECT_THAT(refusal("0.1"), testing::Not(HasSubstr("its offered load is")));
  EXPECT_THAT(refusal("0.9"), testing::AllOf(HasSubstr("times the credits"), HasSubstr("; its offered load is ")));
}

TEST(PartNeeds, IncludeNoCreditsOfOtherTransports) {
  const CheckedVariant checked = check(with_transport("ndp", kTrimming));
  for (const CheckedLink& link : checked.states.front().links) EXPECT_EQ(link.credits, 0);
}

// Neither pauses a neighbour, so that nothing can wait in a cycle (Check.NotesACyclicBufferDependency).
TEST(PartNeeds, IncludeNoDeadlocksWithoutPauses) {
  const std::string failure =
      "\n[[failure]]\nbetween = [\"tor3\", \"spine0\"]\ndown = \"0 s\"\n"
      "[[failure]]\nbetween = [\"tor0\", \"spine1\"]\ndown = \"100 us\"\n";
  const auto cycles = [&](const std::string& text) {
    return check(changed("tors = 2", "tors = 4", text) + failure).cycles.size();
  };
  EXPECT_GT(cycles(kGood), 0u) << "PFC";
  EXPECT_EQ(cycles(with_transport("expresspass", kCredits)), 0u);
  EXPECT_EQ(cycles(with_transport("ndp", kTrimming)), 0u);
}

TEST(PartNeeds, IncludeAnEgressLimitAboveTheQueuesOfNdp) {
  const auto limited = [](const std::string& limit) {
    return check(changed("forwarding = \"ndp\"",
                         "forwarding = \"ndp\"\nbuffer_policy = { scheme = \"static_threshold\", egress_limit = \"" +
                             limit + "\" }",
                         with_transport("ndp", kTrimming)))
        .warnings;
  };
  // 8 frames of 1,066 bytes and 129 headers of 66.
  EXPECT_THAT(limited("17042 B"), IsEmpty());
  EXPECT_THAT(limited("17041 B"), SizeIs(2)) << "spines and ToRs";
  EXPECT_THAT(limited("17041 B"), Each(HasSubstr("ndp: the buffer policy of")));
}

TEST(PartNeeds, DoNotIncludeSpreadingWhereThereIsOnePath) {
  EXPECT_THAT(check(changed("spines = 2", "spines = 1", with_transport("homa", ""))).warnings, IsEmpty());
}

TEST(PartNeeds, IncludeBuffersForAllQueues) {
  // A port of NDP holds 8 packets of 1,066 bytes and 129 headers of 66: a ToR of four ports 68,168 bytes.
  const auto in_buffer = [](const std::string& size) {
    return check(changed("buffer = \"12 MB\"", "buffer = \"" + size + "\"", with_transport("ndp", kTrimming))).warnings;
  };
  EXPECT_THAT(in_buffer("68168 B"), IsEmpty());
  EXPECT_THAT(in_buffer("68167 B"), ElementsAre(HasSubstr("ndp: the buffer of 2 switches like tor0 has 68167 B")));
}

TEST(PartNeeds, IncludeWindowsThatFit) {
  EXPECT_THAT(check(changed("payload = 1000", "payload = 40", with_transport("homa", kSprayed))).warnings,
              ElementsAre(HasSubstr("homa: round_trip_bytes is ")));
}

TEST(PartNeeds, SayWhichPrioritiesAreInEffect) {
  const std::string text = with_transport("homa", kSprayed);
  EXPECT_THAT(check(text).notes, Contains(HasSubstr("homa: priorities in effect, 7 is the highest: unscheduled packets "
                                                    "have 7 in messages of every size; granted packets have ")));
  const std::string given = changed("load = 0.5", "load = 0.5\npriority = 5", text);
  EXPECT_THAT(check(given).warnings,
              ElementsAre(HasSubstr("homa: priority 5 of traffic.background has no effect: the transport gives packets "
                                    "priorities of its own")));
  EXPECT_THAT(check(changed("load = 0.5", "load = 0.5\npriority = 5", with_transport("ndp", kTrimming))).warnings,
              IsEmpty());
}

// Half the load of hosts, in packets of 1,000 bytes.
TEST(PartNeeds, IncludeRoomForAnswers) {
  EXPECT_NEAR(answers(kGood), 0.5 * 0.090, 1e-6) << "acknowledgements of reliable connections";
  // Messages of 64 packets.
  EXPECT_NEAR(answers(pulling()), 0.5 * 0.090 * (64 + 48) / 64, 1e-6);
  EXPECT_NEAR(answers(with_transport("expresspass", "flow_control = [\"expresspass\"]")), 0.5 * (0.084 + 0.090 / 64),
              1e-6);
  const std::string homa = changed("transport = \"homa\"",
                                   "transport = { scheme = \"homa\", round_trip_bytes = "
                                   "\"16 KB\" }",
                                   with_transport("homa", kSprayed));
  EXPECT_NEAR(answers(homa), 0.5 * (48 + 1) * 0.090 / 64, 1e-6);
}

TEST(PartNeeds, LetNoVariantTakeTheLoadOfAnother) {
  ErrorCheck errors;
  const std::string full = changed("load = 0.5", "load = 0.85");
  EXPECT_THAT(errors.of(only(full)), IsEmpty());
  const std::string pulls = changed("load = 0.5", "load = 0.85", pulling());
  EXPECT_THAT(errors.of(only(pulls)), Not(IsEmpty())) << "0.85 x (1.086 + 0.090 + 48 / 64 x 0.090)";
}

}  // namespace
}  // namespace weir::part_needs_test
