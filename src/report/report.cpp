// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/report_data.h"
#include "report/viewer.h"
#include "results/output_file.h"

namespace weir {
namespace {

/// JSON that can be embedded in a script element: without "</script" and "<!--".
std::string embeddable(const nlohmann::json& data) {
  const std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    // In JSON it can only be part of a string.
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

bool has_report_viewer() {
  return !report_viewer().empty();
}

std::string fill_viewer(std::string_view viewer, const nlohmann::json& data) {
  const std::size_t place = viewer.find(kDataPlace);
  if (place == std::string_view::npos) throw std::logic_error("weir was built without the report viewer");
  std::string page(viewer.substr(0, place));
  page += embeddable(data);
  page += viewer.substr(place + kDataPlace.size());
  return page;
}

std::string report_html(const std::vector<RunRecord>& records, const std::vector<std::string>& missing,
                        const std::vector<RunSummary>& all, const std::vector<ReportPicture>& pictures) {
  nlohmann::json data = report_data(records, missing, kTimelineBytes, all);
  nlohmann::json& drawn = data["pictures"] = nlohmann::json::array();
  for (const ReportPicture& picture : pictures) drawn.push_back({{"file", picture.file}, {"svg", picture.svg}});
  return fill_viewer(report_viewer(), data);
}

std::optional<std::string> write_report(const std::vector<RunRecord>& records, const std::vector<std::string>& missing,
                                        const std::filesystem::path& path, const std::vector<RunSummary>& all,
                                        const std::vector<ReportPicture>& pictures) {
  if (!has_report_viewer()) {
    return path.string() + ": not written: this build has no report viewer (WEIR_REPORT=OFF)";
  }
  OutputFile file(path);
  file.write(report_html(records, missing, all, pictures));
  return file.commit();
}

}  // namespace weir
