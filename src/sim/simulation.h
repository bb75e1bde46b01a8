// SPDX-License-Identifier: Apache-2.0
// The first driver: the event loop.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/settings.h"
#include "fabric/wire_tap.h"
#include "results/run_record.h"
#include "sim/progress.h"

namespace weir {

class Engine;
class Fabric;

/// One run of one network. Deterministic: the same settings give the same record and digest, independent of measurement
/// and observers.
class Simulation {
 public:
  /// Throws std::invalid_argument if the settings do not make a network (see Fabric), or if a sample, a flow or the end
  /// is beyond the range of events: 20 hours with switches of 64 ports, 2.5 hours with 1,024 hosts.
  explicit Simulation(const Settings& settings);
  ~Simulation();

  /// Calls `tap`, which must outlive the run, for the frames on these links, each named once. To be called before
  /// run().
  void tap(const std::vector<LinkDirection>& links, WireTap& tap);

  /// Runs to the end. Throws std::runtime_error if the machine cannot hold the run (queue pairs, frames), and
  /// std::invalid_argument if it continues beyond the range of events.
  RunRecord run(Progress* progress = nullptr);
  /// The nodes, for inspection before or after the run.
  [[nodiscard]] Fabric& fabric();

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace weir
