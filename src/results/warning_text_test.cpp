// SPDX-License-Identifier: Apache-2.0
#include "results/warning_text.h"

#include <gtest/gtest.h>

namespace weir::warning_text_test {
namespace {

RunSummary run(std::string variant, std::vector<RunFinding> findings) {
  RunSummary summary;
  summary.scenario = "s";
  summary.variant = std::move(variant);
  summary.findings = std::move(findings);
  return summary;
}

RunFinding finding(FindingKind kind, std::string text) {
  RunFinding out;
  out.kind = kind;
  out.text = std::move(text);
  return out;
}

const RunFinding kWarning = finding(FindingKind::warning, "nothing slows it down");
const RunFinding kDrops = finding(FindingKind::lossless_drops, "switches dropped 3 frames");

TEST(WarningText, IsEmptyWhereNothingIsDoubtful) {
  EXPECT_EQ(warning_text({}, 0), "");
  EXPECT_EQ(warning_text({run("a", {finding(FindingKind::note, "n"), finding(FindingKind::deadlock, "d"),
                                    finding(FindingKind::cyclic_buffer_dependency, "c")})},
                         0),
            "");
}

TEST(WarningText, NamesTheRunsUnlessAllHaveIt) {
  EXPECT_EQ(warning_text({run("a", {kWarning, kDrops})}, 0),
            "Warning: nothing slows it down.\nWarning: switches dropped 3 frames.\n");
  EXPECT_EQ(warning_text({run("a", {kWarning}), run("b", {kWarning, kDrops}), run("c", {kWarning})}, 0),
            "Warning: nothing slows it down.\nWarning (b): switches dropped 3 frames.\n");
  EXPECT_EQ(warning_text({run("a", {kWarning}), run("b", {kWarning}), run("c", {})}, 0),
            "Warning (a and b): nothing slows it down.\n");
}

}  // namespace
}  // namespace weir::warning_text_test
