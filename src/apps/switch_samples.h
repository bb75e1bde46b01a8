// SPDX-License-Identifier: Apache-2.0
// Queue lengths and gauges of a switch with real ports over time, as CSV.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "switch/switch.h"
#include "units/time.h"

namespace weir::apps {

/// Writes one line per port and interval: the time, the port, the bytes queued there, and each gauge of the congestion
/// points, such as a fair rate.
class SwitchSamples {
 public:
  static constexpr Duration kInterval = Duration::picoseconds(10'000'000'000);

  /// Throws std::runtime_error if the file cannot be written.
  SwitchSamples(const std::string& path, const Switch& node);
  /// Takes a sample if one is due.
  void take(Time now) {
    if (now >= next_) write(now);
  }

  /// Writes what is buffered. False: something could not be written, so the file lacks samples.
  bool finish() { return static_cast<bool>(out_.flush()); }

 private:
  void write(Time now);

  const Switch& node_;
  std::ofstream out_;
  Time next_;
};

}  // namespace weir::apps
