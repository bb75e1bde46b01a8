// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/floodgate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "schemes/floodgate/floodgate_nic.h"
#include "schemes/floodgate/floodgate_switch.h"
#include "schemes/floodgate/message.h"
#include "schemes/floodgate/record_table.h"
#include "schemes/floodgate/settings.h"
#include "schemes/floodgate/tag_switch.h"
#include "schemes/floodgate/voq_pool.h"

namespace weir::floodgate {
namespace {

constexpr std::int64_t kMostEntries = (std::int64_t{1} << 23) - 1;
constexpr std::uint16_t kSequenceBytes = 4;

/// Of windows and credits, which PFC with tags does not have.
constexpr auto kNotOfTags =
    std::to_array<std::string_view>({"unit", "window_factor", "window", "window_of", "credit_timer", "credit_bytes",
                                     "credit_frames", "credit_earned", "delay_credit", "pipeline"});

bool is_default(const Parameters& parameters, std::string_view name) {
  const auto spec = std::find_if(scheme.parameters.begin(), scheme.parameters.end(),
                                 [name](const ParameterSpec& of) { return of.name == name; });
  return std::any_of(parameters.values().begin(), parameters.values().end(),
                     [&](const auto& value) { return value.first == name && value.second == spec->default_value; });
}

// [FLOODGATE-IN-1]
std::vector<std::string> errors(const Parameters& parameters) {
  std::vector<std::string> out;
  if (parameters.get<std::int64_t>("queues") < parameters.get<std::int64_t>("groups")) {
    out.emplace_back("queues is below groups: each group needs a VOQ");
  }
  if (parameters.get<std::string>("table") == "hashed" && parameters.get<std::int64_t>("table_entries") == 0) {
    out.emplace_back("table is \"hashed\": table_entries must say how many entries it has");
  }
  const Bytes pause = parameters.get<Bytes>("pause_threshold");
  if (pause > Bytes() && parameters.get<Bytes>("resume_threshold") > pause) {
    out.emplace_back("resume_threshold is above pause_threshold");
  }
  if (pause == Bytes() && parameters.get<Bytes>("resume_threshold") > Bytes()) {
    out.emplace_back("resume_threshold is set and pause_threshold is not: it must not be above that");
  }
  if (Settings(parameters).tags) {
    for (const std::string_view name : kNotOfTags) {
      if (is_default(parameters, name)) continue;
      out.push_back(std::string(name) + " has no effect on PFC with tags (variant = \"tag\")");
    }
  }
  return out;
}

}  // namespace

const Scheme scheme = {
    .name = "floodgate",
    .summary = "Floodgate: windows per destination between switches, VOQs for incast",
    .traits = {.claims_own = true, .protocol = kProtocol},
    .fields = {&kSequence},
    .parameters =
        {
            {.name = "variant",
             .default_value = std::string("practical"),
             .meaning = "credits by a timer, for windows of m x BDP_nextHop + C_out x T (practical), or a credit per "
                        "packet, for windows of m x BDP_nextHop (ideal), or PFC with tags, without windows (tag)",
             .source = "floodgate 4; 3.2 has the ideal one, B the one with tags",
             .choices = {"practical", "ideal", "tag"}},
            {.name = "priority",
             .default_value = std::int64_t{3},
             .meaning = "whose data is Floodgate's",
             .source = "our traffic's default",
             .minimum = 0,
             .maximum = kPriorities - 1},
            {.name = "unit",
             .default_value = std::string("packets"),
             .meaning = "what windows, credits and PSNs count",
             .source = "floodgate 3.2, 4.1, 4.3; its authors' code counts bytes",
             .choices = {"packets", "bytes"}},
            {.name = "window_factor",
             .default_value = 0.0,
             .meaning = "m; zero: 1 (practical), 1.5 (ideal)",
             .source = "floodgate 4.2, 6; its authors' code has 1.5 in both",
             .maximum = 1e6},
            {.name = "window",
             .default_value = Bytes(0),
             .meaning = "of each destination; zero: by the formula, for the rate and delay of its next hop",
             .source = "floodgate 4.2 has the formula",
             .maximum = 1e9},
            {.name = "window_of",
             .default_value = std::string("destination"),
             .meaning = "what has a window: a destination, over all ports, or a destination at each egress port",
             .source = "floodgate 3.2, 7.2: a global window per destination",
             .choices = {"destination", "port"}},
            {.name = "credit_timer",
             .default_value = Duration::picoseconds(10'000'000),
             .meaning = "T, between credits to one ingress",
             .source = "floodgate 6, 6.5: 10 us",
             .minimum = 1e-9,
             .maximum = 1},
            {.name = "credit_bytes",
             .default_value = Bytes(0),
             .meaning = "owed to an ingress, after which its credits leave at once; zero: only the timer decides",
             .source = "floodgate 4.1 has the timer; its authors' code beside it 10,240 B",
             .maximum = 1e9},
            {.name = "credit_frames",
             .default_value = std::string("destination"),
             .meaning = "a credit frame for each destination, or one that lists destinations, of 1.5 KB at most",
             .source = "floodgate 4.1; its authors' code lists them",
             .choices = {"destination", "list"}},
            {.name = "credit_earned",
             .default_value = std::string("departure"),
             .meaning = "when a packet earns its credit: it leaves the switch, or it joins its egress queue (at the "
                        "last hop always when it leaves)",
             .source = "floodgate 3.2, 4.1: forwarded; 7.2 counts what leaves VOQs",
             .choices = {"departure", "voq"}},
            {.name = "delay_credit",
             .default_value = true,
             .meaning = "delayCredit: credits of a destination with a long VOQ stay owed (practical)",
             .source = "floodgate 4.1"},
            {.name = "credit_threshold",
             .default_value = Bytes(640'000),
             .meaning = "thre_credit: bytes of a VOQ above which credits of its destination are delayed",
             .source = "floodgate 6, 6.5: 10 BDP",
             .maximum = 1e12,
             .from_network = {.figure = NetworkFigure::bandwidth_delay_product, .factor = 10}},
            {.name = "queues",
             .default_value = std::int64_t{100},
             .meaning = "VOQs of a switch",
             .source = "floodgate 6",
             .minimum = 1,
             .maximum = VoqPool::kMostQueues},
            {.name = "groups",
             .default_value = std::int64_t{2},
             .meaning = "of VOQs, where a switch forwards up and down between switches: one for each direction, or "
                        "one for both",
             .source = "floodgate 4.2",
             .minimum = 1,
             .maximum = 2},
            {.name = "pipeline",
             .default_value = std::string("egress"),
             .meaning = "packets of VOQs join the egress queue when credits arrive (egress), or VOQs stay at the port, "
                        "behind the queue of other packets (port)",
             .source = "floodgate 3.2, 4; 7.2 has the other",
             .choices = {"egress", "port"}},
            {.name = "recovery",
             .default_value = true,
             .meaning = "PSNs and switchSYN between switches; 4 bytes of each data frame",
             .source = "floodgate 4.3"},
            {.name = "syn_timeout",
             .default_value = Duration::picoseconds(1'000'000'000),
             .meaning = "without credit for packets that were sent, after which a switchSYN is sent",
             .source = "floodgate 4.3: relatively large; its authors' code: 1 ms",
             .minimum = 1e-9,
             .maximum = 10},
            {.name = "pause_destinations",
             .default_value = false,
             .meaning = "dstPause and dstResume from a first-hop ToR to its hosts",
             .source = "floodgate 4.3: optional"},
            {.name = "pause_threshold",
             .default_value = Bytes(0),
             .meaning = "thre_off: bytes of a VOQ above which a host is paused; zero: the largest BDP_nextHop of the "
                        "switch",
             .source = "floodgate 4.3: one-hop BDP",
             .maximum = 1e9},
            {.name = "resume_threshold",
             .default_value = Bytes(0),
             .meaning = "thre_on: bytes of a VOQ below which it is resumed; zero: as pause_threshold",
             .source = "floodgate 4.3: one-hop BDP",
             .maximum = 1e9},
            {.name = "pause_timeout",
             .default_value = Duration::picoseconds(1'000'000'000),
             .meaning = "after which a host resumes by itself; a VOQ that is still too long pauses it again",
             .source = "ours: as syn_timeout; the paper says nothing of a dstResume that is lost",
             .minimum = 1e-9,
             .maximum = 10},
            {.name = "tag_threshold",
             .default_value = Bytes(0),
             .meaning = "tag: bytes of the last hop's egress queue above which its destination is paused upstream; "
                        "zero: the largest BDP_nextHop of the switch",
             .source = "ours; floodgate B says small, and gives no number",
             .maximum = 1e9},
            {.name = "tag_queue_threshold",
             .default_value = Bytes(0),
             .meaning = "tag: bytes of a VOQ above which its destinations are paused further upstream; zero: as "
                        "tag_threshold",
             .source = "ours; floodgate B: the PFC threshold",
             .maximum = 1e9},
            {.name = "tag_resume",
             .default_value = 0.5,
             .meaning = "tag: the share of either threshold below which they are resumed",
             .source = "ours; the paper gives none",
             .maximum = 1},
            {.name = "signal",
             .default_value = std::string("automatic"),
             .meaning = "what congestion points are told: the egress queue and all VOQ bytes of its port (egress); or "
                        "the egress queue for packets that were in no VOQ, and the bytes of all VOQs for the others "
                        "(split); or split where the length is written into packets, as HPCC does, and egress "
                        "elsewhere (automatic)",
             .source = "floodgate 8",
             .choices = {"automatic", "egress", "split"}},
            {.name = "table",
             .default_value = std::string("exact"),
             .meaning = "windows by destination, or by a hash of it",
             .source = "floodgate 4.2; 7.4 has the hash",
             .choices = {"exact", "hashed"}},
            {.name = "table_entries",
             .default_value = std::int64_t{0},
             .meaning = "hashed: values of the hash. exact: pairs of a port and an active destination that a switch "
                        "knows, upstream and downstream each; zero: all there can be, 16,384 at most",
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
    .header_bytes = [](const Parameters& parameters) -> HeaderBytes {
      return {.at_source = Settings(parameters).recovers ? kSequenceBytes : std::uint16_t{0}};
    },
    .announces = [](const Parameters& parameters, bool) { return Settings(parameters).announced(); },
};

}  // namespace weir::floodgate
