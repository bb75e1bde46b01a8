// SPDX-License-Identifier: Apache-2.0
#include "apps/scenario_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "analysis/forms.h"
#include "apps/console.h"
#include "results/output_file.h"

namespace weir::apps {
namespace {

bool has_values(const analysis::Chart& chart) {
  return std::any_of(chart.curves.begin(), chart.curves.end(), [](const analysis::Curve& curve) {
    return std::any_of(curve.points.begin(), curve.points.end(),
                       [](const analysis::Point& point) { return std::isfinite(point.y); });
  });
}

}  // namespace

bool write_pictures(ScenarioPictures& pictures, const std::filesystem::path& folder) {
  std::vector<std::string> failures;
  bool good = true;
  for (const analysis::Chart& chart : pictures.draw(failures)) {
    if (!has_values(chart)) {
      print_diagnostic(
          fmt::format("note: picture \"{}\": not drawn, because the runs have no values for it", chart.title));
      continue;
    }
    OutputFile file(folder / (chart.name + ".svg"));
    file.write(analysis::to_svg(chart));
    if (auto error = file.commit()) failures.push_back(std::move(*error));
  }
  for (const std::string& failure : failures) {
    print_diagnostic(fmt::format("weir: {}", failure));
    good = false;
  }
  return good;
}

}  // namespace weir::apps
