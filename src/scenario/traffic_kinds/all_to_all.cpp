// SPDX-License-Identifier: Apache-2.0
// Kind "all_to_all".
#include "scenario/traffic_kinds/kinds.h"

#include <utility>

#include "traffic/all_to_all.h"

namespace weir {

TrafficReading read_all_to_all(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  static constexpr Named<AllToAllSettings::Split> kSplits[] = {{"divided", AllToAllSettings::Split::divided},
                                                               {"drawn", AllToAllSettings::Split::drawn}};
  static constexpr Named<AllToAllSettings::Pace> kPaces[] = {
      {"periodic", AllToAllSettings::Pace::periodic}, {"after_completion", AllToAllSettings::Pace::after_completion}};
  AllToAllSettings settings;
  settings.flows = flows;
  const auto senders = context.names.hosts(reader, "senders", "all", "who sends");
  const auto receivers = context.names.hosts(reader, "receivers", "all", "who receives");
  reader.list("weights", settings.weights, "of the receivers; none: all alike", at_least(0.0));
  reader.required("bytes_per_sender", settings.bytes_per_sender, "that each sender sends in a step", above(Bytes()));
  reader.optional("bursts", settings.bursts, "equal parts that a step leaves in",
                  Range<std::uint32_t>{1, 1'000'000, false});
  reader.optional("burst_interval", settings.burst_interval, "between these parts");
  reader.choice<AllToAllSettings::Split>("split", settings.split, kSplits,
                                         "a burst is one flow to each receiver, or one to a receiver drawn by weight");
  reader.optional("keep_local", settings.keep_local, "what a sender would send to itself stays off the network");
  reader.choice<AllToAllSettings::Pace>("pace", settings.pace, kPaces, "when the next step begins");
  reader.optional("step_interval", settings.step_interval, "from step to step, or from completion to step");
  const auto limit = read_limit(reader, "step_limit", "steps in all");
  reader.optional("jitter", settings.jitter, "each flow starts a uniform time in [0, jitter] after its burst");
  if (!senders || !receivers || settings.bytes_per_sender == Bytes()) return {};
  if (!check_length(reader, context, settings.bytes_per_sender)) return {};
  settings.senders = HostSet(*senders);
  settings.receivers = *receivers;
  settings.step_limit = limit_or_none(limit);
  const auto size = [split = settings.split, bytes = static_cast<double>(settings.bytes_per_sender.count()),
                     bursts = settings.bursts, interval = settings.step_interval](double payload_rate) {
    const double of_step = split == AllToAllSettings::Split::drawn ? bytes : payload_rate / 8 * interval.seconds();
    return FlowSize::fixed(Bytes(std::max<std::int64_t>(1, static_cast<std::int64_t>(of_step / bursts + 0.5))));
  };
  return {.make = maker_of<AllToAllSource>(reader, context, std::move(settings)), .endless = !limit, .size = size};
}

}  // namespace weir
