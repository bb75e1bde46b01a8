// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/validation.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "schemes/bfc/bfc.h"
#include "schemes/bfc/flow_table.h"
#include "schemes/bfc/free_queues.h"
#include "schemes/bfc/message.h"
#include "schemes/bfc/settings.h"
#include "units/words.h"

namespace weir::bfc {
namespace {

using namespace literals;

constexpr Framing kFraming = Framing::rocev2();
constexpr Bytes kShortestFrame(kFraming.minimum_frame + kFraming.wire_overhead);
/// A larger fraction of a link for bitmaps alone is probably unintended.
constexpr double kMuchOfALink = 0.1;
/// More memory for flow tables alone is probably unintended.
constexpr double kMuchMemory = 1e9;

/// A number for a message; this folder formats no others.
std::string number(double value) {
  std::string out = std::to_string(value);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out;
}

std::string time(Duration duration) {
  return duration < 1_us ? number(duration.nanoseconds()) + " ns" : number(duration.microseconds()) + " us";
}

std::string gigabits(BitRate rate) {
  return number(rate.gigabits_per_second()) + " Gbit/s";
}

/// On a wire, with preamble and gap.
Bytes bitmap_of(const Settings& settings) {
  return Bytes(bitmap_bytes(kFraming, settings.queues_of_neighbour()) + kFraming.wire_overhead);
}

/// For a message: the queues that bitmaps cover.
std::string of_queues(const Settings& settings) {
  return " of " + std::to_string(settings.queues_of_neighbour()) + " queues";
}

bool takes_control_queue(const Parameters& parameters) {
  return parameters.get<std::string>("control_queue") == "inside";
}

bool of_class(const Parameters& parameters) {
  return parameters.get<std::string>("queues_of") == "class";
}

void check_queues(const Parameters& parameters, const Settings& settings, std::vector<std::string>& out) {
  const std::string classes = std::to_string(settings.classes);
  if (settings.queues == 0) {
    const std::size_t least = of_class(parameters) ? 2 : settings.classes + (takes_control_queue(parameters) ? 1 : 0);
    out.push_back("queues = " + std::to_string(parameters.get<std::int64_t>("queues")) + " is not enough for " +
                  classes + (settings.classes == 1 ? " class" : " classes") +
                  (takes_control_queue(parameters) ? ", because control_queue = \"inside\" takes one queue" : "") +
                  "; expected at least " + std::to_string(least));
  }
  if (settings.queues_of_port() > FreeQueues::kMostQueues || settings.queues_of_nic() > FreeQueues::kMostQueues) {
    out.emplace_back("a port may have at most 4096 queues, over all classes");
  }
  if (settings.classes > std::size_t{settings.highest} + 1) {
    const std::string most = std::to_string(settings.highest + 1);
    out.push_back("classes = " + classes + ", but between priority = " + std::to_string(settings.highest) +
                  " and 0 there are only " + most + "; expected at most " + most);
  }
  const auto refuse_label = [&](const char* key, std::int64_t given, std::int64_t expected) {
    out.push_back("incast_label takes one queue per class for incasts, and " + std::string(key) + " = " +
                  std::to_string(given) + " leaves none for other flows; expected at least " +
                  std::to_string(expected));
  };
  if (settings.incast_label && settings.queues == 1) {
    const bool inside = takes_control_queue(parameters);
    const auto least = of_class(parameters) ? 2 + (inside ? 1 : 0) : 2 * settings.classes + (inside ? 1 : 0);
    refuse_label("queues", parameters.get<std::int64_t>("queues"), static_cast<std::int64_t>(least));
  }
  if (settings.incast_label && parameters.get<std::int64_t>("nic_queues") == 1) refuse_label("nic_queues", 1, 2);
}

void check_table(const Settings& settings, std::vector<std::string>& out) {
  if (!settings.keeps_table) return;
  const std::size_t parts = settings.pipelines * settings.classes;
  if (settings.table_entries > 0) {
    if (settings.table_entries % parts == 0) return;
    const std::size_t nearest = std::max<std::size_t>(1, (settings.table_entries + parts / 2) / parts) * parts;
    out.push_back("flow_table_entries = " + std::to_string(settings.table_entries) + " is not a multiple of " +
                  std::to_string(parts) + ", the number of pipelines times classes; expected " +
                  std::to_string(nearest));
    return;
  }
  const std::size_t least = (parts + settings.table_queues - 1) / settings.table_queues;
  if (settings.table_factor < least) {
    out.push_back("flow_table_factor = " + std::to_string(settings.table_factor) +
                  " leaves a class or pipeline of a port without entries; expected at least " + std::to_string(least));
  }
}

void check_ideal(const Settings& settings, std::vector<std::string>& out) {
  std::vector<std::string> expected;
  if (settings.assignment != Assignment::dynamic) expected.emplace_back("assignment = \"dynamic\"");
  if (settings.pipelines > 1) expected.emplace_back("pipelines = 1");
  if (settings.empty_refresh > Duration()) expected.emplace_back("empty_refresh = \"0 us\"");
  if (settings.sampling < 1) expected.emplace_back("sampling = 1");
  if (settings.incast_label) expected.emplace_back("incast_label = false");
  if (settings.gate_fifo > Bytes()) expected.emplace_back("gate_fifo = \"0 B\"");
  if (expected.empty()) return;
  out.push_back(
      "pause = \"flow\" is ideal and excludes assignment, pipelines, empty_refresh, sampling, incast_label and "
      "gate_fifo; expected " +
      join_words(expected));
}

}  // namespace

bool by_flow(const Parameters& parameters) {
  return parameters.get<std::string>("pause") == "flow";
}

// [BFC-IN-3]
std::vector<std::string> errors(const Parameters& parameters) {
  const Settings settings(parameters);
  std::vector<std::string> out;
  check_queues(parameters, settings, out);
  if (!by_flow(parameters)) check_table(settings, out);
  if (by_flow(parameters)) check_ideal(settings, out);
  if (by_flow(parameters) && settings.queues_acks) {
    out.emplace_back(
        "pause = \"flow\" pauses queue pairs, to which acknowledgements do not belong; expected acknowledgements = "
        "\"beside\"");
  }
  if (settings.order != Order::fair && settings.gate_fifo > Bytes()) {
    out.push_back("gate_fifo is filled in deficit round robin and excludes order = \"" +
                  parameters.get<std::string>("order") + "\"; expected order = \"fair\"");
  }
  if (settings.refresh <= Duration()) out.emplace_back("refresh must be above zero");
  return out;
}

// [BFC-IN-1]
std::vector<ParameterRefusal> refusals(const Parameters& parameters, const SchemePlace& place) {
  const Settings settings(parameters);
  const BitRate fastest = place.ports.back();
  const Duration shortest = time_to_send(kShortestFrame, fastest);
  const Duration bitmap = time_to_send(bitmap_of(settings), fastest);
  std::vector<ParameterRefusal> out;
  if (by_flow(parameters)) return out;
  if (settings.refresh < bitmap) {
    out.push_back({"refresh", "refresh is " + time(settings.refresh) + ", but a port of " + gigabits(fastest) +
                                  " can send at most one bitmap" + of_queues(settings) + " every " + time(bitmap) +
                                  "; expected at least that"});
  }
  if (settings.empty_refresh > Duration() && settings.empty_refresh < shortest) {
    out.push_back({"empty_refresh", "empty_refresh is " + time(settings.empty_refresh) + ", but a queue of a port of " +
                                        gigabits(fastest) + " can send a frame every " + time(shortest) +
                                        "; expected at least that, or 0 for a set that is always current"});
  }
  return out;
}

// [BFC-D-4] [BFC-IN-2] [BFC-IN-5]
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around) {
  const Settings settings(parameters);
  // BFC's parameters at the hosts of each group of switches; nullptr: they do not run BFC.
  std::vector<const Parameters*> at_hosts;
  for (const auto& group : around.hosts.flow_control) at_hosts.push_back(parameters_of(scheme, group));
  const auto some_lack = [&at_hosts](auto Settings::*what) {
    return std::any_of(at_hosts.begin(), at_hosts.end(),
                       [&](const Parameters* of) { return of == nullptr || !std::invoke(what, Settings(*of)); });
  };
  const bool at_some_hosts =
      std::any_of(at_hosts.begin(), at_hosts.end(), [](const Parameters* of) { return of != nullptr; });
  std::vector<std::string> out;
  if (settings.shortest_remaining() && some_lack(&Settings::shortest_remaining)) {
    out.emplace_back(
        "order = \"shortest_remaining\", but hosts of switches without it do not write the remaining size into frames: "
        "their frames are sent last, in order of arrival");
  }
  if (settings.shortest_remaining() && at_some_hosts && !around.hosts.shortest_remaining_first) {
    out.emplace_back(
        "order = \"shortest_remaining\", but NICs serve queue pairs in round robin; expected "
        "host.shortest_remaining_first = true, as in the paper's A.2");
  }
  if (settings.incast_label && some_lack(&Settings::incast_label)) {
    out.emplace_back(
        "incast_label, but hosts of switches without it do not write the label into frames: their incasts are assigned "
        "to queues like other flows");
  }
  if (std::any_of(at_hosts.begin(), at_hosts.end(),
                  [&](const Parameters* of) { return of != nullptr && by_flow(*of) != by_flow(parameters); })) {
    out.emplace_back(
        "some switches have pause = \"flow\" and some pause = \"queue\": such neighbours do not obey each other; "
        "expected the same value at all switches");  // [BFC-IN-5]
  }
  if (by_flow(parameters) && around.network.damages) {
    out.emplace_back(
        "pause = \"flow\" never repeats a message: after a corrupted RESUME the flow stays paused forever; expected "
        "links without an error_rate");
  }
  if (!settings.nic_backpressure && at_some_hosts && !around.hosts.windows) {
    out.emplace_back(
        "nic_backpressure = false, and nothing else limits the hosts: they can fill the first switch; expected a "
        "window, as in the paper's A.8: host.window = { kind = \"fixed\" }");
  }
  if (!around.hosts.offered.empty() && std::none_of(around.hosts.offered.begin(), around.hosts.offered.end(),
                                                    [&](Priority priority) { return settings.manages(priority); })) {
    std::string offered;
    for (const Priority priority : around.hosts.offered) {
      offered += (offered.empty() ? "" : ", ") + std::to_string(static_cast<int>(priority));
    }
    out.push_back("no data has its priorities (" + std::to_string(static_cast<int>(settings.highest)) +
                  (settings.classes > 1 ? " and those below" : "") + "), so it has no effect: the data has " + offered +
                  "; expected priority = " + std::to_string(static_cast<int>(*around.hosts.offered.rbegin())));
  }
  const std::size_t left = (settings.table_queues - (takes_control_queue(parameters) ? 1 : 0)) % settings.classes;
  if (left > 0 && !of_class(parameters)) {
    out.push_back(std::to_string(left) + " of a port's queues belong to no class: " + std::to_string(settings.classes) +
                  " classes have " + std::to_string(settings.queues) +
                  " each; expected queues = " + std::to_string(settings.table_queues - left) + " or " +
                  std::to_string(settings.table_queues - left + settings.classes));
  }
  if (settings.hop_round_trip > around.network.longest_round_trip) {
    out.push_back("hop_round_trip is " + time(settings.hop_round_trip) +
                  ", but the round-trip time of the longest whole path is " + time(around.network.longest_round_trip) +
                  "; expected 0, which computes it from the links");
  }
  if (by_flow(parameters)) return out;
  const Duration bitmap = time_to_send(bitmap_of(settings), around.network.slowest_link());
  const double of_link =
      static_cast<double>(bitmap.picoseconds()) / static_cast<double>(settings.refresh.picoseconds());
  if (of_link > kMuchOfALink) {
    out.push_back("bitmaps" + of_queues(settings) + " every " + time(settings.refresh) + " take " +
                  number(100 * std::min(1.0, of_link)) + " % of a link of " + gigabits(around.network.slowest_link()) +
                  "; expected refresh at least " + time(10 * bitmap));
  }
  if (settings.keeps_table) {
    const double bytes = static_cast<double>(settings.entries_of_port()) *
                         static_cast<double>(around.network.switch_ports) * sizeof(FlowEntry);
    if (bytes > kMuchMemory) {
      out.push_back("the flow tables of all switches take " + number(bytes / 1e9) +
                    " GB of memory: " + std::to_string(settings.entries_of_port()) + " entries at each of " +
                    std::to_string(around.network.switch_ports) + " ports; expected at most " +
                    std::to_string(static_cast<std::int64_t>(kMuchMemory / sizeof(FlowEntry)) /
                                   static_cast<std::int64_t>(around.network.switch_ports)) +
                    " entries a port (flow_table_entries)");
    }
  }
  return out;
}

}  // namespace weir::bfc
