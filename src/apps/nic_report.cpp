// SPDX-License-Identifier: Apache-2.0
// The counters and messages of NICs with real ports, as text and as JSON.
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "apps/json_text.h"
#include "apps/nic_run.h"

namespace weir::apps {
namespace {

Json reasons_of(const std::array<std::uint64_t, kWireErrors>& counts) {
  Json out = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) out[std::string(to_string(static_cast<WireError>(i)))] = counts[i];
  }
  return out;
}

/// Lines of what is not zero.
class Lines {
 public:
  void add(std::uint64_t count, std::string_view what) {
    if (count > 0) text_ += fmt::format("    {} {}\n", count, what);
  }
  void add(const std::array<std::uint64_t, kWireErrors>& counts, std::string_view what) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0) text_ += fmt::format("    {} {}: {}\n", counts[i], what, to_string(static_cast<WireError>(i)));
    }
  }
  void add(const DeviceReport& device, std::string_view side) {
    add(device.missed, fmt::format("missed by the {}'s device: polled too late", side));
    add(device.no_buffer, fmt::format("missed by the {}'s device: no free packet buffer", side));
    add(device.bad, fmt::format("received by the {}'s device with errors", side));
    add(device.not_sent, fmt::format("not sent by the {}'s device", side));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string text_of(const NicReport& nic) {
  std::string out =
      fmt::format("  NIC of {} ({}), {} polls, longest gap {:.1f} us, {} gaps above 100 us\n", nic.host,
                  nic.fabric_device.device, nic.loop.polls, nic.loop.longest_gap.microseconds(), nic.loop.gaps);
  out += fmt::format("    fabric: received {} frames, {} bytes, {} of them PFC; sent {} frames, {} bytes\n",
                     nic.fabric.received_frames, nic.fabric.received_bytes, nic.fabric.received_pauses,
                     nic.fabric.sent_frames, nic.fabric.sent_bytes);
  if (!nic.host_device.device.empty()) {
    out += fmt::format("    host ({}): received {} frames, {} bytes; delivered {} frames, {} bytes\n",
                       nic.host_device.device, nic.of_host.received_frames, nic.of_host.received_bytes,
                       nic.of_host.delivered_frames, nic.of_host.delivered_bytes);
    out += fmt::format("    flows open: {} from the host, {} to it\n", nic.flows_out, nic.flows_in);
  }
  Lines lines;
  lines.add(nic.of_host.queue_full, "from the host dropped: the queue of their flow was full");
  lines.add(nic.of_host.refused, "from the host refused");
  lines.add(nic.of_host.refused_modelled, "from the host refused: a protocol of the fabric");
  lines.add(nic.of_host.not_delivered, "not delivered: the host's device was full");
  lines.add(nic.of_host.flows_closed, "flows closed to make room for others");
  lines.add(nic.fabric.refused, "from the fabric refused");
  lines.add(nic.fabric.not_sent, "not sent");
  lines.add(nic.strays, "received for closed queue pairs");
  lines.add(nic.retransmitted, "retransmitted");
  lines.add(nic.loop.device_full, "polls in which a device was full; its packets were sent later");
  lines.add(nic.link.failures, nic.link.up ? "failures of the link" : "failures of the link, which is down");
  lines.add(nic.link.lost_sent + nic.link.lost_received, "lost because the link was down");
  lines.add(nic.fabric_device, "fabric");
  lines.add(nic.host_device, "host");
  return out + lines.text();
}

Json json_of(const DeviceReport& device) {
  return {{"device", device.device},
          {"missed", device.missed},
          {"no_buffer", device.no_buffer},
          {"bad", device.bad},
          {"not_sent", device.not_sent}};
}

Json json_of(const NicReport& nic) {
  Json out = {{"host", nic.host},
              {"received_frames", nic.fabric.received_frames},
              {"received_bytes", nic.fabric.received_bytes},
              {"received_pfc_frames", nic.fabric.received_pauses},
              {"refused_frames", nic.fabric.refused_frames()},
              {"refused", reasons_of(nic.fabric.refused)},
              {"sent_frames", nic.fabric.sent_frames},
              {"sent_bytes", nic.fabric.sent_bytes},
              {"not_sent", reasons_of(nic.fabric.not_sent)},
              {"data_frames_sent", nic.data_sent},
              {"retransmitted", nic.retransmitted},
              {"strays", nic.strays},
              {"polls", nic.loop.polls},
              {"gaps_above_100_us", nic.loop.gaps},
              {"longest_gap_us", nic.loop.longest_gap.microseconds()},
              {"link_up", nic.link.up},
              {"link_failures", nic.link.failures},
              {"lost_with_link_frames", nic.link.lost_sent + nic.link.lost_received},
              {"fabric_device", json_of(nic.fabric_device)}};
  if (nic.host_device.device.empty()) return out;
  out["from_host_frames"] = nic.of_host.received_frames;
  out["from_host_bytes"] = nic.of_host.received_bytes;
  out["from_host_queue_full"] = nic.of_host.queue_full;
  out["from_host_refused_frames"] = nic.of_host.refused_frames();
  out["from_host_refused"] = reasons_of(nic.of_host.refused);
  out["from_host_refused_protocols_of_the_fabric"] = nic.of_host.refused_modelled;
  out["to_host_frames"] = nic.of_host.delivered_frames;
  out["to_host_bytes"] = nic.of_host.delivered_bytes;
  out["to_host_not_delivered"] = nic.of_host.not_delivered;
  out["flows_from_host"] = nic.flows_out;
  out["flows_to_host"] = nic.flows_in;
  out["flows_closed"] = nic.of_host.flows_closed;
  out["datagrams_dropped"] = nic.datagrams_dropped;
  out["host_device"] = json_of(nic.host_device);
  return out;
}

}  // namespace

std::string text_of(const NicsReport& report) {
  std::string out = fmt::format("{} NICs, {:.3f} s\n", report.nics.size(), report.seconds);
  for (const NicReport& nic : report.nics) out += text_of(nic);
  if (!report.messages.empty() || report.open_messages > 0) {
    out += fmt::format("  {} messages completed or stopped, {} open\n", report.messages.size(), report.open_messages);
  }
  for (const MessageReport& message : report.messages) {
    const FlowRecord& record = message.record;
    out += fmt::format("    {} to {}: {} B in {:.1f} us{}, alone {:.1f} us\n", message.from, message.to,
                       record.size.count(), record.sender_completion.microseconds(), record.stopped ? " (stopped)" : "",
                       record.ideal_fct.microseconds());
  }
  return out;
}

std::string json_of(const NicsReport& report) {
  Json nics = Json::array();
  for (const NicReport& nic : report.nics) nics.push_back(json_of(nic));
  Json messages = Json::array();
  for (const MessageReport& message : report.messages) {
    const FlowRecord& record = message.record;
    messages.push_back({{"from", message.from},
                        {"to", message.to},
                        {"bytes", record.size.count()},
                        {"start_us", (record.start - Time()).microseconds()},
                        {"fct_us", record.sender_completion.microseconds()},
                        {"received_after_us", record.receiver_completion.microseconds()},
                        {"fct_alone_us", record.ideal_fct.microseconds()},
                        {"retransmitted", record.retransmitted},
                        {"stopped", record.stopped}});
  }
  return json_text({{"started_s", report.started},
                    {"seconds", report.seconds},
                    {"nics", nics},
                    {"messages", messages},
                    {"open_messages", report.open_messages}});
}

}  // namespace weir::apps
