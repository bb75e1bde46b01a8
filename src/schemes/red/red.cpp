// SPDX-License-Identifier: Apache-2.0
#include "schemes/red/red.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "units/int128.h"

namespace weir::red {
namespace {

class Red final : public CongestionPoint {
 public:
  explicit Red(const Parameters& parameters)
      : kmin_(parameters.get<Bytes>("kmin").count()),
        kmax_(parameters.get<Bytes>("kmax").count()),
        pmax_(parameters.get<double>("pmax")),
        at_dequeue_(parameters.get<std::string>("mark_at") == "dequeue"),
        scale_with_rate_(parameters.get<bool>("scale_with_rate")),
        reference_rate_(parameters.get<BitRate>("reference_rate")) {}

  [[nodiscard]] Hooks hooks() const override {
    Hooks hooks;
    hooks.enter = !at_dequeue_;
    hooks.depart_if_queued = at_dequeue_;  // an empty queue is never above kmin
    return hooks;
  }

  void attach(SwitchContext& context) override {
    for (std::size_t port = 0; port < context.ports(); ++port) {
      const BitRate rate = context.port(PortId(port)).rate;
      thresholds_.push_back({scaled(kmin_, rate), scaled(kmax_, rate)});
    }
  }

  void on_enter(SwitchContext& context, QueueId queue, Frame& frame) override {
    // [RED-5] Once per hop: at the queue from which the frame goes onto the wire, not at the stages before it.
    if (context.queue(queue).service == Service::scheduled) decide(context, queue, frame);
  }

  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override { decide(context, queue, frame); }

 private:
  struct Thresholds {
    std::int64_t kmin;
    std::int64_t kmax;
  };

  /// [RED-4] A threshold given for the reference rate, at a port of `rate`.
  [[nodiscard]] std::int64_t scaled(std::int64_t threshold, BitRate rate) const {
    if (!scale_with_rate_) return threshold;
    const auto product = static_cast<Int128>(threshold) * rate.bits_per_second();
    constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::min(kMost, product / reference_rate_.bits_per_second()));
  }

  void decide(SwitchContext& context, QueueId queue, Frame& frame) const {
    if (frame.is_control() || frame.ecn() != Ecn::capable) return;  // [RED-3]
    const Thresholds& threshold = thresholds_[frame.egress.index()];
    const std::int64_t length = context.signalled_length(queue, frame);  // [RED-2]
    if (length <= threshold.kmin) return;
    if (length <= threshold.kmax) {
      // [RED-1] The probability rises linearly; above kmax every frame is marked.
      const double probability =
          pmax_ * static_cast<double>(length - threshold.kmin) / static_cast<double>(threshold.kmax - threshold.kmin);
      if (context.random().uniform() >= probability) return;
    }
    frame.set_ecn(Ecn::congestion_experienced);
  }

  std::int64_t kmin_;
  std::int64_t kmax_;
  double pmax_;
  bool at_dequeue_;
  bool scale_with_rate_;
  BitRate reference_rate_;
  std::vector<Thresholds> thresholds_;  // by egress
};

std::vector<std::string> errors(const Parameters& parameters) {
  std::vector<std::string> out;
  if (parameters.get<Bytes>("kmin") > parameters.get<Bytes>("kmax")) out.emplace_back("kmin is above kmax");
  return out;
}

}  // namespace

const Scheme scheme = {
    .name = "red",
    .summary = "ECN marking with a probability that rises with the queue length",
    .traits = {.marks = true},
    .parameters =
        {
            {.name = "kmin",
             .default_value = Bytes(100'000),
             .meaning = "queue length up to which no frame is marked",
             .source = "HPCC simulator: 100 KB at 25 Gbit/s"},
            {.name = "kmax",
             .default_value = Bytes(400'000),
             .meaning = "queue length above which every frame is marked",
             .source = "HPCC simulator: 400 KB at 25 Gbit/s"},
            {.name = "pmax",
             .default_value = 0.2,
             .meaning = "marking probability at kmax",
             .source = "HPCC simulator",
             .maximum = 1},
            {.name = "scale_with_rate",
             .default_value = true,
             .meaning = "kmin and kmax apply to reference_rate and scale with the port rate",
             .source = "HPCC simulator"},
            {.name = "reference_rate",
             .default_value = BitRate(25'000'000'000),
             .meaning = "port rate to which kmin and kmax apply unscaled",
             .source = "HPCC simulator",
             .minimum = 1},
            {.name = "mark_at",
             .default_value = std::string("dequeue"),
             .meaning = "when the queue length is evaluated: at dequeue, without the departing frame; at enqueue, "
                        "including the arriving frame",
             .source = "HPCC simulator: at dequeue, without the departing frame",
             .choices = {"enqueue", "dequeue"}},
        },
    .congestion_point = [](const Parameters& parameters) -> std::unique_ptr<CongestionPoint> {
      return std::make_unique<Red>(parameters);
    },
    .errors = errors,
    .idle = [](const Parameters& parameters) -> std::vector<IdleParameter> {
      if (parameters.get<bool>("scale_with_rate")) return {};
      return {{"reference_rate", "scale_with_rate = false"}};
    },
};

}  // namespace weir::red
