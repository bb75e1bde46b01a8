// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/floodgate.h"

#include <cstdint>
#include <memory>
#include <string>

#include "schemes/floodgate/floodgate_nic.h"
#include "schemes/floodgate/floodgate_switch.h"
#include "schemes/floodgate/message.h"
#include "schemes/floodgate/record_table.h"
#include "schemes/floodgate/settings.h"
#include "schemes/floodgate/tag_switch.h"
#include "schemes/floodgate/validation.h"
#include "schemes/floodgate/voq_pool.h"

namespace weir::floodgate {
namespace {

constexpr std::int64_t kMostEntries = (std::int64_t{1} << 23) - 1;
constexpr std::uint16_t kSequenceBytes = 4;

}  // namespace

const Scheme scheme = {
    .name = "floodgate",
    .summary = "Floodgate: per-destination windows between switches, and VOQs for incast",
    .traits = {.claims_own = true, .protocol = kProtocol},
    .fields = {&kSequence},
    .parameters =
        {
            {.name = "variant",
             .default_value = std::string("practical"),
             .meaning = "practical: credits by a timer, windows of m x BDP_nextHop + C_out x T; ideal: one credit per "
                        "packet, windows of m x BDP_nextHop; tag: PFC with tags, without windows",
             .source = "floodgate 4; ideal in 3.2, tag in B",
             .choices = {"practical", "ideal", "tag"}},
            {.name = "priority",
             .default_value = std::int64_t{3},
             .meaning = "priority whose data Floodgate controls",
             .source = "default priority of traffic in Weir",
             .minimum = 0,
             .maximum = kPriorities - 1},
            {.name = "unit",
             .default_value = std::string("packets"),
             .meaning = "unit of windows, credits and PSNs",
             .source = "floodgate 3.2, 4.1, 4.3; the authors' code counts bytes",
             .choices = {"packets", "bytes"}},
            {.name = "window_factor",
             .default_value = 0.0,
             .meaning = "m; 0: 1 (practical) or 1.5 (ideal)",
             .source = "floodgate 4.2, 6; the authors' code has 1.5 in both",
             .maximum = 1e6},
            {.name = "window",
             .default_value = Bytes(0),
             .meaning =
                 "window per destination; 0: by the formula of the variant, with the rate and delay of the next hop",
             .source = "floodgate 4.2: the formula",
             .maximum = 1e9},
            {.name = "window_of",
             .default_value = std::string("destination"),
             .meaning = "scope of a window: a destination over all ports, or a destination per egress port",
             .source = "floodgate 3.2, 7.2: a global window per destination",
             .choices = {"destination", "port"}},
            {.name = "credit_timer",
             .default_value = Duration::picoseconds(10'000'000),
             .meaning = "T, interval between credits to an ingress",
             .source = "floodgate 6, 6.5: 10 us",
             .minimum = 1e-9,
             .maximum = 1},
            {.name = "credit_bytes",
             .default_value = Bytes(0),
             .meaning =
                 "amount owed to an ingress at which its credits are sent immediately; 0: only the timer decides",
             .source = "floodgate 4.1: only a timer; the authors' code also has 10,240 B",
             .maximum = 1e9},
            {.name = "credit_frames",
             .default_value = std::string("destination"),
             .meaning = "one credit frame per destination, or one frame of at most 1.5 KB that lists destinations",
             .source = "floodgate 4.1; the authors' code lists destinations",
             .choices = {"destination", "list"}},
            {.name = "credit_earned",
             .default_value = std::string("departure"),
             .meaning = "when a packet earns its credit: when it leaves the switch (departure), or when it leaves its "
                        "VOQ for the egress queue (voq; at the last hop when it leaves the switch)",
             .source = "floodgate 3.2, 4.1: forwarded packets; 7.2: packets that leave VOQs",
             .choices = {"departure", "voq"}},
            {.name = "delay_credit",
             .default_value = true,
             .meaning = "delayCredit (practical): credits of a destination with a long VOQ are withheld",
             .source = "floodgate 4.1"},
            {.name = "credit_threshold",
             .default_value = Bytes(640'000),
             .meaning = "thre_credit: VOQ length above which the credits of its destination are delayed",
             .source = "floodgate 6, 6.5: 10 BDP",
             .maximum = 1e12,
             .from_network = {.figure = NetworkFigure::bandwidth_delay_product, .factor = 10}},
            {.name = "queues",
             .default_value = std::int64_t{100},
             .meaning = "VOQs per switch",
             .source = "floodgate 6",
             .minimum = 1,
             .maximum = VoqPool::kMostQueues},
            {.name = "groups",
             .default_value = std::int64_t{2},
             .meaning = "groups of VOQs in switches that forward both upwards and downwards between switches: 2, one "
                        "per direction, or 1 for both",
             .source = "floodgate 4.2",
             .minimum = 1,
             .maximum = 2},
            {.name = "pipeline",
             .default_value = std::string("egress"),
             .meaning = "egress: packets move from a VOQ to the egress queue when credits arrive; port: VOQs are "
                        "queues of the port, served after its other packets",
             .source = "floodgate 3.2, 4; port in 7.2",
             .choices = {"egress", "port"}},
            {.name = "recovery",
             .default_value = true,
             .meaning = "PSNs and switchSYN between switches; adds 4 bytes to each data frame",
             .source = "floodgate 4.3"},
            {.name = "syn_timeout",
             .default_value = Duration::picoseconds(1'000'000'000),
             .meaning = "time without credit for sent packets after which a switchSYN is sent",
             .source = "floodgate 4.3: relatively large; the authors' code: 1 ms",
             .minimum = 1e-9,
             .maximum = 10},
            {.name = "pause_destinations",
             .default_value = false,
             .meaning = "whether a first-hop ToR sends dstPause and dstResume to its hosts",
             .source = "floodgate 4.3: optional"},
            {.name = "pause_threshold",
             .default_value = Bytes(0),
             .meaning = "thre_off: VOQ length above which a host is paused; 0: the largest BDP_nextHop of the switch",
             .source = "floodgate 4.3: one-hop BDP",
             .maximum = 1e9},
            {.name = "resume_threshold",
             .default_value = Bytes(0),
             .meaning = "thre_on: VOQ length below which the host is resumed; 0: equal to pause_threshold",
             .source = "floodgate 4.3: one-hop BDP",
             .maximum = 1e9},
            {.name = "pause_timeout",
             .default_value = Duration::picoseconds(1'000'000'000),
             .meaning =
                 "time after which a paused host resumes by itself; if the VOQ is still too long, it is paused again",
             .source = "ours: equal to syn_timeout; the paper does not discuss a lost dstResume",
             .minimum = 1e-9,
             .maximum = 10},
            {.name = "tag_threshold",
             .default_value = Bytes(0),
             .meaning = "tag: length of the last hop's egress queue above which its destination is paused upstream; 0: "
                        "the largest BDP_nextHop of the switch",
             .source = "ours; floodgate B says small, without a number",
             .maximum = 1e9},
            {.name = "tag_queue_threshold",
             .default_value = Bytes(0),
             .meaning =
                 "tag: VOQ length above which its destinations are paused further upstream; 0: equal to tag_threshold",
             .source = "ours; floodgate B: the PFC threshold",
             .maximum = 1e9},
            {.name = "tag_resume",
             .default_value = 0.5,
             .meaning = "tag: fraction of either threshold below which the destinations are resumed",
             .source = "ours; the paper gives no value",
             .maximum = 1},
            {.name = "signal",
             .default_value = std::string("automatic"),
             .meaning = "queue length reported to congestion points. egress: the egress queue plus all VOQ bytes of "
                        "its port. split: the egress queue for packets that were in no VOQ, the bytes of all VOQs for "
                        "others. automatic: split if the length is written into packets, as in HPCC, otherwise egress",
             .source = "floodgate 8",
             .choices = {"automatic", "egress", "split"}},
            {.name = "table",
             .default_value = std::string("exact"),
             .meaning = "windows indexed by destination (exact), or by a hash of it (hashed)",
             .source = "floodgate 4.2; hashed in 7.4",
             .choices = {"exact", "hashed"}},
            {.name = "table_entries",
             .default_value = std::int64_t{0},
             .meaning = "hashed: number of hash values. exact: pairs of a port and an active destination that a switch "
                        "can hold, each for upstream and downstream; 0: all possible pairs, at most 16,384",
             .source = "floodgate 7.4 gives no number",
             .maximum = static_cast<double>(kMostEntries)},
        },
    .flow_control = [](const Parameters& parameters) -> std::unique_ptr<FlowControl> {
      const Settings settings(parameters);
      if (settings.tags) return std::make_unique<TagSwitch>(settings);
      return std::make_unique<FloodgateSwitch>(settings);
    },
    .nic_flow_control = [](const Parameters& parameters) -> std::unique_ptr<NicFlowControl> {
      return std::make_unique<FloodgateNic>(Settings(parameters));
    },
    .errors = errors,
    .warnings = warnings,
    .idle = idle,
    .derived = derived,
    .header_bytes = [](const Parameters& parameters) -> HeaderBytes {
      return {.at_source = Settings(parameters).recovers ? kSequenceBytes : std::uint16_t{0}};
    },
    .announces = [](const Parameters& parameters, bool) { return Settings(parameters).announced(); },
};

}  // namespace weir::floodgate
