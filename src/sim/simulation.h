// SPDX-License-Identifier: Apache-2.0
// Driver 1: the event loop.
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

/// One run of one network. Deterministic: the same settings give the same record and digest, whatever is measured and
/// whoever watches.
class Simulation {
 public:
  /// Throws std::invalid_argument when the settings do not make a network (see Fabric), or when a sample, a flow or the
  /// end would lie further ahead than events can: 20 hours with switches of 64 ports, 2.5 hours with 1,024 hosts.
  explicit Simulation(const Settings& settings);
  ~Simulation();

  /// `tap`, which must outlive the run, is told of the frames on these links, each named once. Call it before run().
  void tap(const std::vector<LinkDirection>& links, WireTap& tap);

  /// Runs to the end. Throws std::runtime_error when the machine cannot hold the run (queue pairs, frames), and
  /// std::invalid_argument when it goes on further than events can lie ahead.
  RunRecord run(Progress* progress = nullptr);
  /// The nodes, for looking at them before or after the run.
  [[nodiscard]] Fabric& fabric();

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace weir
