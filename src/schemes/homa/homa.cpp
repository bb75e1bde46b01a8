// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/homa.h"

#include <memory>

#include "schemes/homa/homa_transport.h"
#include "schemes/homa/message.h"
#include "schemes/homa/settings.h"
#include "schemes/homa/validation.h"

namespace weir::homa {

const Scheme scheme = {
    .name = "homa",
    .summary = "Homa: a round trip without grants, the rest as receivers grant it, the shortest messages first",
    .traits = {.header_bytes = kMessageEnd.bytes, .protocol = kProtocol, .to_hosts = ControlSource::hosts},
    .fields = {&kMessageEnd},
    .parameters =
        {
            {.name = "round_trip_bytes",
             .default_value = Bytes(100'000),
             .meaning = "payload of a message that is sent without grants, and the most that is granted ahead of what "
                        "has arrived; in whole packets",
             .source = "Homa section 3; BFC A.2: one bandwidth-delay product",
             .minimum = 1,
             .maximum = 1e9,
             .from_network = {.figure = NetworkFigure::bandwidth_delay_product}},
            {.name = "cutoffs",
             .default_value = std::vector<Bytes>{},
             .meaning = "largest message of each unscheduled priority except the lowest of them; increasing",
             .source = "Homa section 3.4: unscheduled priorities carry the same number of bytes",
             .minimum = 1,
             .from_traffic = true},
            {.name = "scheduled_priorities",
             .default_value = std::int64_t{7},
             .meaning = "priorities of granted packets",
             .source = "Homa section 3.4; BFC A.2: in proportion to the scheduled bytes",
             .minimum = 1,
             .maximum = 7,
             .from_traffic = true},
            {.name = "overcommitment",
             .default_value = std::int64_t{7},
             .meaning = "messages, of different senders, to which a receiver grants at the same time",
             .source = "BFC A.2: the number of scheduled priorities",
             .minimum = 1,
             .maximum = 1'000,
             .from_traffic = true},
            {.name = "resend_after",
             .default_value = Duration::picoseconds(2'000'000'000),
             .meaning =
                 "silence after which a receiver requests missing packets, and a sender asks whether its message "
                 "has arrived",
             .source = "Homa section 3.7: a few milliseconds",
             .minimum = 1e-6,
             .maximum = 10},
        },
    .transport = [](const Parameters& parameters) -> std::unique_ptr<Transport> {
      return std::make_unique<HomaTransport>(Settings(parameters));
    },
    .from_traffic = from_traffic,
    .errors = errors,
    .warnings = warnings,
};

}  // namespace weir::homa
