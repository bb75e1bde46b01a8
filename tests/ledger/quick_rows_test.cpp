// SPDX-License-Identifier: Apache-2.0
// The rows that need only existing schemes have, in their quick forms, the recorded verdicts. All rows of BFC and
// SPFC, and those of the others that take about a minute at most.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "reproduce/row.h"
#include "reproduce/run_row.h"
#include "reproduce/verdict.h"

namespace weir::quick_rows_test {
namespace {

using testing::IsEmpty;

constexpr const char* kRows[] = {
    "bfc/fig2",        "bfc/fig3",        "bfc/fig4",        "bfc/fig7",        "bfc/fig8",        "bfc/fig9",
    "bfc/fig10",       "bfc/fig11",       "bfc/fig12",       "bfc/fig13",       "bfc/fig14",       "bfc/fig15",
    "bfc/fig16",       "bfc/fig17",       "bfc/fig18",       "bfc/fig19",       "bfc/fig20",       "bfc/fig21",
    "bfc/fig22",       "bfc/fig23",       "bfc/fig24",       "bfc/fig25",       "bfc/fig26",       "bfc/fig27",
    "bfc/fig28",       "bfc/fig29",       "bfc/fig30",       "bfc/expresspass", "bfc/ideal-id",    "bfc/resources",
    "bfc/table1",      "bfc/thm1",        "pyrrha/fig7",     "pyrrha/fig3",     "pyrrha/fig31",    "pyrrha/order",
    "pyrrha/thm31",    "rocc/eq1",        "rocc/fig5",       "rocc/fig8",       "rocc/fig11",      "rocc/fig12b",
    "rocc/flowtables", "rocc/host",       "spfc/fig2",       "spfc/fig4",       "spfc/fig5",       "spfc/fig6",
    "spfc/fig9",       "spfc/fig11",      "spfc/fig13",      "spfc/fig14",      "spfc/fig15",      "spfc/fig17",
    "spfc/fig18",      "spfc/table2",     "spfc/table3",     "floodgate/fig8",  "floodgate/fig4",  "floodgate/fig10",
    "floodgate/fig11", "floodgate/fig12", "floodgate/fig13", "floodgate/fig14", "floodgate/fig15", "floodgate/fig16",
    "floodgate/fig17", "floodgate/fig20", "floodgate/fig21", "floodgate/fig23", "floodgate/fig24", "floodgate/voq",
};

class QuickRow : public testing::TestWithParam<const char*> {};

TEST_P(QuickRow, ComesOutAsBefore) {
  const std::string id = GetParam();
  const Row row = load_row("reproduction/" + id + ".toml", id);
  ASSERT_THAT(row.errors, IsEmpty());
  ASSERT_TRUE(row.quick.exists);
  const RowResult result = run_row(row, RowForm::quick, row.quick, {.jobs = 2, .folder = {}, .watch = {}});
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.failures, IsEmpty());
  // A change here is a change of results: the change log names it.
  const auto recorded = kept_verdict("reproduction/record", row, RowForm::quick);
  ASSERT_TRUE(recorded.has_value()) << "weir reproduce " << id << " records it";
  // Without the results of alternatives, which are not run here.
  EXPECT_EQ(name_of(state_of(recorded->criteria)), name_of(state_of(result.verdict.criteria)))
      << to_toml(*recorded) << to_toml(result.verdict);
}

INSTANTIATE_TEST_SUITE_P(Ledger, QuickRow, testing::ValuesIn(kRows), [](const auto& of) {
  std::string name = of.param;
  for (char& c : name) c = c == '/' || c == '-' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace weir::quick_rows_test
