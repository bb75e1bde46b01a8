// SPDX-License-Identifier: Apache-2.0
// The counters of a switch with real ports, as text and as JSON.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "apps/json_text.h"
#include "apps/real_run.h"

namespace weir::apps {
namespace {

constexpr std::array<std::string_view, kDropReasons> kReasons = {
    "no route", "buffer full", "egress threshold", "policy", "corrupt", "link down", "no frame", "watchdog"};

constexpr std::array<std::string_view, kControlVerdicts> kVerdicts = {
    "accepted", "a control frame of a protocol that this switch and the neighbour do not both use",
    "a control frame that such a neighbour may not send", "a control frame whose content no sender writes",
    "a control frame for a priority, queue, destination or root that does not exist or may not be paused"};

Json reasons_of(const std::array<std::uint64_t, kWireErrors>& counts) {
  Json out = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) out[std::string(to_string(static_cast<WireError>(i)))] = counts[i];
  }
  return out;
}

std::string lines_of(std::string_view what, const std::array<std::uint64_t, kWireErrors>& counts) {
  std::string out;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    out += fmt::format("    {} {}: {}\n", counts[i], what, to_string(static_cast<WireError>(i)));
  }
  return out;
}

Json verdicts_of(const std::array<std::uint64_t, kControlVerdicts>& counts) {
  constexpr std::array<std::string_view, kControlVerdicts> kKeys = {"accepted", "not_spoken", "wrong_neighbour",
                                                                    "malformed", "no_target"};
  Json out = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) out[std::string(kKeys[i])] = counts[i];
  }
  return out;
}

std::string verdict_lines(const PortCounters& counters) {
  std::string out;
  for (std::size_t i = 0; i < counters.disobeyed.size(); ++i) {
    if (counters.disobeyed[i] > 0) out += fmt::format("    {} refused: {}\n", counters.disobeyed[i], kVerdicts[i]);
  }
  if (counters.narrowed_pauses > 0) {
    out += fmt::format("    {} PFC frames named priorities that this port may not pause\n", counters.narrowed_pauses);
  }
  if (counters.withheld > 0) {
    out += fmt::format("    {} frames of schemes not sent, because this neighbour does not speak them\n",
                       counters.withheld);
  }
  return out;
}

std::string device_lines(const PortReport& port) {
  std::string out;
  const auto line = [&out](std::uint64_t count, std::string_view what) {
    if (count > 0) out += fmt::format("    {} {}\n", count, what);
  };
  line(port.device_missed, "missed by the device: polled too late");
  line(port.device_no_buffer, "missed by the device: no free packet buffer");
  line(port.device_bad, "received by the device with errors");
  line(port.device_not_sent, "not sent by the device");
  line(port.link.failures, port.link.up ? "failures of the link" : "failures of the link, which is down");
  line(port.link.lost_sent, "lost when the link failed");
  line(port.link.lost_received, "received while the link was down, and dropped");
  return out;
}

}  // namespace

std::string text_of(const SwitchReport& report) {
  std::string out =
      fmt::format("switch {}, {:.3f} s, {} polls, longest gap {:.1f} us, {} gaps above 100 us\n", report.name,
                  report.seconds, report.loop.polls, report.loop.longest_gap.microseconds(), report.loop.gaps);
  for (std::size_t i = 0; i < report.ports.size(); ++i) {
    const PortReport& port = report.ports[i];
    const PortCounters& counters = port.counters;
    out += fmt::format("  port {} ({}, {})\n", i, port.peer, port.device.empty() ? "in memory" : port.device);
    out += fmt::format("    received {} frames, {} bytes, {} of them PFC, {} not modelled\n", counters.received_frames,
                       counters.received_bytes, counters.received_pauses, counters.received_opaque);
    out += fmt::format("    sent {} frames, {} bytes, {} of them PFC, {} with new headers\n", counters.sent_frames,
                       counters.sent_bytes, counters.sent_pauses, counters.sent_rebuilt);
    out += lines_of("refused", counters.refused) + verdict_lines(counters) + lines_of("not sent", counters.not_sent) +
           device_lines(port);
  }
  for (std::size_t i = 0; i < report.drops.size(); ++i) {
    if (report.drops[i] > 0) out += fmt::format("  dropped by the switch: {} ({})\n", report.drops[i], kReasons[i]);
  }
  if (report.loop.device_full > 0) {
    out += fmt::format("  a device was full in {} polls; its packets were sent later\n", report.loop.device_full);
  }
  out += fmt::format("  pauses of ingress ports: {}\n", report.pauses_sent);
  out += fmt::format("  headroom for a pause response of {:.1f} us", report.pause_response.microseconds());
  if (report.measured_gap == Duration()) return out + "\n";
  return out + fmt::format("; before the start, the longest gap was {:.1f} us\n", report.measured_gap.microseconds());
}

namespace {

Json object_of(const SwitchReport& report) {
  Json ports = Json::array();
  for (const PortReport& port : report.ports) {
    const PortCounters& counters = port.counters;
    ports.push_back({{"peer", port.peer},
                     {"device", port.device},
                     {"received_frames", counters.received_frames},
                     {"received_bytes", counters.received_bytes},
                     {"received_pfc_frames", counters.received_pauses},
                     {"received_opaque_frames", counters.received_opaque},
                     {"refused_frames", counters.refused_frames()},
                     {"refused", reasons_of(counters.refused)},
                     {"refused_control", verdicts_of(counters.disobeyed)},
                     {"narrowed_pfc_frames", counters.narrowed_pauses},
                     {"sent_frames", counters.sent_frames},
                     {"sent_bytes", counters.sent_bytes},
                     {"sent_pfc_frames", counters.sent_pauses},
                     {"sent_rebuilt_frames", counters.sent_rebuilt},
                     {"withheld_frames", counters.withheld},
                     {"not_sent_frames", counters.frames_not_sent()},
                     {"not_sent", reasons_of(counters.not_sent)},
                     {"device_missed", port.device_missed},
                     {"device_no_buffer", port.device_no_buffer},
                     {"device_bad", port.device_bad},
                     {"device_not_sent", port.device_not_sent},
                     {"link_up", port.link.up},
                     {"link_failures", port.link.failures},
                     {"lost_with_link_frames", port.link.lost_sent + port.link.lost_received}});
  }
  Json drops = Json::object();
  for (std::size_t i = 0; i < report.drops.size(); ++i) {
    if (report.drops[i] > 0) drops[std::string(kReasons[i])] = report.drops[i];
  }
  return {{"switch", report.name},
          {"started_s", report.started},
          {"seconds", report.seconds},
          {"polls", report.loop.polls},
          {"gaps_above_100_us", report.loop.gaps},
          {"longest_gap_us", report.loop.longest_gap.microseconds()},
          {"device_full_polls", report.loop.device_full},
          {"pauses", report.pauses_sent},
          {"measured_gap_us", report.measured_gap.microseconds()},
          {"pause_response_us", report.pause_response.microseconds()},
          {"dropped", drops},
          {"ports", ports}};
}

}  // namespace

std::string json_of(const SwitchReport& report) {
  return json_text(object_of(report));
}

std::string json_of(const std::vector<SwitchReport>& reports) {
  Json switches = Json::array();
  for (const SwitchReport& report : reports) switches.push_back(object_of(report));
  return json_text({{"switches", switches}});
}

}  // namespace weir::apps
