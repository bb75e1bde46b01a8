// SPDX-License-Identifier: Apache-2.0
// The results of switches and NICs with real ports as records of runs, for the same store and report as simulations.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/nic_run.h"
#include "apps/real_run.h"
#include "net/topology.h"
#include "results/run_record.h"
#include "sim/series_recorder.h"
#include "store/store.h"
#include "switch/switch.h"
#include "units/time.h"

namespace weir::apps {

/// Queue lengths and gauges of each port over time: the highest of a queue's samples, the mean of a gauge's.
class SwitchSeries {
 public:
  static constexpr Duration kInterval = Duration::picoseconds(1'000'000'000);

  /// `peers`: the name of the node behind each port. `node` outlives it.
  SwitchSeries(const Switch& node, const std::vector<std::string>& peers);
  /// Takes the samples that are due; `now` never decreases. After a gap, the samples missed have the present values.
  void take(Time now) {
    while (now >= next_) sample();
  }
  /// "queued.h0 bytes", "fair_rate.h0 bit/s".
  [[nodiscard]] std::vector<Series> series() const;

 private:
  struct Gauge {
    const SwitchPolicy* policy;
    std::size_t which;
    PortId port;
    std::string name;
    SeriesRecorder values;
  };
  void sample();

  const Switch& node_;
  std::vector<std::string> peers_;
  std::vector<SeriesRecorder> queues_;
  std::vector<Gauge> gauges_;
  Time next_ = Time() + kInterval;
};

/// What identifies a run: the file that configured it.
struct RealRunName {
  std::string title;          ///< of its scenario; empty: `file` stands for it
  std::string file;           ///< name of the configuration
  std::string configuration;  ///< its text
};

/// Reads the configuration again.
RealRunName run_name(const Settings& settings, const std::string& config);

/// The record of a switch. It has the switch, both directions of the links of its ports, and the series. Values that a
/// real switch does not measure are zero: times and sizes of pauses per link, and distributions of the occupancy. The
/// digest is empty, because two runs of real ports are never equal. The variant is the switch's name.
RunRecord record_of(const SwitchReport& report, const Topology& topology, const Switch& node,
                    std::vector<Series> series, const RealRunName& name);

/// The record of the NICs of a process: their messages as flows, and both directions of their links. The variant is
/// "NICs".
RunRecord record_of(const NicsReport& report, const Topology& topology, const RealRunName& name);

/// A folder for the results of one run.
class RealResults {
 public:
  /// Creates the folder, and an empty store in it. Throws StoreError if there is one already or it cannot be written.
  explicit RealResults(const std::string& folder);
  /// Throws StoreError.
  void add(const RunRecord& record) { store_.add(record); }

 private:
  Store store_;
};

}  // namespace weir::apps
