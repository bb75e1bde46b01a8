// [run], [measure], [[failure]] and [[weight]]: how long, what is measured, what breaks, what is uneven.
#pragma once

#include <vector>

#include "fabric/settings.h"
#include "scenario/node_names.h"
#include "scenario/reader.h"

namespace weir {

RunSettings read_run_section(Reader section);
MeasurementSettings read_measure_section(Reader section, const NodeNames& names);
std::vector<LinkFailure> read_failures(Reader& root, const NodeNames& names);
std::vector<PortWeight> read_weights(Reader& root, const NodeNames& names);

}  // namespace weir
