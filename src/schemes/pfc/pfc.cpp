// SPDX-License-Identifier: Apache-2.0
#include "schemes/pfc/pfc.h"

#include <cstdint>
#include <memory>

#include "schemes/pfc/pfc_nic.h"
#include "schemes/pfc/pfc_switch.h"
#include "schemes/pfc/settings.h"

namespace weir::pfc {

const Scheme scheme = {
    .name = "pfc",
    .summary = "priority-based flow control (IEEE 802.1Qbb)",
    .traits = {.pfc = true},
    .parameters =
        {
            {.name = "quanta",
             .default_value = std::int64_t{kMaximumPauseQuanta},
             .meaning = "duration of a PAUSE in units of 512 bit times; a PAUSE is refreshed after half of it",
             .source = "802.1Qbb: maximum of the field; switches send this value",
             // Half of it exceeds two jumbo frames, so a repetition arrives in time however it is delayed.
             .minimum = 600,
             .maximum = kMaximumPauseQuanta},
            {.name = "binary",
             .default_value = false,
             .meaning = "a PAUSE lasts until a RESUME arrives, without quanta and refreshes",
             .source = "802.1Qbb has quanta; the public simulators are binary"},
            {.name = "response",
             .default_value = Duration(),
             .meaning = "time from the receipt of a PFC frame until it takes effect",
             .source = "public simulators: immediately",
             .maximum = 1e-5},
        },
    .flow_control = [](const Parameters& parameters) -> std::unique_ptr<FlowControl> {
      return std::make_unique<PfcSwitch>(Settings(parameters));
    },
    .nic_flow_control = [](const Parameters& parameters) -> std::unique_ptr<NicFlowControl> {
      return std::make_unique<PfcNic>(Settings(parameters));
    },
    .pause_response = [](const Parameters& parameters) { return Settings(parameters).response; },
};

}  // namespace weir::pfc
