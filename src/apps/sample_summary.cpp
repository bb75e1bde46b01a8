// SPDX-License-Identifier: Apache-2.0
#include "apps/sample_summary.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace weir::apps {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) out.push_back(field);
  return out;
}

bool read(const std::string& text, double& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

SampleSummary summary_of_samples(const std::filesystem::path& csv, double since, double until) {
  constexpr std::size_t kFixed = 3;  // time, port, queue
  SampleSummary out;
  std::ifstream in(csv);
  std::string line;
  if (!std::getline(in, line)) return out;
  const std::vector<std::string> names = fields_of(line);
  if (names.size() < kFixed) return out;
  out.gauges.assign(names.begin() + kFixed, names.end());
  while (std::getline(in, line)) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != names.size()) continue;
    std::vector<double> values(fields.size());
    bool good = true;
    for (std::size_t i = 0; i < fields.size(); ++i) good &= read(fields[i], values[i]);
    if (!good || values[0] < since || values[0] > until) continue;
    SampleSummary::Port& port = out.ports[static_cast<std::size_t>(values[1])];
    port.mean_gauges.resize(out.gauges.size());
    ++port.samples;
    port.mean_queue += values[2];
    port.highest_queue = std::max(port.highest_queue, values[2]);
    for (std::size_t i = 0; i < out.gauges.size(); ++i) port.mean_gauges[i] += values[kFixed + i];
  }
  for (auto& [number, port] : out.ports) {
    port.mean_queue /= static_cast<double>(port.samples);
    for (double& gauge : port.mean_gauges) gauge /= static_cast<double>(port.samples);
  }
  return out;
}

}  // namespace weir::apps
