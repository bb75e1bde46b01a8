// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/report_data.h"
#include "report/viewer.h"
#include "results/test_records.h"

namespace weir::report_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kBefore = "<script id=\"data\">";
constexpr std::string_view kAfter = "</script><script>show()</script>";

/// A page without content except the data of a run.
std::string page_of(const RunRecord& record) {
  const std::string viewer = std::string(kBefore) + std::string(kDataPlace) + std::string(kAfter);
  return fill_viewer(viewer, report_data({record}));
}

/// The data embedded in the page, as a browser reads them.
json data_in(const std::string& page) {
  return json::parse(page.substr(kBefore.size(), page.find("</script>") - kBefore.size()));
}

TEST(Report, HoldsItsData) {
  const std::string page = page_of(record_of("b", 40, 0));
  EXPECT_THAT(page, testing::StartsWith(std::string(kBefore)));
  EXPECT_THAT(page, testing::EndsWith(std::string(kAfter)));
  EXPECT_EQ(data_in(page)["runs"][0]["label"], "b");
}

TEST(Report, CannotBeBrokenByWhatItTells) {
  RunRecord record = record_of("</script><script>alert(1)</script><!--", 100, 60);
  const std::string page = page_of(record);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_EQ(data_in(page)["runs"][0]["variant"], record.variant);
}

TEST(Report, TellsTextThatIsNotUtf8) {
  RunRecord record = record_of("a", 100, 60);
  record.failure = "no text: \xFF";
  EXPECT_EQ(data_in(page_of(record))["runs"][0]["failure"], "no text: \uFFFD");
}

TEST(Report, WithoutAViewerIsRefused) {
  EXPECT_THROW((void)fill_viewer("", json()), std::logic_error);
}

TEST(Report, SaysWhyItCouldNotBeWritten) {
  const auto error = write_report({record_of("a", 100, 60)}, {}, "/nowhere/report.html");
  ASSERT_TRUE(error);
  EXPECT_THAT(*error, testing::StartsWith("/nowhere/report.html: "));
}

}  // namespace
}  // namespace weir::report_test
