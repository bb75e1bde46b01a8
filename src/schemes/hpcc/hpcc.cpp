// SPDX-License-Identifier: Apache-2.0
#include "schemes/hpcc/hpcc.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "schemes/hpcc/sender_window.h"
#include "schemes/hpcc/telemetry.h"

namespace weir::hpcc {

using namespace literals;

namespace {

/// The records of the links on a frame's path, also in its acknowledgement.
constexpr HeaderField kTelemetry{"telemetry", Telemetry::kBytes,
                                 FrameKinds(FrameKind::data, FrameKind::ack, FrameKind::nack),
                                 HeaderField::Reach::end_to_end};

/// Writes the state of a data frame's egress link into the frame. The sender has reserved the space; frames of hosts
/// that do not request telemetry are not changed.
class TelemetryPoint final : public CongestionPoint {
 public:
  /// `units`: the value of the parameter of that name.
  explicit TelemetryPoint(std::int64_t units) : units_(units) {}

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = true;
    return hooks;
  }

  void attach(SwitchContext& context) override { telemetry_ = context.headers().extension_place(kTelemetry); }

  // [HPCC-INT-1] Sent bytes are wire bytes, so that a fully used link has utilisation 1; neither count includes the
  // frame itself.
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override {
    if (frame.kind != FrameKind::data) return;
    const std::span<std::byte> field = telemetry_.of(context.frames(), frame);
    if (field.empty()) return;
    const PortState& port = context.port(frame.egress);
    const std::int64_t isolated = context.carried_length(queue, frame) - context.queue(queue).bytes;
    const std::int64_t sent =
        port.bytes_sent + static_cast<std::int64_t>(port.frames_sent) * context.framing().wire_overhead;
    Telemetry(field).add(context.id(), record(context.now(), port.rate, port.queued_bytes + isolated, sent));
  }

 private:
  // [HPCC-INT-5] Values are rounded down to whole units.
  [[nodiscard]] LinkRecord record(Time now, BitRate rate, std::int64_t queue, std::int64_t sent) const {
    if (units_ == 0) return LinkRecord::of(now, rate, queue, sent);
    const auto whole = [](std::int64_t value, std::int64_t unit) { return value / unit * unit; };
    return LinkRecord::of(Time() + Duration::picoseconds(whole(now.picoseconds(), kTimeUnit)), rate,
                          whole(queue, kQueueUnit * units_), whole(sent, kSentUnit * units_));
  }

  static constexpr std::int64_t kTimeUnit = 1'000;  // picoseconds
  static constexpr std::int64_t kQueueUnit = 80;    // bytes
  static constexpr std::int64_t kSentUnit = 128;    // bytes
  std::int64_t units_;
  ExtensionPlace telemetry_;
};

Settings settings_of(const Parameters& parameters) {
  return {
      .eta = parameters.get<double>("eta"),
      .max_stage = static_cast<std::uint32_t>(parameters.get<std::int64_t>("max_stage")),
      .additive_increase = parameters.get<BitRate>("additive_increase"),
      .concurrent_flows = static_cast<std::uint32_t>(parameters.get<std::int64_t>("concurrent_flows")),
      .minimum_rate = parameters.get<BitRate>("minimum_rate"),
      .round_trip = parameters.get<Duration>("round_trip"),
      .per_ack = parameters.get<bool>("per_ack"),
  };
}

// [HPCC-W-7]
bool is_windowed(const Parameters& parameters) {
  return parameters.get<bool>("window");
}

class Hpcc final : public CongestionControl {
 public:
  explicit Hpcc(const Parameters& parameters)
      : settings_(settings_of(parameters)), windowed_(is_windowed(parameters)) {}

  [[nodiscard]] CongestionHooks hooks() const override {
    return {.sent = true, .ack = true, .data = true, .next_send = false};
  }
  [[nodiscard]] std::size_t sender_bytes() const override { return sizeof(SenderWindow); }

  void attach(NicContext& context) override { place_ = context.headers().extension_place(kTelemetry); }
  void open(NicContext&, SendState& sender) override {
    const bool own = settings_.round_trip == Duration();
    const Duration round_trip = std::max(own ? sender.base_round_trip : settings_.round_trip, 1_ps);
    sender.congestion.emplace<SenderWindow>().open(settings_, sender.line_rate, round_trip);
    publish(sender);
  }

  // [HPCC-INT-2]
  void on_sent(NicContext& context, SendState&, Frame& frame) override { (void)place_.add(context.frames(), frame); }
  void on_data(NicContext&, ReceiveState&, Frame& data, Frame* reply) override {
    if (reply == nullptr) return;  // the records of a later frame suffice
    FramePool::move_extension(data, *reply);
  }

  void on_ack(NicContext& context, SendState& sender, const Acknowledgement& acknowledgement) override {
    const std::span<std::byte> block = place_.of(context.frames(), acknowledgement.frame);
    if (block.empty()) return;
    auto& state = sender.congestion.as<SenderWindow>();
    if (state.on_ack(settings_, Telemetry(block), sender.acknowledged_bytes, sender.next_bytes)) publish(sender);
  }

 private:
  // [HPCC-W-1] [HPCC-W-7]
  void publish(SendState& sender) const {
    const auto& state = sender.congestion.as<SenderWindow>();
    if (windowed_) sender.window = std::max<std::int64_t>(1, static_cast<std::int64_t>(state.window()));
    sender.rate = std::clamp(state.rate(), BitRate(1), sender.line_rate);
  }

  Settings settings_;
  ExtensionPlace place_;
  bool windowed_;
};

// [HPCC-W-6]
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings&) {
  if (parameters.get<std::int64_t>("concurrent_flows") == 0 || parameters.get<double>("eta") < 1) return {};
  return {"with eta = 1 and concurrent_flows, W_AI is zero: flows do not converge to equal shares"};
}

std::vector<IdleParameter> idle(const Parameters& parameters) {
  if (parameters.get<std::int64_t>("concurrent_flows") == 0) return {};
  return {{"additive_increase", "concurrent_flows above 0"}};
}

HeaderBytes header_bytes(const Parameters& parameters) {
  HeaderBytes header;
  header.at_source = static_cast<std::uint16_t>(parameters.get<Bytes>("telemetry").count());
  header.echoed = parameters.get<bool>("telemetry_echoed");
  return header;
}

}  // namespace

const Scheme scheme = {
    .name = "hpcc",
    .summary =
        "HPCC: telemetry of each link in data frames, echoed to the sender, and a window that keeps every link just "
        "below full utilisation",
    .traits = {.sets_window = true},
    .fields = {&kTelemetry},
    .parameters =
        {
            {.name = "eta",
             .default_value = 0.95,
             .meaning = "target utilisation of the busiest link",
             .source = "HPCC section 3.3",
             .minimum = 0.01,
             .maximum = 1,
             .roles = {Role::congestion_control}},
            {.name = "max_stage",
             .default_value = std::int64_t{5},
             .meaning = "number of consecutive additive increases before a multiplicative adjustment",
             .source = "HPCC section 3.3",
             .minimum = 0,
             .maximum = 1'000'000,
             .roles = {Role::congestion_control}},
            {.name = "additive_increase",
             .default_value = 50_Mbps,
             .meaning = "W_AI divided by the round-trip time, as a rate",
             .source = "HPCC section 5.1 (80 B in 13 us)",
             .minimum = 0,
             .maximum = 1e12,
             .roles = {Role::congestion_control}},
            {.name = "concurrent_flows",
             .default_value = std::int64_t{0},
             .meaning = "N: sets W_AI to W_init (1 - eta) / N, proportional to the rate of the sender's link; 0: "
                        "additive_increase applies",
             .source = "HPCC section 3.2",
             .minimum = 0,
             .maximum = 1'000'000,
             .roles = {Role::congestion_control}},
            {.name = "minimum_rate",
             .default_value = 100_Mbps,
             .meaning = "minimum window, as a rate over one round-trip time",
             .source = "public HPCC simulator",
             .minimum = 1e6,
             .maximum = 1e12,
             .roles = {Role::congestion_control}},
            {.name = "round_trip",
             .default_value = 0_us,
             .meaning = "T, common to all queue pairs; 0: the base round-trip time of each",
             .source = "HPCC section 3.3",
             .minimum = 0,
             .maximum = 1,
             .roles = {Role::congestion_control}},
            {.name = "per_ack",
             .default_value = true,
             .meaning = "react to each acknowledgement; false: once per round-trip time",
             .source = "HPCC section 3.2",
             .roles = {Role::congestion_control}},
            {.name = "window",
             .default_value = true,
             .meaning = "W limits the bytes in flight; false: W limits only the rate, to W / T",
             .source = "HPCC section 3.2; false: the RoCC authors' HostEtherQueue.cc",
             .roles = {Role::congestion_control}},
            {.name = "telemetry",
             .default_value = 42_B,
             .meaning = "space for telemetry in each data frame: 2 bytes, plus 8 per switch for 5 switches",
             .source = "HPCC section 4.1",
             .minimum = 0,
             .maximum = 256,
             .roles = {Role::congestion_control}},
            {.name = "telemetry_echoed",
             .default_value = true,
             .meaning = "whether acknowledgements are longer by the size of the telemetry",
             .source = "HPCC section 4.1",
             .roles = {Role::congestion_control}},
            {.name = "telemetry_units",
             .default_value = std::int64_t{0},
             .meaning = "n: resolution of telemetry: sent bytes in units of n x 128 B, queue lengths in n x 80 B, "
                        "times in ns; 0: exact",
             .source = "HPCC figure 7 (1); public HPCC simulator (4)",
             .minimum = 0,
             .maximum = 1'000,
             .roles = {Role::congestion_point}},
        },
    .congestion_point = [](const Parameters& parameters) -> std::unique_ptr<CongestionPoint> {
      return std::make_unique<TelemetryPoint>(parameters.get<std::int64_t>("telemetry_units"));
    },
    .congestion_control = [](const Parameters& parameters) -> std::unique_ptr<CongestionControl> {
      return std::make_unique<Hpcc>(parameters);
    },
    .warnings = warnings,
    .idle = idle,
    .header_bytes = header_bytes,
    .sets_window = is_windowed,
};

}  // namespace weir::hpcc
