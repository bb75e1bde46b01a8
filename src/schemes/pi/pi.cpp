// SPDX-License-Identifier: Apache-2.0
#include "schemes/pi/pi.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir::pi {

using namespace literals;

namespace {

/// Groups are priorities.
constexpr StatisticSpec kStatistics[] = {{.name = "pi.probability",
                                          .unit = "",
                                          .kind = StatisticSpec::Kind::gauge,
                                          .scope = StatisticSpec::Scope::queue_group,
                                          .groups = kPriorities}};

class Pi final : public CongestionPoint {
 public:
  explicit Pi(const Parameters& parameters)
      : reference_(parameters.get<Bytes>("reference").count()),
        interval_(parameters.get<Duration>("interval")),
        proportional_(parameters.get<double>("proportional") / 1e3),
        integral_(parameters.get<double>("integral") / 1e3 * interval_.seconds()) {}

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.depart = true;
    return hooks;
  }

  void attach(SwitchContext& context) override {
    timer_ = context.new_timer(*this);
    controllers_.resize(context.ports() * kPriorities);
  }

  // [PI-3] Only ECN-capable data is marked; an existing mark stays.
  void on_depart(SwitchContext& context, QueueId, Frame& frame) override {
    if (frame.is_control()) return;
    if (!running_) start(context);
    const double probability = controllers_[frame.egress.index() * kPriorities + frame.priority].probability;
    if (probability <= 0 || frame.ecn() != Ecn::capable) return;
    if (context.random().uniform() < probability) frame.set_ecn(Ecn::congestion_experienced);
  }

  void on_timer(SwitchContext& context, TimerId) override {
    bool busy = false;
    for (std::size_t place = 0; place < controllers_.size(); ++place) {
      Controller& controller = controllers_[place];
      const std::int64_t length = context.egress_bytes(PortId(place / kPriorities), Priority(place % kPriorities));
      update(controller, length);
      busy = busy || length > 0 || controller.probability > 0;
    }
    running_ = busy;
    if (!busy) return;
    next_ += interval_;
    context.arm(timer_, next_);
  }

  [[nodiscard]] std::span<const StatisticSpec> statistics() const override { return kStatistics; }
  [[nodiscard]] Statistic statistic(std::size_t, PortId port, std::size_t priority) const override {
    const Controller& controller = controllers_[port.index() * kPriorities + priority];
    return {controller.probability, controller.most};
  }

 private:
  struct Controller {
    double probability = 0;
    double most = 0;          // largest so far
    std::int64_t length = 0;  // at the last update
  };

  // [PI-4] Nothing changes at rest: the length is and was zero, and so is the probability.
  void start(SwitchContext& context) {
    running_ = true;
    next_ = context.now() + interval_;
    context.arm(timer_, next_);
  }

  // [PI-1] [PI-2]
  void update(Controller& controller, std::int64_t length) const {
    const auto change = static_cast<double>(length - controller.length);
    const auto error = static_cast<double>(length - reference_);
    controller.probability = std::clamp(controller.probability + proportional_ * change + integral_ * error, 0.0, 1.0);
    controller.length = length;
    controller.most = std::max(controller.most, controller.probability);
  }

  std::int64_t reference_;
  Duration interval_;
  double proportional_;  // per byte
  double integral_;      // per byte and update
  TimerId timer_;
  Time next_;
  bool running_ = false;
  std::vector<Controller> controllers_;  // by egress and priority
};

}  // namespace

const Scheme scheme = {
    .name = "pi",
    .summary = "ECN marking with a probability set by a PI controller that regulates the queue length: DCQCN+PI",
    .traits = {.marks = true},
    .parameters =
        {
            {"reference", Bytes(100'000), "reference queue length",
             "ours: RoCC 6.1 compares with DCQCN+PI but gives no value", 1, 1e12},
            {"interval", 40_us, "interval between updates", "ours: about the feedback interval of DCQCN, 50 us", 1e-7,
             1},
            {"proportional", 5e-5, "gain on the change of the queue length, in probability per KB",
             "the slope of DCQCN's RED: Pmax 1 % over Kmin to Kmax, 195 KB", 0, 1e3},
            {"integral", 3.55e-3, "gain on the deviation from the reference, in probability per KB and second",
             "Hollot's rule: proportional x DCQCN's g / alpha_timer, see pi.md", 0, 1e9},
        },
    .congestion_point = [](const Parameters& parameters) -> std::unique_ptr<CongestionPoint> {
      return std::make_unique<Pi>(parameters);
    },
};

}  // namespace weir::pi
