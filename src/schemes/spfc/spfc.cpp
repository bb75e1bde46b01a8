// SPDX-License-Identifier: Apache-2.0
#include "schemes/spfc/spfc.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schemes/spfc/state_decision.h"

namespace weir::spfc {
namespace {

constexpr std::int64_t kNoHost = -1;

/// In the order of the cases in statistic().
constexpr auto kStatistics = std::to_array<StatisticSpec>({
    {.name = "spfc.victim_ports", .unit = "", .kind = StatisticSpec::Kind::gauge},
    {.name = "spfc.became_victim", .unit = "", .scope = StatisticSpec::Scope::port},
});

class Spfc final : public BufferPolicy {
 public:
  explicit Spfc(const Parameters& parameters)
      : interval_(parameters.get<Duration>("interval")),
        k_(parameters.get<std::int64_t>("k")),
        counts_bytes_(parameters.get<std::string>("count") == "bytes"),
        alpha_(parameters.get<double>("alpha")),
        resume_offset_(parameters.get<Bytes>("resume_offset").count()),
        egress_alpha_(parameters.get<double>("egress_alpha")),
        always_victim_(parameters.get<std::int64_t>("always_victim")) {}

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = true;
    return hooks;
  }

  void attach(SwitchContext& context) override {
    for (std::size_t priority = 0; priority < kPriorities; ++priority) {
      pool_size_[priority] = context.pool_of(static_cast<Priority>(priority)).size;
    }
    for (std::size_t i = 0; i < context.ports(); ++i) {
      const PortState& port = context.port(PortId(i));
      const bool always = port.peer.is_host() && static_cast<std::int64_t>(port.peer.host.value) == always_victim_;
      ports_.push_back({StateDecision(counting_number(context, port.rate)), always, always});
      if (always) victims_.add(1);
    }
    clock_ = context.new_timer(*this);
    context.arm(clock_, Time() + interval_);
  }

  void on_depart(SwitchContext& context, QueueId, Frame& frame) override {
    if (!frame.ingress.exists() || !context.buffer().lossless[frame.ingress_priority]) return;
    const std::int64_t amount = counts_bytes_ ? frame.frame_bytes + context.framing().wire_overhead : 1;
    if (ports_[frame.ingress.index()].decision.count(amount)) decide(context, frame.ingress);  // [SPFC-IRC-2]
  }

  void on_timer(SwitchContext& context, TimerId) override {
    context.arm(clock_, context.now() + interval_);  // [SPFC-TC-1]
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      ports_[i].decision.end_interval();
      decide(context, PortId(i));
    }
  }

  void on_pause(SwitchContext& context, PortId ingress, Priority priority, bool paused) override {
    ports_[ingress.index()].decision.pause(priority, paused);
    decide(context, ingress);
  }

  void on_link(SwitchContext& context, PortId port, bool) override {
    ports_[port.index()].decision.forget();  // [SPFC-LINK-1]
    decide(context, port);
  }

  [[nodiscard]] std::int64_t xoff(const SwitchContext& context, PortId ingress, Priority priority) const override {
    if (ports_[ingress.index()].victim) return pool_size_[priority];  // [SPFC-V-1]
    return share_of_free(context.pool_of(priority), alpha_);          // [SPFC-N-1]
  }

  [[nodiscard]] std::optional<LinearThreshold> linear_xoff(PortId ingress, Priority priority) const override {
    if (ports_[ingress.index()].victim) return LinearThreshold{.base = pool_size_[priority], .share = 0};
    return LinearThreshold{.base = 0, .share = alpha_};
  }

  [[nodiscard]] std::int64_t xon(const SwitchContext& context, PortId ingress, Priority priority) const override {
    return std::max<std::int64_t>(0, xoff(context, ingress, priority) - resume_offset_);  // [SPFC-N-2]
  }

  [[nodiscard]] std::int64_t egress_limit(const SwitchContext& context, PortId, Priority priority) const override {
    return share_of_free(context.pool_of(priority), egress_alpha_);  // [SPFC-N-3]
  }

  [[nodiscard]] std::span<const StatisticSpec> statistics() const override { return kStatistics; }
  [[nodiscard]] Statistic statistic(std::size_t which, PortId port, std::size_t) const override {
    return which == 0 ? victims_.statistic() : Statistic::of_counter(ports_[port.index()].became_victim);
  }

 private:
  struct Port {
    StateDecision decision;
    bool always;  // [SPFC-V-2]
    bool victim;  // as last reported to the switch
    std::uint64_t became_victim = 0;
  };

  /// [SPFC-IRC-3] The smallest integer above the count of departures per interval at 1/K of the port's rate.
  [[nodiscard]] std::int64_t counting_number(const SwitchContext& context, BitRate rate) const {
    const std::int64_t line_rate = bytes_in(interval_, rate).count();
    const std::int64_t unit = counts_bytes_ ? 1 : context.maximum_frame() + context.framing().wire_overhead;
    return line_rate / (unit * k_) + 1;
  }

  /// Notifies the switch if the circuit's output has changed.
  void decide(SwitchContext& context, PortId ingress) {
    Port& port = ports_[ingress.index()];
    const bool victim = port.always || port.decision.victim();
    if (victim == port.victim) return;
    port.victim = victim;
    port.became_victim += victim ? 1 : 0;
    victims_.add(victim ? 1 : -1);
    context.note_threshold(ingress);
  }

  static std::int64_t share_of_free(const PoolState& pool, double alpha) {
    return static_cast<std::int64_t>(alpha * static_cast<double>(std::max<std::int64_t>(0, pool.size - pool.used)));
  }

  Duration interval_;
  std::int64_t k_;
  bool counts_bytes_;
  double alpha_;
  std::int64_t resume_offset_;
  double egress_alpha_;
  std::int64_t always_victim_;
  std::array<std::int64_t, kPriorities> pool_size_{};
  std::vector<Port> ports_;
  TimerId clock_;
  Gauge victims_;  // ports in the victim state
};

/// [SPFC-IN-1]
std::vector<ParameterRefusal> refusals(const Parameters& parameters, const SchemePlace& place) {
  const auto host = parameters.get<std::int64_t>("always_victim");
  if (host == kNoHost) return {};
  if (host >= static_cast<std::int64_t>(place.hosts)) {
    return {{"always_victim", "always_victim is host " + std::to_string(host) +
                                  ", which does not exist; expected 0 to " + std::to_string(place.hosts - 1) +
                                  ", or -1 for none"}};
  }
  const HostId victim(static_cast<std::size_t>(host));
  if (std::binary_search(place.plugged_in.begin(), place.plugged_in.end(), victim)) return {};
  return {
      {"always_victim",
       "always_victim is host " + std::to_string(host) +
           ", which is not connected to a switch with this scheme; expected a host of such a switch, or -1 for none"}};
}

/// [SPFC-TC-3] [SPFC-IN-2]
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around) {
  std::vector<std::string> out;
  const Duration interval = parameters.get<Duration>("interval");
  if (interval < 4 * around.network.longest_round_trip) {
    out.emplace_back(
        "interval is less than 4 base round-trip times of the longest path; the paper requires at least 4");
  }
  if (!around.at_switch) return out;
  const auto& lossless = around.at_switch->lossless;
  const auto& flow_control = around.at_switch->flow_control;
  if (std::find(lossless.begin(), lossless.end(), true) == lossless.end()) {
    out.emplace_back(
        "no priority is lossless, so no port is ever paused and the scheme has no effect; expected switch.lossless "
        "with the priority of the data");
  } else if (std::none_of(flow_control.begin(), flow_control.end(),
                          [](const SchemeInUse& beside) { return beside.scheme->traits.pfc; })) {
    out.emplace_back(
        "its thresholds control PFC, but no flow control sends PFC frames; expected a switch.flow_control that does");
  }
  return out;
}

}  // namespace

const Scheme scheme = {
    .name = "spfc",
    .summary = "selective PFC: ingress ports with victim flows may use the whole buffer (Huang et al. 2024)",
    .traits = {},
    .parameters =
        {
            {.name = "interval",
             .default_value = Duration::picoseconds(100'000'000),
             .meaning = "timeout clock (TC): period over which departures are counted",
             .source = "V.B: TC >= 4 RTT; VII.D: base RTT at most 24 us",
             .minimum = 1e-6,
             .maximum = 1},
            {.name = "k",
             .default_value = std::int64_t{5},
             .meaning =
                 "K_spfc: an ingress port is a victim port if its frames depart at more than 1/K of the port rate",
             .source = "IV.C, fig. 9",
             .minimum = 1,
             .maximum = 1'000'000},
            {.name = "count",
             .default_value = std::string("packets"),
             .meaning = "unit of the ingress rate counter (IRC): packets, with line rate expressed in full packets, or "
                        "bytes on the wire",
             .source = "V.A: packets",
             .choices = {"packets", "bytes"}},
            {.name = "alpha",
             .default_value = 2.0,
             .meaning = "xoff of a normal port is alpha times the free bytes of the service pool",
             .source = "III.B, footnote 2; VII.D",
             .minimum = 1e-6,
             .maximum = 1024},
            {.name = "resume_offset",
             .default_value = Bytes(3072),
             .meaning = "difference between xoff and xon",
             .source = "HPCC simulator: 3 KiB"},
            {.name = "egress_alpha",
             .default_value = 1.0,
             .meaning = "a lossy frame is dropped if its egress port would then hold more than this factor times the "
                        "free bytes of the pool",
             .source = "ConWeave simulator: 1",
             .minimum = 1e-6,
             .maximum = 1024},
            {.name = "always_victim",
             .default_value = kNoHost,
             .meaning = "number of a host whose port is always in the victim state, paused or not; -1: none",
             .source = "III.A: the threshold of P0 is raised by hand",
             .minimum = -1,
             .maximum = 4e9},
        },
    .buffer = [](const Parameters& parameters) -> std::unique_ptr<BufferPolicy> {
      return std::make_unique<Spfc>(parameters);
    },
    .refusals = refusals,
    .warnings = warnings,
};

}  // namespace weir::spfc
