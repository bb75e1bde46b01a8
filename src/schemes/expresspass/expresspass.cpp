// SPDX-License-Identifier: Apache-2.0
#include "schemes/expresspass/expresspass.h"

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "schemes/expresspass/credit_switch.h"
#include "schemes/expresspass/expresspass_transport.h"
#include "schemes/expresspass/message.h"
#include "schemes/usual_warnings.h"

namespace weir::expresspass {
namespace {

// [XPASS-F-5]
std::vector<std::string> errors(const Parameters& parameters) {
  const Settings settings(parameters);
  std::vector<std::string> out;
  const auto text = [](double value) {
    std::ostringstream number;
    number << value;
    return number.str();
  };
  if (settings.initial_weight < settings.minimum_weight) {
    out.push_back("initial_weight is " + text(settings.initial_weight) +
                  ", expected at least minimum_weight, which is " + text(settings.minimum_weight));
  }
  if (settings.initial_weight > settings.maximum_weight) {
    out.push_back("initial_weight is " + text(settings.initial_weight) +
                  ", expected at most maximum_weight, which is " + text(settings.maximum_weight));
  }
  return out;
}

// [XPASS-P-2] Credits already keep queues short, and pauses hold up credits and packets of other receivers.
void warn_of_pauses(const SwitchView& at, const HostView& hosts, std::vector<std::string>& out) {
  const auto runs = [](const SchemeInUse& one) {
    return one.scheme->flow_control != nullptr && one.scheme->traits.pfc;
  };
  const auto pausing = std::find_if(at.flow_control.begin(), at.flow_control.end(), runs);
  if (pausing == at.flow_control.end()) return;
  std::set<Priority> used = hosts.offered;
  used.insert(kCreditPriority);
  for (const Priority priority : used) {
    if (!at.lossless[priority]) continue;
    out.push_back("\"" + std::string(pausing->scheme->name) + "\" pauses priority " + std::to_string(priority) +
                  ", although credits keep queues short; a pause holds up what other receivers have granted; expected "
                  "switch.lossless without it, or switch.flow_control without \"" +
                  std::string(pausing->scheme->name) + "\"");
  }
}

// [XPASS-S-3] [XPASS-F-7]
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around) {
  std::vector<std::string> out;
  if (around.at_switch) {
    warn_of_pauses(*around.at_switch, around.hosts, out);
    return out;
  }
  const Settings settings(parameters);
  warn_of_short_timeout("timeout", settings.timeout, around.network, "requests are repeated although none is lost",
                        out);
  warn_of_short_timeout("initial_round_trip", settings.initial_round_trip, around.network,
                        "receivers may slow down before data can arrive", out);
  return out;
}

std::vector<IdleParameter> idle(const Parameters& parameters) {
  if (!Settings(parameters).feedback_of_paper) return {};
  return {{"weight_step", "feedback = \"paper\""}};
}

}  // namespace

// [XPASS-P-1] Paths are symmetric.
const Scheme scheme = {
    .name = "expresspass",
    .summary = "ExpressPass: receivers send credits, one per packet, and ports limit the rate of credits",
    .traits = {.header_bytes = kHeaderBytes,
               .protocol = kProtocol,
               .to_hosts = ControlSource::hosts,
               .needs_symmetric_paths = true},
    .fields = {&kCreditNumber, &kCreditTime},
    .parameters =
        {
            {.name = "alpha",
             .default_value = 0.5,
             .meaning = "initial rate of credits, as a fraction of the maximum",
             .source = "ns2-xpass; BFC 6.2.1",
             .minimum = 0.001,
             .maximum = 1,
             .roles = {Role::transport}},
            {.name = "initial_weight",
             .default_value = 0.0625,
             .meaning = "w_init, the aggressiveness of increases at the start",
             .source = "BFC 6.2.1",
             .minimum = 0,
             .maximum = 1,
             .roles = {Role::transport}},
            {.name = "minimum_weight",
             .default_value = 0.01,
             .meaning = "w_min",
             .source = "ns2-xpass",
             .minimum = 0,
             .maximum = 1,
             .roles = {Role::transport}},
            {.name = "maximum_weight",
             .default_value = 0.5,
             .meaning = "w_max",
             .source = "ns2-xpass",
             .minimum = 0,
             .maximum = 1,
             .roles = {Role::transport}},
            {.name = "weight_step",
             .default_value = 0.05,
             .meaning = "increase of w per round trip without excess loss; not used by the paper's feedback",
             .source = "ns2-xpass",
             .minimum = 0,
             .maximum = 1,
             .roles = {Role::transport}},
            {.name = "target_loss",
             .default_value = 0.125,
             .meaning = "credit loss above which the rate decreases. ns2: this value at rate zero, falling linearly to "
                        "0 at the maximum rate. paper: this value at every rate",
             .source = "ns2-xpass",
             .minimum = 0,
             .maximum = 1,
             .roles = {Role::transport}},
            {.name = "feedback",
             .default_value = std::string("ns2"),
             .meaning = "the feedback control of the authors' simulator ns2-xpass, or algorithm 1 of the paper",
             .source = "our choice: what the authors of BFC used",
             .choices = {"ns2", "paper"},
             .roles = {Role::transport}},
            {.name = "jitter",
             .default_value = 0.1,
             .meaning = "maximum relative deviation of the time between two credits",
             .source = "ns2-xpass",
             .minimum = 0,
             .maximum = 0.9,
             .roles = {Role::transport}},
            {.name = "small_flow",
             .default_value = std::int64_t{40},
             .meaning = "backlog in packets below which the initial rate is reduced in proportion; 0: never",
             .source = "ns2-xpass",
             .minimum = 0,
             .maximum = 1e6,
             .roles = {Role::transport}},
            {.name = "early_stop",
             .default_value = true,
             .meaning = "whether a sender stops credits as soon as those in flight suffice",
             .source = "ns2-xpass",
             .roles = {Role::transport}},
            {.name = "timeout",
             .default_value = Duration::picoseconds(100'000'000),
             .meaning = "time after which a NACK, or a request without credits, is repeated, and after which a "
                        "sender without an acknowledgement requests credits again",
             .source = "BFC's scripts for ns2-xpass, for large networks",
             .minimum = 1e-6,
             .maximum = 1,
             .roles = {Role::transport}},
            {.name = "initial_round_trip",
             .default_value = Duration::picoseconds(8'000'000),
             .meaning = "the round trip that a receiver assumes until the first packet of a sender has arrived",
             .source = "our choice; the feedback works in round trips, and none is measured yet",
             .minimum = 1e-9,
             .maximum = 1,
             .from_network = {.figure = NetworkFigure::round_trip},
             .roles = {Role::transport}},
            {.name = "credit_buffer",
             .default_value = std::int64_t{8},
             .meaning = "size of a port's credit queue, in credits; BFC has 16",
             .source = "BFC's scripts for ns2-xpass",
             .minimum = 1,
             .maximum = 1'000},
            {.name = "credit_burst",
             .default_value = std::int64_t{2},
             .meaning = "depth of the token bucket of a port's credit queue, in credits",
             .source = "BFC's scripts for ns2-xpass",
             .minimum = 1,
             .maximum = 1'000},
        },
    .flow_control = [](const Parameters& parameters) -> std::unique_ptr<FlowControl> {
      return std::make_unique<CreditSwitch>(parameters);
    },
    .transport = [](const Parameters& parameters) -> std::unique_ptr<Transport> {
      return std::make_unique<ExpressPassTransport>(parameters);
    },
    .errors = errors,
    .warnings = warnings,
    .idle = idle,
};

}  // namespace weir::expresspass
