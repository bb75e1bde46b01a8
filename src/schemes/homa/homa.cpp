// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/homa.h"

#include <memory>
#include <string>
#include <vector>

#include "schemes/homa/homa_transport.h"

namespace weir::homa {
namespace {

std::vector<std::string> errors(const Parameters& parameters) {
  const Settings settings(parameters);
  std::vector<std::string> out;
  for (std::size_t i = 1; i < settings.cutoffs.size(); ++i) {
    if (settings.cutoffs[i - 1] < settings.cutoffs[i]) continue;
    out.push_back("cutoffs: " + std::to_string(settings.cutoffs[i].count()) + " bytes follow " +
                  std::to_string(settings.cutoffs[i - 1].count()) + ", expected increasing sizes");  // [HOMA-P-3]
  }
  if (settings.levels() > kPriorities) {
    out.push_back("cutoffs and scheduled_priorities: " + std::to_string(settings.cutoffs.size() + 1) +
                  " unscheduled and " + std::to_string(settings.scheduled) +
                  " scheduled priorities, expected at most " + std::to_string(kPriorities) +
                  " together");  // [HOMA-P-3]
  }
  return out;
}

}  // namespace

const Scheme scheme = {
    .name = "homa",
    .summary = "Homa: one round trip without grants, the rest as receivers grant it, the shortest message first",
    .traits = {.protocol = kProtocol},
    .fields = {&kMessageEnd},
    .parameters =
        {
            {.name = "round_trip_bytes",
             .default_value = Bytes(100'000),
             .meaning = "sent without grants, and the most granted bytes of a message in flight; in whole packets",
             .source = "BFC A.2: one bandwidth-delay product",
             .minimum = 1,
             .maximum = 1e9,
             .from_network = {NetworkFigure::bandwidth_delay_product}},
            {.name = "cutoffs",
             .default_value = std::vector<Bytes>{},
             .meaning = "the largest message of each unscheduled priority except the lowest one; increasing",
             .source = "ours: one unscheduled priority; Homa computes them from the workload",
             .minimum = 1},
            {.name = "scheduled_priorities",
             .default_value = std::int64_t{7},
             .meaning = "priorities of granted packets",
             .source = "HomaSimulation's configuration for the workloads W4 and W5",
             .minimum = 1,
             .maximum = 7},
            {.name = "overcommitment",
             .default_value = std::int64_t{7},
             .meaning = "messages to which a receiver grants at the same time",
             .source = "BFC A.2: the number of scheduled priorities",
             .minimum = 1,
             .maximum = 1'000},
            {.name = "resend_after",
             .default_value = Duration::picoseconds(2'000'000'000),
             .meaning = "silence of a message after which its receiver requests what is missing",
             .source = "Homa: a few milliseconds",
             .minimum = 1e-6},
        },
    .transport = [](const Parameters& parameters) -> std::unique_ptr<Transport> {
      return std::make_unique<HomaTransport>(parameters);
    },
    .errors = errors,
};

}  // namespace weir::homa
