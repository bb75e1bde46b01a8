// SPDX-License-Identifier: Apache-2.0
// The results of switches and NICs with real ports as records of runs, for the same store and report as simulations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/nic_run.h"
#include "apps/real_run.h"
#include "net/topology.h"
#include "results/histogram.h"
#include "results/run_record.h"
#include "sim/series_recorder.h"
#include "sim/timeline_recorder.h"
#include "store/store.h"
#include "switch/observer.h"
#include "switch/switch.h"
#include "units/time.h"

namespace weir::apps {

/// What a switch does over time: queue lengths (the highest of the samples) and gauges (their mean) of each port, the
/// use of its buffer, and what its links carry. It also counts the pauses that the switch decides, by link: a pause
/// lasts from the switch's decision until the decision to end it, as the neighbour is not observed.
class SwitchRecorder final : public SwitchObserver {
 public:
  static constexpr Duration kInterval = Duration::picoseconds(1'000'000'000);

  /// `peers`: the name of the node behind each port. Observes `node`, which outlives it.
  SwitchRecorder(Switch& node, const std::vector<std::string>& peers);
  ~SwitchRecorder() override { node_.observe(nullptr); }
  SwitchRecorder(const SwitchRecorder&) = delete;
  SwitchRecorder& operator=(const SwitchRecorder&) = delete;

  /// Takes the samples that are due; `now` never decreases. After a gap, the samples missed have the present values.
  void take(Time now) {
    while (now >= next_) sample();
  }
  /// "queued.h0 bytes", "fair_rate.h0 bit/s".
  [[nodiscard]] std::vector<Series> series() const;
  /// Adds all to the record of the switch, whose run ends at `now`: see record_of(). To be called once.
  void finish(Time now, RunRecord& record);

  void on_pause(const SwitchContext& context, PortId ingress, Priority priority, bool paused) override;
  void on_hop_pause(const SwitchContext& context, PortId ingress, std::uint64_t name, bool paused) override;

 private:
  /// The pauses that the switch has decided for the neighbour of a port.
  struct Pauses {
    std::uint64_t number = 0;
    std::uint32_t in_force = 0;
    Time since;
    Duration length;  // of all that are over
  };
  struct Gauge {
    const SwitchPolicy* policy;
    std::size_t which;
    PortId port;
    std::string name;
    SeriesRecorder values;
  };
  void sample();
  void look();
  void change(Time now, PortId ingress, bool paused);

  Switch& node_;
  std::vector<std::string> peers_;
  std::vector<SeriesRecorder> queues_;
  std::vector<Gauge> gauges_;
  TimelineRecorder timeline_;  // its links are those of the record: both directions of each port, outwards first
  Histogram occupancy_;
  std::vector<Pauses> pauses_;  // by port
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

/// The record of a switch. It has the switch and both directions of the links of its ports; SwitchRecorder::finish()
/// adds what has happened over time. The digest is empty, because two runs of real ports are never equal. The variant
/// is the switch's name.
RunRecord record_of(const SwitchReport& report, const Topology& topology, const Switch& node, const RealRunName& name);

/// The record of the NICs of a process: their messages as flows, and both directions of their links. The variant is
/// "NICs". A message is a victim if it was open while an incast into the rack of its source or destination was.
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
