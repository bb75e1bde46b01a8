// SPDX-License-Identifier: Apache-2.0
// Whatever a store contains, the commands that read it either succeed or report an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "apps/test_commands.h"
#include "apps/test_damage.h"
#include "store/store.h"
#include "store/test_whole_record.h"

namespace weir::apps::damaged_results_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class DamagedResults : public Commands {
 protected:
  DamagedResults() {
    std::filesystem::remove(sound_);  // left by a killed test
    std::filesystem::create_directory(folder() / "out");
    Store::create(sound_, "0.1.0").add(whole_record("a"));
  }
  /// Each command returns a status and, if that is not 0, a reason.
  void read_all(const std::string& what) {
    const std::string results = (folder() / "out").string();
    const auto look = [&](const char* command, int status) {
      EXPECT_THAT(status, AnyOf(kDone, kFailed, kWrongInput)) << command << ": " << what;
      EXPECT_TRUE(status == kDone || err_.find("weir: ") != std::string::npos) << command << ": " << what;
      EXPECT_THAT(out_ + err_, Not(HasSubstr("\x1b"))) << command << ": " << what;
    };
    look("runs", capture([&] { return runs(results); }));
    look("report", capture([&] { return report({results, "/dev/null"}); }));
    look("export", capture([&] { return export_runs({.results = results, .into = (folder() / "into").string()}); }));
  }

  std::filesystem::path sound_ = store_path(folder());
  std::filesystem::path damaged_ = store_path(folder() / "out");
};

TEST_F(DamagedResults, OfAnyColumnAreReadOrRefused) {
  std::size_t tried = 0;
  for (const DamagedColumn& column : columns_of(sound_)) {
    // The fuzzer tests all kDamages, and several at once.
    for (const char* value : {"0", "-9223372036854775808", "9223372036854775807"}) {
      std::filesystem::copy_file(sound_, damaged_, std::filesystem::copy_options::overwrite_existing);
      if (!damage(damaged_, column, value)) continue;
      ++tried;
      read_all(column.table + "." + column.column + " = " + value);
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(tried, 200u);
}

TEST_F(DamagedResults, WithTimesThatNoRunHasAreRefused) {
  for (const auto& [column, value] : {std::pair<DamagedColumn, const char*>{{"runs", "simulated_ps"}, "-1"},
                                      {{"runs", "timeline_interval_ps"}, "0"},
                                      {{"flows", "fct_ps"}, "-9223372036854775808"},
                                      {{"pauses", "end_ps"}, "-1"},
                                      {{"series", "interval_ps"}, "9223372036854775807"},
                                      {{"links", "rate_bits_per_second"}, "0"}}) {
    std::filesystem::copy_file(sound_, damaged_, std::filesystem::copy_options::overwrite_existing);
    ASSERT_TRUE(damage(damaged_, column, value)) << column;
    EXPECT_EQ(capture([&] { return report({(folder() / "out").string(), "/dev/null"}); }), kWrongInput) << column;
    EXPECT_THAT(err_, HasSubstr("results.sqlite: run 1 is damaged: ")) << column;
    EXPECT_THAT(out_, IsEmpty());
  }
}

}  // namespace
}  // namespace weir::apps::damaged_results_test
