// SPDX-License-Identifier: Apache-2.0
// The rows in the repository: all rows exist, and their only errors are schemes that do not exist yet.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "reproduce/check_whole_row.h"
#include "reproduce/evaluate_row.h"
#include "reproduce/row.h"
#include "reproduce/run_row.h"

namespace weir::ledger_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

/// The measurements of the five papers, by figure.
const std::vector<std::string> kLedger = {
    "bfc/table1",      "bfc/fig2",        "bfc/fig3",         "bfc/fig4",        "bfc/fig7",        "bfc/fig8",
    "bfc/fig9",        "bfc/fig10",       "bfc/expresspass",  "bfc/fig11",       "bfc/fig12",       "bfc/fig13",
    "bfc/fig14",       "bfc/fig15",       "bfc/fig16",        "bfc/fig17",       "bfc/table2",      "bfc/fig18",
    "bfc/fig19",       "bfc/fig20",       "bfc/fig21",        "bfc/fig22",       "bfc/fig23",       "bfc/fig24",
    "bfc/fig25",       "bfc/fig26",       "bfc/fig27",        "bfc/fig28",       "bfc/fig29",       "bfc/fig30",
    "bfc/ideal-id",    "bfc/resources",   "bfc/thm1",         "spfc/fig2",       "spfc/table2",     "spfc/fig4",
    "spfc/fig5",       "spfc/fig6",       "spfc/fig9",        "spfc/fig11",      "spfc/fig12",      "spfc/fig13",
    "spfc/fig14",      "spfc/fig15",      "spfc/fig16",       "spfc/table3",     "spfc/fig17",      "spfc/fig18",
    "rocc/fig5",       "rocc/fig6",       "rocc/fig7",        "rocc/fig8",       "rocc/fig9",       "rocc/fig11",
    "rocc/fig12a",     "rocc/fig12b",     "rocc/fig13",       "rocc/fig14",      "rocc/fig15",      "rocc/fig16",
    "rocc/table3",     "rocc/fig17",      "rocc/fig18",       "rocc/fig20",      "rocc/fig19",      "rocc/eq1",
    "rocc/flowtables", "rocc/host",       "floodgate/fig2",   "floodgate/fig4",  "floodgate/fig6",  "floodgate/fig8",
    "floodgate/fig9",  "floodgate/fig10", "floodgate/table2", "floodgate/voq",   "floodgate/fig11", "floodgate/fig12",
    "floodgate/fig13", "floodgate/fig14", "floodgate/fig15",  "floodgate/fig16", "floodgate/fig17", "floodgate/fig18",
    "floodgate/fig20", "floodgate/fig23", "floodgate/fig24",  "floodgate/fig21", "floodgate/fig22", "pyrrha/fig2",
    "pyrrha/fig3",     "pyrrha/fig21",    "pyrrha/fig7",      "pyrrha/fig9",     "pyrrha/fig10",    "pyrrha/fig24",
    "pyrrha/fig11",    "pyrrha/fig22",    "pyrrha/fig12",     "pyrrha/fig14",    "pyrrha/fig13",    "pyrrha/fig25",
    "pyrrha/fig26",    "pyrrha/fig15",    "pyrrha/fig20",     "pyrrha/fig16",    "pyrrha/fig17",    "pyrrha/fig18",
    "pyrrha/fig23",    "pyrrha/fig19",    "pyrrha/fig27",     "pyrrha/fig28",    "pyrrha/fig29",    "pyrrha/fig31",
    "pyrrha/thm31",    "pyrrha/hostroot", "pyrrha/order",
};

/// Tests run in the root of the repository.
const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> out;
    for (const auto& [id, path] : find_rows("reproduction")) out.push_back(load_row(path, id));
    return out;
  }();
  return all;
}

TEST(Ledger, HasEveryRowOnce) {
  std::vector<std::string> there;
  for (const Row& row : rows()) there.insert(there.end(), row.ids.begin(), row.ids.end());
  EXPECT_THAT(there, UnorderedElementsAreArray(kLedger));
}

TEST(Ledger, CanBeRead) {
  for (const Row& row : rows()) EXPECT_THAT(row.errors, IsEmpty()) << row.file;
}

// Topologies, buffers and offered load are valid; criteria name existing variants, sweeps, nodes and labels;
// alternatives can be run and differ from the row.
TEST(Ledger, MakesSenseWithoutTheSchemesThatDoNotExist) {
  for (const Row& row : rows()) {
    if (!row.ok()) continue;
    EXPECT_THAT(check_whole_row(row), IsEmpty());
  }
}

TEST(Ledger, NamesWhatItAssumes) {
  for (const Row& row : rows()) EXPECT_FALSE(row.assumed.empty()) << row.file << " follows from its paper alone?";
}

TEST(Ledger, AsksForRunsInEveryForm) {
  for (const Row& row : rows()) {
    for (const RowForm form : {RowForm::quick, RowForm::full}) {
      const RowSetup& setup = row.setup(form);
      if (!setup.exists || setup.analysis) continue;
      EXPECT_FALSE(make_dry_run(row, form, setup).asked.empty()) << row.file;
    }
  }
}

}  // namespace
}  // namespace weir::ledger_test
