// SPDX-License-Identifier: Apache-2.0
// Means over the samples that a switch with real ports has written.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace weir::apps {

struct SampleSummary {
  struct Port {
    std::size_t samples = 0;
    double mean_queue = 0;     ///< bytes
    double highest_queue = 0;  ///< bytes
    std::vector<double> mean_gauges;
  };
  std::vector<std::string> gauges;  ///< names
  std::map<std::size_t, Port> ports;
};

/// Of the samples from `since` to `until`, in seconds of the switch's clock. Lines that cannot be read are left out.
SampleSummary summary_of_samples(const std::filesystem::path& csv, double since, double until);

}  // namespace weir::apps
