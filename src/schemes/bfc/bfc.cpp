// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/bfc.h"

#include <cstdint>
#include <memory>
#include <string>

#include "schemes/bfc/bfc_nic.h"
#include "schemes/bfc/bfc_switch.h"
#include "schemes/bfc/flow_nic.h"
#include "schemes/bfc/flow_switch.h"
#include "schemes/bfc/free_queues.h"
#include "schemes/bfc/idle_options.h"
#include "schemes/bfc/message.h"
#include "schemes/bfc/settings.h"
#include "schemes/bfc/validation.h"

namespace weir::bfc {
namespace {

constexpr std::int64_t kMostQueues = FreeQueues::kMostQueues;
constexpr std::int64_t kMostEntries = kMostQueues * 10'000;  // per port, as the limit by the factor

/// [BFC-B-8] The number of queues per port that its frames, and pauses to it, may name.
std::uint32_t announced_queues(const Parameters& parameters, bool nic) {
  const Settings settings(parameters);
  if (by_flow(parameters) || (nic && !settings.nic_backpressure)) return 0;
  return static_cast<std::uint32_t>(nic ? settings.queues_of_nic() : settings.queues_of_port());
}

}  // namespace

const Scheme scheme = {
    .name = "bfc",
    .summary = "Backpressure Flow Control: queues per flow, and pauses for individual upstream queues",
    .traits = {.claims_own = true, .protocol = kProtocol},
    .fields = {&kUpstreamQueue, &kRemaining},
    .parameters =
        {
            {.name = "queues",
             .default_value = std::int64_t{32},
             .meaning = "number of data queues per port or per class (see queues_of)",
             .source = "bfc 6.2.1: 32, as in Tofino2 at 100 Gbit/s",
             .minimum = 1,
             .maximum = kMostQueues},
            {.name = "queues_of",
             .default_value = std::string("port"),
             .meaning = "whether queues is the number per port, divided among its classes, or per class",
             .source = "bfc 6.2.1: 32 queues per port",
             .choices = {"port", "class"}},
            {.name = "control_queue",
             .default_value = std::string("beside"),
             .meaning = "whether the queue for control frames is one of these queues (inside) or additional (beside)",
             .source = "bfc 3.3.2: it is one of them; ours, because we take the paper's numbers of queues as numbers "
                       "of data queues",
             .choices = {"beside", "inside"}},
            {.name = "priority",
             .default_value = std::int64_t{3},
             .meaning = "priority whose data BFC controls; with several classes, the highest of them",
             .source = "default priority of traffic in Weir",
             .minimum = 0,
             .maximum = kPriorities - 1},
            {.name = "classes",
             .default_value = std::int64_t{1},
             .meaning = "number of priorities, from `priority` downwards; each has its own queues",
             .source = "bfc 6.2: one; A.3 uses four",
             .minimum = 1,
             .maximum = kPriorities},
            {.name = "acknowledgements",
             .default_value = std::string("beside"),
             .meaning = "queueing of acknowledgements of these priorities: in the default queue of their priority "
                        "(beside), or assigned to queues as separate flows (flows)",
             .source = "ours; Pyrrha's simulator of BFC treats them as flows",
             .choices = {"beside", "flows"}},
            {.name = "assignment",
             .default_value = std::string("dynamic"),
             .meaning = "assignment of flows to queues: to an empty queue (dynamic), by a hash (stochastic), or all to "
                        "one queue (single)",
             .source = "bfc 3.3.1; 6.1 compares the three",
             .choices = {"dynamic", "stochastic", "single"}},
            {.name = "flow_table_factor",
             .default_value = std::int64_t{100},
             .meaning = "flow-table entries per queue of the switch",
             .source = "bfc 3.3.1",
             .minimum = 0,
             .maximum = 10'000},
            {.name = "flow_table_entries",
             .default_value = std::int64_t{0},
             .meaning = "flow-table entries per port, over its classes and pipelines; 0: flow_table_factor per queue",
             .source = "bfc 3.3.1 sizes the table by the queues",
             .maximum = kMostEntries},
            {.name = "pipelines",
             .default_value = std::int64_t{1},
             .meaning = "number of parts of the flow table; each serves an equal share of the ingress ports",
             .source = "bfc 6.2.1: one table of 76K entries; in Tofino2 it has four parts (4)",
             .minimum = 1,
             .maximum = 16},
            {.name = "sticky",
             .default_value = 2.0,
             .meaning = "number of one-hop round-trip times for which an entry without frames keeps its queue",
             .source = "bfc 3.3.2",
             .maximum = 1'000},
            {.name = "hop_round_trip",
             .default_value = Duration(),
             .meaning =
                 "one-hop round-trip time; 0: the longest of the switch's links, including a frame in each direction",
             .source = "bfc 3.3.2: the maximum over the ingresses",
             .maximum = 1},
            {.name = "threshold",
             .default_value = Duration(),
             .meaning =
                 "the pause threshold is the amount that a queue drains in this time; 0: in a one-hop round-trip time",
             .source = "bfc 3.3.2",
             .maximum = 1},
            {.name = "refresh",
             .default_value = Duration::picoseconds(20'000'000),
             .meaning = "interval between bitmaps of paused queues",
             .source = "ours: ten round-trip times of the paper, which gives no value",
             .maximum = 1},
            {.name = "pauses",
             .default_value = std::string("at_once"),
             .meaning = "when the neighbour is notified of a pause: immediately (at_once), or with the next bitmap "
                        "(bitmap; a resume then sends one immediately)",
             .source = "bfc 3.3.2; the authors' code has bitmaps only",
             .choices = {"at_once", "bitmap"}},
            {.name = "empty_refresh",
             .default_value = Duration(),
             .meaning = "interval at which the set of empty queues is refreshed; 0: always current",
             .source = "bfc 3.3.1: a current bitmap; Tofino2 refreshes it (4)",
             .maximum = 1},
            {
                .name = "assign_paused",
                .default_value = true,
                .meaning = "whether an empty queue that is paused may be assigned to a flow",
                .source = "bfc 3.3.1 requires only that the queue is empty",
            },
            {.name = "empty_queue",
             .default_value = std::string("scan"),
             .meaning = "choice among the empty queues: the first at or after a random number (scan), a random one "
                        "(random), the lowest (lowest), or the first after the one assigned last (rotating)",
             .source = "bfc 3.3.1 says only an empty queue; the authors' code scans",
             .choices = {"scan", "random", "lowest", "rotating"}},
            {.name = "scan_beside",
             .default_value = std::int64_t{0},
             .meaning = "number of additional start positions of a scan that belong to no queue; a scan that starts "
                        "there continues at the first queue",
             .source = "ours; the authors' code has 5 of 36",
             .maximum = kMostQueues},
            {.name = "pause_from",
             .default_value = std::int64_t{1},
             .meaning = "a frame may cause a pause only if at least this many frames of its flow, including itself, "
                        "are in the switch",
             .source = "bfc 3.3.2: each frame may; the authors' code has 2",
             .minimum = 1,
             .maximum = 1'000'000},
            {.name = "sampling",
             .default_value = 1.0,
             .meaning = "fraction of frames that are counted and recirculated",
             .source = "bfc 3.3; A.8 uses 0.5",
             .minimum = 1e-6,
             .maximum = 1},
            {.name = "nic_queues",
             .default_value = std::int64_t{0},
             .meaning = "queues per NIC and class; 0: as many as a switch has",
             .source = "the paper gives no number",
             .maximum = kMostQueues},
            {.name = "nic_backpressure",
             .default_value = true,
             .meaning = "whether NICs have queues and obey pauses",
             .source = "bfc 3.3.2; in A.8 NICs do not"},
            {.name = "order",
             .default_value = std::string("fair"),
             .meaning = "scheduling of a port's queues: deficit round robin (fair), round robin per frame (by_frames), "
                        "or by the remaining size of the head frame's flow (shortest_remaining)",
             .source = "bfc 3.3.1; the authors' code has by_frames, A.2 shortest_remaining",
             .choices = {"fair", "by_frames", "shortest_remaining"}},
            {.name = "incast_label",
             .default_value = false,
             .meaning = "whether flows that their application labels as an incast share one queue per port",
             .source = "bfc 3.3; A.7 uses it"},
            {.name = "elide",
             .default_value = std::string("valleys"),
             .meaning = "turns whose frames count towards no pause: those from a higher tier back up (valleys); a set "
                        "that breaks all cycles of the routes, in any network (cycles); or none",
             .source = "bfc 5 and B: this prevents deadlocks",
             .choices = {"valleys", "cycles", "none"}},
            {.name = "gate_fifo",
             .default_value = Bytes(0),
             .meaning = "size of a FIFO per port and class, fed by the queues behind their gates; pauses do not apply "
                        "to it; 0: none",
             .source = "bfc 6.1 mentions small hardware queues without a size",
             .maximum = 1e6},
            {.name = "pause",
             .default_value = std::string("queue"),
             .meaning = "what a pause applies to: the upstream queue, or the flow itself (ideal: switches have state "
                        "per flow; requires links without errors)",
             .source = "bfc 3.3.2",
             .choices = {"queue", "flow"}},
        },
    .flow_control = [](const Parameters& parameters) -> std::unique_ptr<FlowControl> {
      if (by_flow(parameters)) return std::make_unique<FlowSwitch>(Settings(parameters));
      return std::make_unique<BfcSwitch>(Settings(parameters));
    },
    .nic_flow_control = [](const Parameters& parameters) -> std::unique_ptr<NicFlowControl> {
      if (by_flow(parameters)) return std::make_unique<FlowNic>(Settings(parameters));
      return std::make_unique<BfcNic>(Settings(parameters));
    },
    .errors = errors,
    .refusals = refusals,
    .warnings = warnings,
    .idle = idle_options,
    .announces = announced_queues,
    .exempt_turns = [](const Parameters& parameters) { return Settings(parameters).exempt; },
};

}  // namespace weir::bfc
