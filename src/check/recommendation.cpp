// SPDX-License-Identifier: Apache-2.0
#include "check/recommendation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "check/check_text.h"
#include "config/diagnostics.h"
#include "config/quantity.h"
#include "config/scalar.h"
#include "fabric/fabric.h"
#include "fabric/roles.h"
#include "policy/advice.h"
#include "policy/headroom.h"

namespace weir {
namespace {

std::vector<std::int64_t> lossless_of(const SwitchSettings& switches) {
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < switches.lossless.size(); ++i) {
    if (switches.lossless[i]) out.push_back(static_cast<std::int64_t>(i));
  }
  return out;
}

bool answers_marks(const Settings& settings) {
  const Scheme* control = settings.hosts.congestion_control.scheme;
  return control != nullptr && control->traits.answers_marks;
}

/// The variant for which recommendations are computed. A transport of its own recovers from losses, so that lossless
/// priorities and their thresholds are not for it.
std::optional<std::size_t> advised(const std::vector<ScenarioVariant>& variants) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Settings& settings = variants[i].settings;
    if (lossless_of(settings.switches).empty() || settings.hosts.transport.scheme != nullptr) continue;
    if (answers_marks(settings)) return i;
    if (!found) found = i;
  }
  return found;
}

std::string value_text(const ParameterValue& value) {
  return std::visit([](const auto& v) { return written(v); }, value);
}

/// A slot in scenario syntax: the scheme, and the given values that are not its defaults and have an effect.
std::string slot_text(const Scheme& scheme, const Parameters& parameters) {
  const std::vector<IdleParameter> idle = idle_parameters(scheme, parameters);
  std::string out = fmt::format("{{ scheme = {}", in_quotes(scheme.name));
  for (const auto& [name, value] : parameters.values()) {
    if (!is_changed(scheme, parameters, name)) continue;
    if (std::ranges::find(idle, name, &IdleParameter::parameter) != idle.end()) continue;
    out += fmt::format(", {} = {}", name, value_text(value));
  }
  return out + " }";
}

std::string list_text(const std::vector<std::string>& slots) {
  return fmt::format("[{}]", fmt::join(slots, ", "));
}

std::vector<std::string> slot_texts(const std::vector<PolicyChoice>& choices) {
  std::vector<std::string> out;
  for (const PolicyChoice& choice : choices) {
    if (choice.scheme != nullptr) out.push_back(slot_text(*choice.scheme, choice.parameters));
  }
  return out;
}

/// The first built-in scheme with this property.
template <class Has>
const Scheme* first_scheme(const Has& has) {
  for (const Scheme* scheme : all_schemes()) {
    if (has(*scheme)) return scheme;
  }
  return nullptr;
}

class Recommendation {
 public:
  Recommendation(const ScenarioVariant& variant, const CheckedVariant& checked)
      : settings_(variant.settings), checked_(checked), switches_(variant.settings.switches) {}

  /// nullopt if a buffer is too small.
  std::optional<std::string> text() {
    if (!describe_fabric()) return std::nullopt;
    headroom();
    flow_control();
    buffer_policy();
    marks();
    if (!settings_.switch_groups.empty()) {
      comment("Groups of switches keep their own settings.");
    }
    return out_;
  }

 private:
  void comment(const std::string& line) { out_ += fmt::format("# {}\n", line); }
  void key(std::string_view name, const std::string& value) { out_ += fmt::format("{} = {}\n", name, value); }

  bool describe_fabric() {
    const Topology& topology = settings_.network.topology;
    const std::int64_t largest = maximum_frame_bytes(settings_);
    fabric_.lossless = lossless_of(switches_).size();
    fabric_.maximum_frame = Bytes(largest);
    fabric_.longest_round_trip = checked_.longest_round_trip;
    for (const CheckedSwitches& group : checked_.switches) {
      AdvisedSwitch one;
      one.name = switches_name(topology, group.switches);
      one.ports = group.ports;
      const NodeId node = topology.node_of(group.switches.front());
      std::int64_t headroom = 0;
      std::set<BitRate> rates;
      for (std::size_t port = 0; port < group.ports; ++port) {
        const Link& link = topology.link_at(node, PortId(port));
        rates.insert(link.rate);
        headroom += headroom_bytes({}, link, settings_.network.framing, largest, switches_.pause_response);
      }
      if (group.ports == 0) continue;
      one.rates.assign(rates.begin(), rates.end());
      one.shared = group.buffer - group.reserve - Bytes(headroom) * static_cast<std::int64_t>(fabric_.lossless);
      if (one.shared <= Bytes()) {
        comment(
            fmt::format("No recommendation: the buffer of {} of {} is too small for headroom of {} per lossless "
                        "priority, with {} of them.",
                        to_text(group.buffer), one.name, to_text(Bytes(headroom)), fabric_.lossless));
        too_small_ = true;
        continue;
      }
      fabric_.switches.push_back(std::move(one));
    }
    return !too_small_ && !fabric_.switches.empty();
  }

  void headroom() {
    comment("Headroom per port and lossless priority = frame that crosses xoff + own frame that delays the PFC frame");
    comment("+ PFC frame + 2 x delay x rate + pause response x rate + the neighbour's last frame (the terms of IEEE");
    comment("802.1Qbb, annex O; frames that delay others include preamble and gap). \"computed\" gives each port");
    comment("its own value:");
    std::set<std::pair<BitRate, Duration>> known;
    for (const CheckedHeadroom& port : checked_.headroom) {
      if (!known.emplace(port.rate, port.delay).second) continue;
      const Headroom h = headroom_of({port.rate, port.delay, fabric_.maximum_frame, switches_.pause_response},
                                     settings_.network.framing);
      comment(fmt::format("  {}, {}: {} + {} + {} + {} + {} + {} = {} B", to_text(port.rate), to_text(port.delay),
                          h.crossing_frame.count(), h.own_frame.count(), h.pause_frame.count(), h.in_flight.count(),
                          h.response.count(), h.neighbour_frame.count(), h.total().count()));
    }
    if (switches_.pause_response == Duration()) {
      comment(
          "If neighbours take longer to obey a PAUSE, set switch.pause_response; the headroom increases accordingly.");
    }
    key("switch.lossless", written(lossless_of(switches_)));
    key("switch.headroom", in_quotes("computed"));
    out_ += "\n";
  }

  /// The configured flow control; PFC if there is none.
  void flow_control() {
    std::vector<std::string> slots = slot_texts(switches_.flow_control);
    if (slots.empty()) {
      const Scheme* pfc = first_scheme([](const Scheme& s) { return s.traits.pfc && s.flow_control != nullptr; });
      if (pfc == nullptr) return;
      comment("A lossless priority needs a flow control (IEEE 802.1Qbb).");
      slots.push_back(in_quotes(pfc->name));
    }
    key("switch.flow_control", list_text(slots));
    out_ += "\n";
  }

  Parameters advised_parameters(const Scheme& scheme, const Advice& advice) {
    Parameters parameters(scheme.parameters);
    for (const ParameterAdvice& one : advice.parameters) {
      comment(fmt::format("{} = {}: {}", one.parameter, value_text(one.value), one.formula));
      comment(fmt::format("  source: {}", one.source));
      parameters.set(one.parameter, one.value);
    }
    for (const std::string& line : advice.consequences) comment(line);
    return parameters;
  }
  /// All recommended values are written, even if they equal the default.
  static std::string advised_slot(const Scheme& scheme, const Advice& advice) {
    std::string out = fmt::format("{{ scheme = {}", in_quotes(scheme.name));
    for (const ParameterAdvice& one : advice.parameters)
      out += fmt::format(", {} = {}", one.parameter, value_text(one.value));
    return out + " }";
  }

  void buffer_policy() {
    const Scheme* scheme = find_scheme(scheme_role::kBuffer.default_scheme);
    const Advise advise = scheme == nullptr ? nullptr : advice_of(*scheme);
    if (advise == nullptr) return;
    const Advice advice = advise(fabric_);
    fabric_.share_of_free = advice.share_of_free;
    advised_parameters(*scheme, advice);
    key("switch.buffer_policy", advised_slot(*scheme, advice));
    out_ += "\n";
  }

  void marks() {
    const Scheme* marking = nullptr;
    std::vector<std::string> others;
    for (const PolicyChoice& choice : switches_.congestion_point) {
      if (choice.scheme == nullptr) continue;
      if (choice.scheme->traits.marks && advice_of(*choice.scheme) != nullptr) {
        marking = choice.scheme;
      } else {
        others.push_back(slot_text(*choice.scheme, choice.parameters));
      }
    }
    const bool wanted = marking != nullptr || (answers_marks(settings_) && others.empty());
    if (marking == nullptr) {
      marking = first_scheme([](const Scheme& s) { return s.traits.marks && advice_of(s) != nullptr; });
    }
    if (marking == nullptr) return;
    const Advice advice = advice_of(*marking)(fabric_);
    advised_parameters(*marking, advice);
    if (wanted) {
      others.push_back(advised_slot(*marking, advice));
      key("switch.congestion_point", list_text(others));
    } else {
      comment("For senders that react to ECN marks; those of this scenario do not:");
      comment(fmt::format("switch.congestion_point = [{}]", advised_slot(*marking, advice)));
    }
  }

  const Settings& settings_;
  const CheckedVariant& checked_;
  const SwitchSettings& switches_;
  AdvisedFabric fabric_;
  bool too_small_ = false;
  std::string out_;
};

/// A name that no variant uses.
std::string free_name(const std::vector<ScenarioVariant>& variants) {
  std::string name = "recommended";
  for (int number = 2;; ++number) {
    const bool taken =
        std::any_of(variants.begin(), variants.end(), [&](const ScenarioVariant& v) { return v.name == name; });
    if (!taken) return name;
    name = fmt::format("recommended-{}", number);
  }
}

}  // namespace

std::string recommendation(const std::vector<ScenarioVariant>& variants, const std::vector<CheckedVariant>& checked) {
  const std::optional<std::size_t> number = advised(variants);
  if (!number) {
    for (const ScenarioVariant& variant : variants) {
      const Scheme* transport = variant.settings.hosts.transport.scheme;
      if (transport == nullptr || lossless_of(variant.settings.switches).empty()) continue;
      return fmt::format(
          "# No recommendation: {} has its own loss recovery, and needs no lossless priorities: switch.lossless = "
          "[].\n",
          transport->name);
    }
    return "# No recommendation: no priority is lossless.\n";
  }
  Recommendation advice(variants[*number], checked[*number]);
  const std::optional<std::string> body = advice.text();
  if (!body) return "# No recommendation: headroom takes the whole buffer, or there is no switch.\n";
  std::string out = "# Recommended for this fabric, as a variant: paste it at the end of the scenario.\n";
  if (!variants[*number].name.empty()) out += fmt::format("# Computed for the variant {}.\n", variants[*number].name);
  return out + fmt::format("[variants.{}]\n", free_name(variants)) + *body;
}

}  // namespace weir
