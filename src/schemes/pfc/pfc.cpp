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
             .meaning = "what a PAUSE asks for, in units of 512 bit times; it is repeated after half of that",
             .source = "802.1Qbb: the most the field holds, and what switches send",
             // Half of it exceeds two jumbo frames, so a repetition arrives in time however it is delayed.
             .minimum = 600,
             .maximum = kMaximumPauseQuanta},
            {.name = "binary",
             .default_value = false,
             .meaning = "a PAUSE holds until a RESUME comes: no quanta, no repeats",
             .source = "802.1Qbb has quanta; the public simulators are binary"},
            {.name = "response",
             .default_value = Duration(),
             .meaning = "time from the receipt of a PFC frame to its effect",
             .source = "the public simulators: at once",
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
