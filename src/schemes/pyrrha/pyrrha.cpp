// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/pyrrha.h"

#include <memory>
#include <string>

#include "schemes/pyrrha/message.h"
#include "schemes/pyrrha/pyrrha_nic.h"
#include "schemes/pyrrha/pyrrha_switch.h"
#include "schemes/pyrrha/settings.h"
#include "schemes/pyrrha/validation.h"

namespace weir::pyrrha {
const Scheme scheme = {
    .name = "pyrrha",
    .summary = "Pyrrha: pauses by congestion root, isolation queues in levels",
    .traits = {.claims_own = true, .protocol = kProtocol},
    .parameters =
        {
            {.name = "priority",
             .default_value = std::int64_t{3},
             .meaning = "priority whose data Pyrrha manages",
             .source = "ours: the default priority of traffic",
             .minimum = 0,
             .maximum = kPriorities - 1},
            {.name = "pause_factor",
             .default_value = 2.0,
             .meaning = "K_pause, in one-hop BDPs (egress rate x 2 x propagation delay of the ingress link)",
             .source = "pyrrha 6: 2",
             .maximum = 1e6},
            {.name = "resume_factor",
             .default_value = 1.0,
             .meaning = "K_resume, in one-hop BDPs",
             .source = "pyrrha 6: 1",
             .maximum = 1e6},
            {.name = "queues",
             .default_value = std::int64_t{100},
             .meaning = "isolation queues per port, over all levels",
             .source = "pyrrha 6: 100",
             .minimum = static_cast<double>(kMostLevels),
             .maximum = 1000},
            {.name = "known_roots",
             .default_value = std::int64_t{1024},
             .meaning = "downstream roots that a switch can know, over all ports; pauses for further roots are ignored",
             .source = "ours; the table of pyrrha E.2 has a bit for every port of the network",
             .minimum = 1,
             .maximum = 1 << 20},
            {.name = "flows",
             .default_value = std::int64_t{2048},
             .meaning = "flows with isolated packets that a switch can keep in order when routes change",
             .source = "ours",
             .minimum = 1,
             .maximum = 1 << 20},
            {.name = "merging",
             .default_value = true,
             .meaning = "whether a root merges into another root for which its port is paused",
             .source = "pyrrha 4.1; B.1 evaluates it without"},
            {.name = "tiers",
             .default_value = std::int64_t{0},
             .meaning = "0: isolation queues in levels, one per distance to the root; 1: one tier, with one queue per "
                        "set of roots; it considers only roots at most two hops from the destination",
             .source = "pyrrha 4.3; C, D.2 and 5.1 for one tier",
             .minimum = 0,
             .maximum = 1},
            {.name = "roots",
             .default_value = std::string("all"),
             .meaning = "which ports can be roots: all, or only those to hosts (last_hop), for forwarding that other "
                        "switches cannot predict",
             .source = "pyrrha 4.2: spraying and DRILL with the last hop only",
             .choices = {"all", "last_hop"}},
            {.name = "pause_hosts",
             .default_value = true,
             .meaning = "whether NICs are paused per root",
             .source = "pyrrha 4.4: better with"},
            {.name = "signal",
             .default_value = std::string("queue"),
             .meaning = "queue length reported to congestion points: that of the isolation queue for packets that were "
                        "in one, otherwise that of the output queue (queue); or always that of the output queue "
                        "(output)",
             .source = "pyrrha 6.2.2",
             .choices = {"queue", "output"}},
        },
    .flow_control = [](const Parameters& parameters) -> std::unique_ptr<FlowControl> {
      return PyrrhaSwitch::make(Settings(parameters));
    },
    .nic_flow_control = [](const Parameters& parameters) -> std::unique_ptr<NicFlowControl> {
      return std::make_unique<PyrrhaNic>(Settings(parameters));
    },
    .errors = errors,
    .warnings = warnings,
};

}  // namespace weir::pyrrha
