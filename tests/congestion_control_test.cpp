// Congestion controls in a whole network: flows come to equal rates, and the queue to the length it is held at.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "whole_network.h"

namespace weir::whole {
namespace {

/// The mean of what is queued at a port of a switch, over the frames that leave it from an instant on.
class QueueAtDeparture final : public SwitchObserver {
 public:
  QueueAtDeparture(PortId port, Time from) : port_(port), from_(from) {}
  [[nodiscard]] bool watches_frames() const override { return true; }
  void on_depart(const SwitchContext& context, QueueId, const Frame& frame) override {
    if (frame.egress != port_ || context.now() < from_) return;
    sum_ += static_cast<double>(context.port(port_).queued_bytes);
    ++frames_;
    bytes_[frame.source.index()] += frame.frame_bytes;
  }
  [[nodiscard]] double mean() const { return sum_ / static_cast<double>(frames_); }
  /// Frame bytes by source.
  [[nodiscard]] const std::vector<std::int64_t>& bytes() const { return bytes_; }

 private:
  PortId port_;
  Time from_;
  double sum_ = 0;
  std::uint64_t frames_ = 0;
  std::vector<std::int64_t> bytes_ = std::vector<std::int64_t>(64);
};

/// Long-running flows from hosts 0.. to one more; what leaves for it in the second half of a run.
QueueAtDeparture watched(Settings settings, std::size_t senders, Duration length) {
  std::vector<FlowSpec> flows;
  for (std::size_t host = 0; host < senders; ++host) flows.push_back(flow(host, senders, kLongRunning));
  offer(settings, flows);
  settings.run.stop = at(length);
  QueueAtDeparture observer(PortId(senders), at(length / 2));
  Simulation simulation(settings);
  simulation.fabric().switch_by(SwitchId(0)).observe(&observer);
  EXPECT_EQ(simulation.run().failure, "");
  return observer;
}

double utilisation(const QueueAtDeparture& course, std::size_t senders, BitRate rate, Duration time) {
  const auto& bytes = course.bytes();
  const std::int64_t sum =
      std::accumulate(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(senders), std::int64_t{0});
  return static_cast<double>(sum) * 8 * 1'086 / 1'066 / (static_cast<double>(rate.bits_per_second()) * time.seconds());
}

/// QCN at the rate it was made for: the queue near the set point, the link full. Its rates drift apart, as it is
/// known for (Zhang and Ansari, FQCN, 2013), but nobody starves.
TEST(CongestionControl, QcnHoldsTheQueueNearItsSetPoint) {
  constexpr LinkSpec kLink{BitRate(10'000'000'000), Duration::picoseconds(1'000'000)};
  constexpr std::size_t kSenders = 4;
  Settings settings = lossless_network(star(kSenders + 1, kLink), 1_ms);
  settings.switches.congestion_point = {choose("qcn")};
  settings.hosts.congestion_control = choose("qcn");
  const QueueAtDeparture course = watched(settings, kSenders, 400_ms);
  EXPECT_GT(course.mean(), 10e3);
  EXPECT_LT(course.mean(), 52e3);
  EXPECT_GT(utilisation(course, kSenders, kLink.rate, 200_ms), 0.95);
  const auto [least, most] = std::minmax_element(course.bytes().begin(), course.bytes().begin() + kSenders);
  EXPECT_GT(*least * 10, *most);
}

}  // namespace
}  // namespace weir::whole
