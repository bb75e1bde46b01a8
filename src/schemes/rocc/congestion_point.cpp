// SPDX-License-Identifier: Apache-2.0
#include "schemes/rocc/congestion_point.h"

#include <array>
#include <bit>
#include <string>
#include <vector>

#include "schemes/rocc/feedback.h"
#include "schemes/rocc/hashed_tables.h"
#include "schemes/rocc/sampled_tables.h"
#include "schemes/rocc/tuning.h"

namespace weir::rocc {
namespace {

constexpr std::array kGauges = {GaugeSpec{"rocc.fair_rate", "bit/s"}};

/// In the order of the cases in statistic().
constexpr auto kStatistics = std::to_array<StatisticSpec>({
    {.name = "rocc.fair_rate",
     .unit = "bit/s",
     .kind = StatisticSpec::Kind::gauge,
     .scope = StatisticSpec::Scope::port},
    {.name = "rocc.flows_told", .unit = "", .kind = StatisticSpec::Kind::gauge, .scope = StatisticSpec::Scope::port},
    {.name = "rocc.updates_told", .unit = "", .scope = StatisticSpec::Scope::port},
    {.name = "rocc.notifications", .unit = "frames", .scope = StatisticSpec::Scope::port},
});

Form form_of(const Parameters& parameters) {
  if (parameters.get<std::string>("computed_at") == "switch") return Form::rate;
  return parameters.get<std::string>("feedback") == "registry" ? Form::registry : Form::all_values;
}

/// One table per port. Instantiated for each kind of table, so that the choice costs nothing per frame.
template <class Table>
class FairRatePoint final : public CongestionPoint {
 public:
  explicit FairRatePoint(const Parameters& parameters)
      : tuning_(parameters),
        form_(form_of(parameters)),
        priority_(static_cast<Priority>(parameters.get<std::int64_t>("feedback_priority"))),
        entries_(static_cast<std::size_t>(parameters.get<std::int64_t>("table_entries"))),
        table_({.entries = 0,
                .age = parameters.get<Duration>("flow_age"),
                .sample_every = static_cast<std::uint32_t>(parameters.get<std::int64_t>("sample_every")),
                .hits = static_cast<std::uint32_t>(parameters.get<std::int64_t>("elephant_hits"))}) {}

  [[nodiscard]] Hooks hooks() const override {
    return {.enter = true,
            .depart = Table::kCountsDepartures,
            .drop = Table::kCountsDepartures,
            .withdraw = Table::kCountsDepartures};
  }

  void attach(SwitchContext& context) override {
    for (std::size_t i = 0; i < context.ports(); ++i) {
      const LoopSettings settings = tuning_.at(context.port(PortId(i)).rate);
      TableSettings table = table_;
      table.entries = std::bit_ceil(entries_ > 0 ? entries_ : Table::entries_for(most_flows(settings)));
      ports_.push_back({settings, initial_state(settings), {}, Table(table)});
      ports_.back().fair_rate.set(gauge(0, PortId(i)));
    }
    awake_ports_.reserve(ports_.size());
    timer_ = context.new_timer(*this);
  }

  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override {
    if (frame.is_control() || !counts(context, queue)) return;
    Port& port = ports_[frame.egress.index()];
    port.table.enter(Flow::of(frame), context.now(), context.random());
    if (!port.awake) wake(context, frame.egress);
  }
  void on_depart(SwitchContext&, QueueId, Frame& frame) override { leave(frame); }
  void on_drop(SwitchContext& context, QueueId queue, const Frame& frame, DropReason) override {
    if (queue.exists() && counts(context, queue)) leave(frame);
  }
  void on_withdraw(SwitchContext& context, QueueId queue, Frame& frame) override {
    if (counts(context, queue)) leave(frame);
  }
  void on_link(SwitchContext&, PortId port, bool) override {
    Port& state = ports_[port.index()];
    state.loop = initial_state(state.settings);
    state.fair_rate.set(gauge(0, port));
    state.told.set(0);
    state.table.clear();
  }

  // [ROCC-CP-1] Every T; idle ports are skipped, because an update would change nothing there.
  void on_timer(SwitchContext& context, TimerId) override {
    std::size_t kept = 0;
    for (const PortId port : awake_ports_) {
      update(context, port);
      if (!ports_[port.index()].at_rest()) {
        awake_ports_[kept++] = port;
      } else {
        ports_[port.index()].awake = false;
      }
    }
    awake_ports_.resize(kept);
    if (kept > 0) context.arm(timer_, context.now() + tuning_.update_interval);
    next_port_ = next_slot_ = 0;
    on_more(context);
  }

  // [ROCC-CP-8] CNPs for some of the flows, in order; the rest follow at the same instant when these are queued.
  void on_more(SwitchContext& context) override {
    int sent = 0;
    for (; next_port_ < awake_ports_.size(); ++next_port_, next_slot_ = 0) {
      Port& port = ports_[awake_ports_[next_port_].index()];
      for (; port.tells && next_slot_ < port.table.slots(); ++next_slot_) {
        const Flow* flow = port.table.told(next_slot_, context.now());
        if (flow == nullptr) continue;
        if (sent++ == kFramesACall) return context.more(*this);
        if (!tell(context, awake_ports_[next_port_], *flow)) return;  // no frame left: the others get the next rate
        ++port.notifications;
        port.told.add(1);
      }
    }
  }

  [[nodiscard]] std::span<const GaugeSpec> gauges() const override { return kGauges; }
  [[nodiscard]] double gauge(std::size_t, PortId port) const override {
    return static_cast<double>(tuning_.rate_of(ports_[port.index()].loop.whole_rate()).bits_per_second());
  }
  [[nodiscard]] std::span<const StatisticSpec> statistics() const override { return kStatistics; }
  [[nodiscard]] Statistic statistic(std::size_t which, PortId port, std::size_t) const override {
    const Port& state = ports_[port.index()];
    switch (which) {
      case 0:
        return state.fair_rate.statistic();
      case 1:
        return state.told.statistic();
      case 2:
        return Statistic::of_counter(state.updates_told);
      default:
        return Statistic::of_counter(state.notifications);
    }
  }

 private:
  static constexpr int kFramesACall = 32;

  struct Port {
    LoopSettings settings;
    LoopState loop;
    LoopState before;  // the last update
    Table table;
    std::int64_t length = 0;  // Q_cur of the last update
    bool awake = false;       // in awake_ports_
    bool tells = false;       // since the last update
    // For measurement only.
    Gauge fair_rate{0};              // in bit/s
    Gauge told{0};                   // flows that were sent the last update
    std::uint64_t updates_told = 0;  // updates that are sent to the flows of the table
    std::uint64_t notifications = 0;

    /// At F_max with an empty queue, as at the update before.
    [[nodiscard]] bool at_rest() const { return loop == initial_state(settings) && before == loop; }
  };

  /// [ROCC-FT-2] F_max / F_min: with more flows, none gets its fair rate.
  static std::size_t most_flows(const LoopSettings& settings) {
    return static_cast<std::size_t>(settings.f_maximum / settings.f_minimum);
  }

  /// Once per hop: the queue from which a frame goes onto the wire, not those before it.
  static bool counts(const SwitchContext& context, QueueId queue) {
    return context.queue(queue).service == Service::scheduled;
  }
  void leave(const Frame& frame) {
    if (!frame.is_control()) ports_[frame.egress.index()].table.leave(Flow::of(frame));
  }

  /// The next update is at a multiple of T since the start, whenever the port becomes active.
  void wake(SwitchContext& context, PortId port) {
    ports_[port.index()].awake = true;
    awake_ports_.push_back(port);
    if (awake_ports_.size() > 1) return;
    const Duration passed = context.now().since_start() % tuning_.update_interval;
    context.arm(timer_, context.now() + (tuning_.update_interval - passed));
  }

  void update(const SwitchContext& context, PortId number) {
    Port& port = ports_[number.index()];
    port.before = port.loop;
    port.length = tuning_.length_of(context.port(number).queued_bytes);
    port.loop = updated(port.settings, port.before, port.length);
    // [ROCC-CP-11] At F_max without a queue, the port is not congested; the flows that congested it are sent this once.
    // With a queue, a flow from a faster link may congest it, and is limited to F_max.
    const std::int64_t most = port.settings.f_maximum << kRateBits;
    port.tells = port.loop.rate < most || port.before.rate < most || port.length > 0;
    port.fair_rate.set(gauge(0, number));
    port.told.set(0);
    port.updates_told += port.tells ? 1 : 0;
  }

  bool tell(SwitchContext& context, PortId number, const Flow& flow) {
    const FrameId id = context.frames().allocate();
    if (!id.exists()) return false;
    Frame& frame = context.frames()[id];
    const Port& port = ports_[number.index()];
    const Feedback feedback = {.form = form_,
                               .point = context.id().value << 16 | (number.value & 0xffffu),
                               .rate = port.loop.whole_rate(),
                               .before = port.before,
                               .length = port.length,
                               .settings = port.settings,
                               .port_rate = context.port(number).rate};
    if (!write(feedback, context.frames(), frame)) {
      context.frames().release(id);
      return false;
    }
    frame.priority = priority_;
    frame.source = flow.destination;  // with the queue pair, identifies the flow at its source
    frame.destination = flow.source;
    frame.queue_pair = flow.queue_pair;
    context.send_to_host(id);
    return true;
  }

  Tuning tuning_;
  Form form_;
  Priority priority_;
  std::size_t entries_;
  TableSettings table_;
  std::vector<Port> ports_;
  std::vector<PortId> awake_ports_;
  TimerId timer_;
  std::size_t next_port_ = 0;  // progress of the iteration at this instant
  std::size_t next_slot_ = 0;
};

}  // namespace

std::unique_ptr<CongestionPoint> make_congestion_point(const Parameters& parameters) {
  const std::string& table = parameters.get<std::string>("flow_table");
  if (table == "bounded") return std::make_unique<FairRatePoint<BoundedTable>>(parameters);
  if (table == "afd") return std::make_unique<FairRatePoint<AfdTable>>(parameters);
  if (table == "elephant_trap") return std::make_unique<FairRatePoint<ElephantTrap>>(parameters);
  if (table == "bubble_cache") return std::make_unique<FairRatePoint<BubbleCache>>(parameters);
  return std::make_unique<FairRatePoint<QueueTable>>(parameters);
}

}  // namespace weir::rocc
