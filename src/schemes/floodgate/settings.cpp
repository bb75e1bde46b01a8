// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/settings.h"

#include <algorithm>
#include <string>

#include "policy/flow_hash.h"

namespace weir::floodgate {
namespace {

std::size_t count(const Parameters& parameters, std::string_view name) {
  return static_cast<std::size_t>(parameters.get<std::int64_t>(name));
}

bool is(const Parameters& parameters, std::string_view name, std::string_view choice) {
  return parameters.get<std::string>(name) == choice;
}

}  // namespace

Settings::Settings(const Parameters& parameters)
    : per_packet(is(parameters, "variant", "ideal")),
      tags(is(parameters, "variant", "tag")),
      priority(static_cast<Priority>(parameters.get<std::int64_t>("priority"))),
      counts_bytes(is(parameters, "unit", "bytes")),
      window_factor(parameters.get<double>("window_factor")),
      window(parameters.get<Bytes>("window")),
      window_of_port(is(parameters, "window_of", "port")),
      credit_timer(parameters.get<Duration>("credit_timer")),
      credit_bytes(parameters.get<Bytes>("credit_bytes")),
      lists(is(parameters, "credit_frames", "list")),
      earned_in_queue(is(parameters, "credit_earned", "voq")),
      delays_credit(parameters.get<bool>("delay_credit")),
      credit_threshold(parameters.get<Bytes>("credit_threshold")),
      queues(count(parameters, "queues")),
      groups(count(parameters, "groups")),
      pipeline(is(parameters, "pipeline", "port") ? Pipeline::port : Pipeline::egress),
      recovers(parameters.get<bool>("recovery")),
      syn_timeout(parameters.get<Duration>("syn_timeout")),
      pauses_hosts(parameters.get<bool>("pause_destinations")),
      pause_threshold(parameters.get<Bytes>("pause_threshold")),
      resume_threshold(parameters.get<Bytes>("resume_threshold")),
      pause_timeout(parameters.get<Duration>("pause_timeout")),
      tag_threshold(parameters.get<Bytes>("tag_threshold")),
      tag_queue_threshold(parameters.get<Bytes>("tag_queue_threshold")),
      tag_resume(parameters.get<double>("tag_resume")),
      signal(is(parameters, "signal", "split")    ? Signal::split
             : is(parameters, "signal", "egress") ? Signal::egress
                                                  : Signal::automatic),
      hashed(is(parameters, "table", "hashed") ? static_cast<std::uint32_t>(count(parameters, "table_entries")) : 0),
      table_entries(count(parameters, "table_entries")) {
  if (window_factor == 0) window_factor = per_packet ? 1.5 : 1;  // [FLOODGATE-W-1]
  if (tags) recovers = false;                                    // nothing is charged
}

std::uint32_t Settings::name_of(HostId destination) const {
  if (hashed == 0) return destination.value;
  return ~detail::crc32(~0u, destination.value, 4) % hashed;  // [FLOODGATE-T-2]
}

std::int64_t hop_product(BitRate rate, Duration delay) {
  return bytes_in(2 * delay, rate).count();
}

std::int64_t largest_hop_product(const SwitchContext& context) {
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < context.ports(); ++i) {
    const PortState& port = context.port(PortId(i));
    largest = std::max(largest, hop_product(port.rate, port.delay));
  }
  return largest;
}

std::int64_t window_bytes(const Settings& settings, BitRate rate, Duration delay) {
  if (settings.window > Bytes()) return settings.window.count();
  const auto bytes = static_cast<std::int64_t>(settings.window_factor * static_cast<double>(hop_product(rate, delay)));
  return settings.per_packet ? bytes : bytes + bytes_in(settings.credit_timer, rate).count();
}

std::uint32_t window_of(const Settings& settings, BitRate rate, Duration delay, std::int64_t packet) {
  constexpr std::int64_t kMost = std::int64_t{1} << 30;  // half of the PSNs
  const std::int64_t bytes = window_bytes(settings, rate, delay);
  const std::int64_t units = settings.counts_bytes ? std::max(bytes, packet) : (bytes + packet - 1) / packet;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(units, 1, kMost));
}

std::size_t table_size(const Settings& settings, const SwitchContext& context, std::size_t ports) {
  constexpr std::size_t kMost = 16'384;
  const std::size_t names = settings.hashed > 0 ? settings.hashed : context.hosts();
  const std::size_t all = std::max<std::size_t>(1, ports * names);
  const std::size_t limit = settings.hashed == 0 && settings.table_entries > 0 ? settings.table_entries : kMost;
  return std::min(all, limit);
}

}  // namespace weir::floodgate
