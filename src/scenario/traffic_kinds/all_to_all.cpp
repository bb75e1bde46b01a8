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
  const auto senders = context.names.hosts(reader, "senders", "all", "sources");
  const auto receivers = context.names.hosts(reader, "receivers", "all", "destinations");
  reader.list("weights", settings.weights, "weights of the receivers; if empty, all are equal", at_least(0.0));
  reader.required("bytes_per_sender", settings.bytes_per_sender, "bytes sent per sender and step", above(Bytes()));
  reader.optional("bursts", settings.bursts, "number of equal bursts into which a step is divided",
                  Range<std::uint32_t>{1, 1'000'000, false});
  reader.optional("burst_interval", settings.burst_interval, "interval between the bursts of a step");
  reader.choice<AllToAllSettings::Split>(
      "split", settings.split, kSplits,
      "whether a burst is one flow per receiver (divided), or one flow to a receiver drawn by weight (drawn)");
  reader.optional(
      "keep_local", settings.keep_local,
      "traffic of a sender to itself: true omits it; false distributes it to the other receivers by weight");
  reader.choice<AllToAllSettings::Pace>("pace", settings.pace, kPaces,
                                        "start of the next step: at fixed intervals (periodic), or after the previous "
                                        "step has completed (after_completion)");
  reader.optional("step_interval", settings.step_interval,
                  "interval between steps, or from completion to the next step");
  const auto limit = read_limit(reader, "step_limit", "maximum number of steps");
  reader.optional("jitter", settings.jitter,
                  "each flow starts after its burst by a random time, uniform in [0, jitter]");
  if (!senders || !receivers || settings.bytes_per_sender == Bytes()) return {};
  if (!check_length(reader, context, settings.bytes_per_sender)) return {};
  settings.senders = HostSet(*senders);
  settings.receivers = *receivers;
  settings.step_limit = limit_or_none(limit);
  const auto size = [split = settings.split, bytes = static_cast<double>(settings.bytes_per_sender.count()),
                     bursts = settings.bursts, interval = settings.step_interval,
                     others = std::max<std::size_t>(settings.receivers.size(), 2) - 1](double payload_rate) {
    const double of_step = split == AllToAllSettings::Split::drawn ? bytes
                           : payload_rate > 0                      ? payload_rate / 8 * interval.seconds()
                                                                   : bytes / static_cast<double>(others);
    return FlowSize::fixed(Bytes(std::max<std::int64_t>(1, static_cast<std::int64_t>(of_step / bursts + 0.5))));
  };
  return {.make = maker_of<AllToAllSource>(reader, context, std::move(settings)), .endless = !limit, .size = size};
}

}  // namespace weir
