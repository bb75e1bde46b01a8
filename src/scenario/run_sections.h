// SPDX-License-Identifier: Apache-2.0
// [scenario], [run], [measure], [routing], [[failure]] and [[weight]]: description, duration, measurements, failure
// detection, failures, and unequal path weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/reader.h"
#include "fabric/settings.h"
#include "scenario/node_names.h"

namespace weir {

/// [scenario].
struct About {
  std::string title;
  std::string question;
  std::vector<std::string> assumed;
};
About read_about_section(Reader section);

/// Returns the time from the change of a link to new routes.
Duration read_routing_section(Reader section);
/// `seeds`: the seeds of the runs; without run.seeds it is the one seed of the settings.
RunSettings read_run_section(Reader section, std::vector<std::uint64_t>& seeds);
MeasurementSettings read_measure_section(Reader section, const NodeNames& names);
std::vector<LinkFailure> read_failures(Reader& root, const NodeNames& names);
std::vector<PortWeight> read_weights(Reader& root, const NodeNames& names);

}  // namespace weir
