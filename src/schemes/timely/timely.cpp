// SPDX-License-Identifier: Apache-2.0
#include "schemes/timely/timely.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "schemes/timely/rate_computation.h"
#include "wire/byte_order.h"

namespace weir::timely {

using namespace literals;

namespace {

/// The start time of a sender's round-trip measurement, in picoseconds plus one; zero: none.
constexpr std::size_t kStampBytes = 8;
constexpr HeaderField kStamp{"time_stamp", kStampBytes, FrameKinds(FrameKind::data, FrameKind::ack, FrameKind::nack),
                             HeaderField::Reach::end_to_end};

std::uint64_t read_stamp(std::span<const std::byte> field) {
  if (field.empty()) return 0;
  const std::span<const std::byte, kStampBytes> stamp = field.first<kStampBytes>();
  return std::uint64_t{load_be32<0>(stamp)} << 32 | load_be32<4>(stamp);
}

void write_stamp(std::span<std::byte> field, std::uint64_t time) {
  if (field.empty()) return;
  const std::span<std::byte, kStampBytes> stamp = field.first<kStampBytes>();
  store_be32<0>(stamp, static_cast<std::uint32_t>(time >> 32));
  store_be32<4>(stamp, static_cast<std::uint32_t>(time));
}

/// The sending half of a queue pair.
struct Sender {
  RateComputation rate;
  Time segment_began;
  std::int64_t segment_payload = 0;  // sent of the current segment
  std::int64_t segment_wire = 0;
  std::int64_t ended_wire = 0;  // of the segment that ended with the last packet; zero: not ended
  std::int64_t update_behind = 0;
};

struct Receiver {
  std::uint64_t stamp = 0;  // of a packet that was not acknowledged
};

class Timely final : public CongestionControl {
 public:
  Timely(const Settings& settings, Bytes segment, bool bursts)
      : settings_(settings), segment_(segment.count()), bursts_(bursts) {}

  [[nodiscard]] CongestionHooks hooks() const override {
    return {.sent = true, .ack = true, .data = true, .next_send = bursts_};
  }
  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(Sender); }
  [[nodiscard]] std::size_t receiver_bytes() const override { return sizeof(Receiver); }

  void attach(NicContext& context) override { stamp_ = context.headers().extension_place(kStamp); }
  void open(NicContext&, SendState& sender) override {
    sender.congestion.emplace<Sender>().rate.open(sender.line_rate);
    publish(sender);
  }
  void open(NicContext&, ReceiveState& receiver) override { receiver.congestion.emplace<Receiver>(); }

  void on_sent(NicContext& context, SendState& sender, Frame& frame) override {
    const std::int64_t wire = frame.frame_bytes + context.framing().wire_overhead;
    if (is_simulator()) {  // [TIMELY-SIM-1]
      stamp(context, frame, context.now());
      return;
    }
    auto& state = sender.congestion.as<Sender>();
    if (state.segment_wire == 0) state.segment_began = context.now();
    state.segment_payload += frame.payload_bytes;
    state.segment_wire += wire;
    state.ended_wire = 0;
    if (state.segment_payload < segment_ && !frame.ends_message()) return;
    // [TIMELY-SEG-1] [TIMELY-RTT-1] The NIC's time to transmit the segment is not part of the round trip.
    if (bursts_) {
      stamp(context, frame, state.segment_began + time_to_send(Bytes(state.segment_wire), sender.line_rate));
    } else {
      stamp(context, frame, context.now() + time_to_send(Bytes(wire), sender.line_rate));
    }
    state.ended_wire = state.segment_wire;
    state.segment_payload = state.segment_wire = 0;
  }

  // [TIMELY-SEG-2] A segment is sent at line rate, followed by the gap that gives the configured rate.
  [[nodiscard]] Time next_send(const NicContext&, const SendState& sender, Time last,
                               std::int64_t wire_bytes) const override {
    const auto& state = sender.congestion.as<Sender>();
    const Time next = last + time_to_send(Bytes(wire_bytes), sender.line_rate);
    if (state.ended_wire == 0) return next;
    const Bytes segment(state.ended_wire);
    return next + (time_to_send(segment, sender.rate) - time_to_send(segment, sender.line_rate));
  }

  // [TIMELY-RTT-2]
  void on_data(NicContext& context, ReceiveState& receiver, Frame& data, Frame* reply) override {
    auto& state = receiver.congestion.as<Receiver>();
    if (reply == nullptr) {
      const std::uint64_t time = read_stamp(stamp_.of(context.frames(), data));
      if (time != 0) state.stamp = time;
      return;
    }
    if (read_stamp(stamp_.of(context.frames(), data)) != 0) {
      FramePool::move_extension(data, *reply);
    } else if (state.stamp != 0) {
      write_stamp(stamp_.add(context.frames(), *reply), state.stamp);
    }
    state.stamp = 0;
  }

  void on_ack(NicContext& context, SendState& sender, const Acknowledgement& acknowledgement) override {
    const std::uint64_t time = read_stamp(stamp_.of(context.frames(), acknowledgement.frame));
    if (time == 0) return;
    auto& state = sender.congestion.as<Sender>();
    if (is_simulator()) {  // [TIMELY-SIM-1]
      if (sender.acknowledged_bytes <= state.update_behind) return;
      state.update_behind = sender.next_bytes;
    }
    // [TIMELY-RTT-4] The stamp comes from the wire.
    const std::uint64_t elapsed = static_cast<std::uint64_t>(context.now().picoseconds()) + 1 - time;
    if (elapsed == 0 || elapsed > static_cast<std::uint64_t>(kLongestRoundTrip.picoseconds())) return;
    state.rate.on_round_trip(settings_, Duration::picoseconds(static_cast<std::int64_t>(elapsed)));
    publish(sender);
  }

 private:
  static constexpr Duration kLongestRoundTrip = 10_s;

  [[nodiscard]] bool is_simulator() const { return settings_.variant == Variant::hpcc_simulator; }
  void stamp(NicContext& context, Frame& frame, Time time) const {
    write_stamp(stamp_.add(context.frames(), frame), static_cast<std::uint64_t>(time.picoseconds()) + 1);
  }
  static void publish(SendState& sender) { sender.rate = sender.congestion.as<Sender>().rate.rate(); }

  Settings settings_;
  std::int64_t segment_;
  bool bursts_;
  ExtensionPlace stamp_;
};

Variant variant_of(const Parameters& parameters) {
  const auto& name = parameters.get<std::string>("variant");
  if (name == "patched") return Variant::patched;
  return name == "hpcc_simulator" ? Variant::hpcc_simulator : Variant::paper;
}

Settings settings_of(const Parameters& parameters) {
  return {
      .variant = variant_of(parameters),
      .alpha = parameters.get<double>("alpha"),
      .beta = parameters.get<double>("beta"),
      .patched_beta = parameters.get<double>("patched_beta"),
      .additive_increase = parameters.get<BitRate>("additive_increase"),
      .hyper_increase = static_cast<std::uint32_t>(parameters.get<std::int64_t>("hyper_increase")),
      .hyper_increase_after = static_cast<std::uint32_t>(parameters.get<std::int64_t>("hyper_increase_after")),
      .low_threshold = parameters.get<Duration>("low_threshold"),
      .high_threshold = parameters.get<Duration>("high_threshold"),
      .minimum_round_trip = parameters.get<Duration>("minimum_round_trip"),
      .reference_round_trip = parameters.get<Duration>("reference_round_trip"),
      .minimum_rate = parameters.get<BitRate>("minimum_rate"),
  };
}

HeaderBytes header_bytes(const Parameters& parameters) {
  const auto stamp = static_cast<std::uint16_t>(parameters.get<Bytes>("timestamp").count());
  HeaderBytes header;
  header.at_source = stamp;
  header.echoed = true;
  return header;
}

std::vector<std::string> errors(const Parameters& parameters) {
  std::vector<std::string> out;
  if (parameters.get<Duration>("low_threshold") > parameters.get<Duration>("high_threshold")) {
    out.emplace_back("low_threshold is above high_threshold");
  }
  if (variant_of(parameters) == Variant::hpcc_simulator && parameters.get<std::string>("pacing") == "segment") {
    out.emplace_back("variant = \"hpcc_simulator\" has no segments: pacing must be \"packet\"");
  }
  return out;
}

}  // namespace

const Scheme scheme = {
    .name = "timely",
    .summary = "TIMELY: rates controlled by the gradient of the round-trip time",
    .traits = {},
    .fields = {&kStamp},
    .parameters =
        {
            {"variant",
             std::string("paper"),
             "paper: rates follow the gradient; patched: gradient and queueing delay, with a unique fixed point; "
             "hpcc_simulator: each packet has a time stamp, and a rate changes once per round-trip time",
             "TIMELY algorithm 1",
             0,
             0,
             {"paper", "patched", "hpcc_simulator"}},
            {"alpha", 0.875, "weight of the latest difference of round-trip times", "Zhu 2016, table 1", 0, 1},
            {"beta", 0.8, "factor of multiplicative decrease", "TIMELY section 4.3", 0, 1},
            {"patched_beta", 0.008, "patched: replaces beta", "Zhu 2016, section 4.3", 0, 1},
            {"additive_increase", 10_Mbps, "delta: increment per additive increase", "TIMELY section 4.3", 0, 1e12},
            {"hyper_increase", std::int64_t{5}, "N: multiple of delta in hyper-active increase", "TIMELY algorithm 1",
             1, 1000},
            {"hyper_increase_after", std::int64_t{5},
             "number of consecutive measured round-trip times that do not rise, from which on the increase is "
             "hyper-active",
             "TIMELY algorithm 1", 0, 1000},
            {"low_threshold", 50_us, "T_low: below this round-trip time a rate increases whatever the gradient",
             "TIMELY section 4.3", 0, 1},
            {"high_threshold", 500_us, "T_high: above this round-trip time a rate decreases whatever the gradient",
             "TIMELY section 4.3", 1e-9, 1},
            {"minimum_round_trip", 20_us, "minimum round-trip time, by which gradients are normalised",
             "Zhu 2016, table 1", 1e-9, 1},
            {"reference_round_trip", 50_us, "patched: reference round-trip time", "Zhu 2016, section 4.3", 1e-9, 1},
            {"minimum_rate", 100_Mbps, "minimum rate after a decrease", "public simulators", 1e6, 1e12},
            {"segment", 16_KB, "payload bytes per round-trip time measurement", "TIMELY section 5", 1, 1e9},
            {"pacing",
             std::string("packet"),
             "packet: packets are evenly spaced; segment: each segment is sent at line rate, with gaps between "
             "segments",
             "TIMELY section 5; Zhu 2016, section 4.1",
             0,
             0,
             {"packet", "segment"}},
            {"timestamp", 8_B, "space for the time stamp in data frames and acknowledgements", "public HPCC simulator",
             0, 64},
        },
    .congestion_control = [](const Parameters& parameters) -> std::unique_ptr<CongestionControl> {
      return std::make_unique<Timely>(settings_of(parameters), parameters.get<Bytes>("segment"),
                                      parameters.get<std::string>("pacing") == "segment");
    },
    .errors = errors,
    .idle = [](const Parameters& parameters) -> std::vector<IdleParameter> {
      const std::string& variant = parameters.get<std::string>("variant");
      const std::string beside = "variant = \"" + variant + "\"";
      if (variant == "patched") return {{"beta", beside}};
      return {{"patched_beta", beside}, {"reference_round_trip", beside}};
    },
    .header_bytes = header_bytes,
};

}  // namespace weir::timely
