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
    .summary = "Backpressure Flow Control: queues for flows, pauses of the queues upstream",
    .traits = {.claims_own = true, .protocol = kProtocol},
    .fields = {&kUpstreamQueue, &kRemaining},
    .parameters =
        {
            {.name = "queues",
             .default_value = std::int64_t{32},
             .meaning = "for data, of a port or of a class (queues_of)",
             .source = "bfc 6.2.1: 32, as Tofino2 has at 100 Gbit/s",
             .minimum = 1,
             .maximum = kMostQueues},
            {.name = "queues_of",
             .default_value = std::string("port"),
             .meaning = "what has so many queues; those of a port are divided among its classes",
             .source = "bfc 6.2.1: 32 queues per port",
             .choices = {"port", "class"}},
            {.name = "control_queue",
             .default_value = std::string("beside"),
             .meaning = "whether the queue of control frames is one of them (inside), or one more",
             .source = "bfc 3.3.2: it takes one away; the ledger's counts are of data queues",
             .choices = {"beside", "inside"}},
            {.name = "priority",
             .default_value = std::int64_t{3},
             .meaning = "whose data is BFC's; with classes the highest of them",
             .source = "our traffic's default",
             .minimum = 0,
             .maximum = kPriorities - 1},
            {.name = "classes",
             .default_value = std::int64_t{1},
             .meaning = "priorities from that one down; each has queues of its own",
             .source = "bfc 6.2: one; A.3 has four",
             .minimum = 1,
             .maximum = kPriorities},
            {.name = "acknowledgements",
             .default_value = std::string("beside"),
             .meaning =
                 "those of its priorities: in the default queue of their priority, or in queues as flows of their own",
             .source = "ours; Pyrrha's simulator of bfc has them as flows",
             .choices = {"beside", "flows"}},
            {.name = "assignment",
             .default_value = std::string("dynamic"),
             .meaning = "of flows to queues: an empty one, the one a hash names, or one for all",
             .source = "bfc 3.3.1; 6.1 compares the three",
             .choices = {"dynamic", "stochastic", "single"}},
            {.name = "flow_table_factor",
             .default_value = std::int64_t{100},
             .meaning = "entries of the flow table for each queue of the switch",
             .source = "bfc 3.3.1",
             .minimum = 0,
             .maximum = 10'000},
            {.name = "flow_table_entries",
             .default_value = std::int64_t{0},
             .meaning = "of a port, over its classes and pipelines; zero: flow_table_factor for each of its queues",
             .source = "bfc 3.3.1 sizes the table by the queues",
             .maximum = kMostEntries},
            {.name = "pipelines",
             .default_value = std::int64_t{1},
             .meaning = "parts of the flow table, each for the frames of as many of the ingress ports",
             .source = "bfc 6.2.1: a table of 76K entries; Tofino2 has it in four parts (4)",
             .minimum = 1,
             .maximum = 16},
            {.name = "sticky",
             .default_value = 2.0,
             .meaning = "one-hop round trips for which an entry without frames keeps its queue",
             .source = "bfc 3.3.2",
             .maximum = 1'000},
            {.name = "hop_round_trip",
             .default_value = Duration(),
             .meaning = "the one-hop round trip; zero: the longest of the switch's links, with a frame each way",
             .source = "bfc 3.3.2: the maximum over the ingresses",
             .maximum = 1},
            {.name = "threshold",
             .default_value = Duration(),
             .meaning = "the pause threshold is what a queue drains in this time; zero: in a one-hop round trip",
             .source = "bfc 3.3.2",
             .maximum = 1},
            {.name = "refresh",
             .default_value = Duration::picoseconds(20'000'000),
             .meaning = "between bitmaps of what is paused",
             .source = "ours: ten of the paper's round trips; it gives none",
             .maximum = 1},
            {.name = "pauses",
             .default_value = std::string("at_once"),
             .meaning =
                 "when the neighbour hears of one: at once, or by the next bitmap (resumes then send one at once)",
             .source = "bfc 3.3.2; its authors' code has bitmaps only",
             .choices = {"at_once", "bitmap"}},
            {.name = "empty_refresh",
             .default_value = Duration(),
             .meaning = "between looks at which queues are empty; zero: always known",
             .source = "bfc 3.3.1: a bitmap that is kept; Tofino2 refreshes it (4)",
             .maximum = 1},
            {
                .name = "assign_paused",
                .default_value = true,
                .meaning = "an empty queue that is paused may be given to a flow",
                .source = "bfc 3.3.1 speaks of empty queues only",
            },
            {.name = "empty_queue",
             .default_value = std::string("scan"),
             .meaning =
                 "which of the empty queues a flow gets: the first from a random number upwards (scan), any, the "
                 "lowest, or the first behind the one taken last",
             .source = "bfc 3.3.1 says only an empty queue; its authors' code scans",
             .choices = {"scan", "random", "lowest", "rotating"}},
            {.name = "scan_beside",
             .default_value = std::int64_t{0},
             .meaning = "numbers of no queue that a scan may begin at beside the queues': it goes on at the first",
             .source = "ours; bfc's authors' code has 5 of 36",
             .maximum = kMostQueues},
            {.name = "pause_from",
             .default_value = std::int64_t{1},
             .meaning = "frames of its flow in the switch, itself among them, from which on a frame may pause",
             .source = "bfc 3.3.2: each frame may; its authors' code has 2",
             .minimum = 1,
             .maximum = 1'000'000},
            {.name = "sampling",
             .default_value = 1.0,
             .meaning = "the share of frames that are counted and recirculated",
             .source = "bfc 3.3; A.8 has 0.5",
             .minimum = 1e-6,
             .maximum = 1},
            {.name = "nic_queues",
             .default_value = std::int64_t{0},
             .meaning = "of a NIC, for each class; zero: as many as a switch has",
             .source = "the paper gives no number",
             .maximum = kMostQueues},
            {.name = "nic_backpressure",
             .default_value = true,
             .meaning = "NICs have queues and obey pauses",
             .source = "bfc 3.3.2; A.8 has NICs that do not"},
            {.name = "order",
             .default_value = std::string("fair"),
             .meaning =
                 "of a port's queues: deficit round robin, round robin by frames, or by the remaining size of the head "
                 "frame's flow",
             .source = "bfc 3.3.1; its authors' code has by_frames, A.2 shortest_remaining",
             .choices = {"fair", "by_frames", "shortest_remaining"}},
            {.name = "incast_label",
             .default_value = false,
             .meaning = "flows that their application calls an incast share a queue of each port",
             .source = "bfc 3.3; A.7 has it"},
            {.name = "elide",
             .default_value = std::string("valleys"),
             .meaning =
                 "frames that count towards no pause: those that go down a tier and up again; those of the entries "
                 "that break the cycles which routes and failures leave, in any network; or none",
             .source = "bfc 5 and B: what keeps a network free of deadlock",
             .choices = {"valleys", "cycles", "none"}},
            {.name = "gate_fifo",
             .default_value = Bytes(0),
             .meaning = "a FIFO that the queues of a port and class fill, behind their gates; no pause reaches it",
             .source = "bfc 6.1 names small hardware queues and no size",
             .maximum = 1e6},
            {.name = "pause",
             .default_value = std::string("queue"),
             .meaning =
                 "what is paused: the queue upstream, or (ideal, for links without errors) the flow itself, which "
                 "every switch then knows",
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
    .announces = announced_queues,
    .exempt_turns = [](const Parameters& parameters) { return Settings(parameters).exempt; },
};

}  // namespace weir::bfc
