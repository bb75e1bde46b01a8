// SPDX-License-Identifier: Apache-2.0
#include "results/csv_summary.h"

#include <fmt/format.h>

#include <string>

#include "results/csv_field.h"
#include "results/quantities.h"

namespace weir {

void write_csv_summary(const RunSummary& summary, OutputFile& file) {
  const std::string run =
      fmt::format("{},{},{}", csv_field(summary.scenario), csv_field(summary.variant), summary.seed);
  file.write("scenario,variant,seed,of,size,quantity,unit,value\n");
  for_each_value(summary, [&](const SummaryValue& value) {
    file.write(fmt::format("{},{},{},{},{},{}\n", run, csv_field(value.of), csv_field(value.size), value.quantity,
                           value.unit, value.number ? std::string(value.text) : csv_field(value.text)));
  });
}

}  // namespace weir
