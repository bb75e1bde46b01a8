// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation.h"

#include "sim/engine.h"

namespace weir {

Simulation::Simulation(const Settings& settings) : engine_(std::make_unique<Engine>(settings)) {}
Simulation::~Simulation() = default;

void Simulation::tap(const std::vector<LinkDirection>& links, WireTap& tap) {
  engine_->tap(links, tap);
}

RunRecord Simulation::run(Progress* progress) {
  return engine_->run(progress);
}

Fabric& Simulation::fabric() {
  return engine_->fabric();
}

}  // namespace weir
