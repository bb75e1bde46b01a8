// SPDX-License-Identifier: Apache-2.0
#include "reproduce/check_whole_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reproduce/test_row.h"

namespace weir::check_whole_row_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_row::changed;
using testing_row::kRow;
using testing_row::read;

/// kRow with an alternative for the delay.
std::vector<std::string> with_alternative(const std::string& alternative, const std::string& text = kRow) {
  return check_whole_row(read(changed("{ topology.link.delay = \"2 us\" }", alternative, text)));
}

constexpr const char* kChangesNothing =
    "r.toml: claim.assumed \"the delay\": the alternative changes nothing, expected keys that no variant or sweep "
    "overrides";

TEST(CheckWholeRow, HasNothingToSayOfAGoodRow) {
  EXPECT_THAT(check_whole_row(read(kRow)), IsEmpty());
}

TEST(CheckWholeRow, ChecksWhatIsAssumedOtherwiseInBothForms) {
  EXPECT_THAT(with_alternative("{ topology.link.delya = \"2 us\" }"),
              ElementsAre(HasSubstr("(claim.assumed \"the delay\", alternative; quick form)"),
                          HasSubstr("(claim.assumed \"the delay\", alternative; full form)")));
}

TEST(CheckWholeRow, ChecksNetworksOfWhatIsAssumedOtherwise) {
  EXPECT_THAT(with_alternative("{ switch.buffer = \"10 KB\" }"),
              Contains(HasSubstr("pfc: switch.buffer: switch0: headroom")));
}

TEST(CheckWholeRow, SaysWhatChangesNoRun) {
  EXPECT_THAT(with_alternative("{ topology.link.delay = \"1 us\" }"), ElementsAre(kChangesNothing));
}

// Variants and sweeps override the alternative.
TEST(CheckWholeRow, SaysWhatIsCoveredInEveryRun) {
  const std::string swept = "{ traffic.background.load = 0.1 }";
  EXPECT_THAT(with_alternative(swept), ElementsAre(kChangesNothing));
  const std::string in_one = changed("[variants.pfc]\n", "[variants.pfc]\nswitch.buffer = \"1 MB\"\n");
  EXPECT_THAT(with_alternative("{ switch.buffer = \"2 MB\" }", in_one), IsEmpty());
  const std::string in_both = changed("[variants.new]\n", "[variants.new]\nswitch.buffer = \"1 MB\"\n", in_one);
  EXPECT_THAT(with_alternative("{ switch.buffer = \"2 MB\" }", in_both), ElementsAre(kChangesNothing));
}

TEST(CheckWholeRow, IsContentWithAnotherRunInEitherForm) {
  EXPECT_THAT(
      with_alternative("{ run.drain_limit = \"7 ms\" }", changed("[quick]\n", "[quick]\nrun.drain_limit = \"7 ms\"\n")),
      IsEmpty());
}

TEST(CheckWholeRow, ComparesTheTextOfRunsWhoseSchemeDoesNotExist) {
  const std::string only =
      changed("p99_slowdown(variant=\"pfc\", load=0.5) >= 1", "mean_fct(variant=\"new\", load=0.5) >= 1 us");
  EXPECT_THAT(
      with_alternative("{ variants.new.switch.flow_control = [{ scheme = \"no_such_scheme\", queues = 64 }] }", only),
      IsEmpty());
}

TEST(CheckWholeRow, SaysWhatIsWrongWithEachForm) {
  const std::string both = changed("[quick]\n", "[full]\nrun.stpo = \"1 ms\"\n\n[quick]\nrun.stpp = \"1 ms\"\n");
  EXPECT_THAT(with_alternative("{ topology.link.delay = \"1 us\" }", both),
              ElementsAre(HasSubstr("stpp: unknown key"), HasSubstr("stpo: unknown key")));
}

TEST(CheckWholeRow, HoldsAnalysesToTheSame) {
  const auto model = [](const std::string& kind) {
    return check_whole_row(read(R"([claim]
id = "bfc/fig0"
title = "A model"
section = "1"

[[claim.criterion]]
name = "most"
paper = "most"
holds = 'covered(k=5, ports=32) > 50 %'

[[claim.assumed]]
value = "the delay"
choice = "ours"
reason = "It is a model."
alternative = { analysis.kind = ")" +
                                kind + "\" }\n\n[analysis]\nkind = \"spfc_flow_model\"\n"));
  };
  EXPECT_THAT(model("spfc_flow_model"), ElementsAre(kChangesNothing));
  EXPECT_THAT(model("no_such_model"), ElementsAre(HasSubstr("is \"no_such_model\", which is not a kind of analysis")));
}

}  // namespace
}  // namespace weir::check_whole_row_test
