// SPDX-License-Identifier: Apache-2.0
#include "analysis/one_link.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <queue>

#include "traffic/deterministic_math.h"
#include "units/random.h"

namespace weir {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kEndless = std::int64_t{1} << 60;

/// The flows in the order in which they are served; each entry contains the remaining bytes of a flow.
class Ring {
 public:
  void arrive(std::int64_t bytes) { flows_.push_back(bytes); }
  std::int64_t take() {
    const std::int64_t bytes = flows_.front();
    flows_.pop_front();
    return bytes;
  }
  void put_back(std::int64_t bytes) { flows_.push_back(bytes); }

 private:
  std::deque<std::int64_t> flows_;
};

class Line {
 public:
  void arrive(std::int64_t bytes) { flows_.push_back(bytes); }
  std::int64_t take() {
    const std::int64_t bytes = flows_.front();
    flows_.pop_front();
    return bytes;
  }
  void put_back(std::int64_t bytes) { flows_.push_front(bytes); }

 private:
  std::deque<std::int64_t> flows_;
};

/// Flows with equal remaining bytes are interchangeable: which of them is served does not affect the counts.
class Heap {
 public:
  void arrive(std::int64_t bytes) { flows_.push(bytes); }
  std::int64_t take() {
    const std::int64_t bytes = flows_.top();
    flows_.pop();
    return bytes;
  }
  void put_back(std::int64_t bytes) { flows_.push(bytes); }

 private:
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> flows_;
};

/// The intervals between flows, with the mean that results in the load.
class Arrivals {
 public:
  explicit Arrivals(const OneLinkSettings& settings)
      : settings_(settings), times_(settings.seed, 0, 1), sizes_(settings.seed, 0, 2) {
    const double bits = settings.sizes->mean() * 8;
    const double mean = bits * 1e12 / (settings.load * static_cast<double>(settings.rate.bits_per_second()));
    // The mean of a lognormal is exp(mu + sigma^2 / 2).
    scale_ = mean * deterministic::exp(-settings.sigma * settings.sigma / 2);
    mean_ = mean;
  }

  std::int64_t interval() {
    const double draw = settings_.sigma > 0
                            ? scale_ * deterministic::exp(settings_.sigma * deterministic::normal(times_))
                            : mean_ * deterministic::exponential(times_);
    return static_cast<std::int64_t>(draw);
  }
  std::int64_t size() { return settings_.sizes->draw(sizes_).count(); }

 private:
  const OneLinkSettings& settings_;
  RandomStream times_;
  RandomStream sizes_;
  double scale_ = 0;
  double mean_ = 0;
};

/// Counts flows over time.
class Counter {
 public:
  Counter(Duration interval, OneLinkResult& out) : interval_(interval.picoseconds()), out_(out) {}

  /// Starts counting at this time.
  void begin(std::int64_t now) {
    counting_ = true;
    since_ = now;
    next_sample_ = now;
  }
  void change(std::int64_t now, std::int64_t flows) {
    if (counting_) {
      const auto index = static_cast<std::size_t>(flows_);
      if (index >= out_.time_at.size()) out_.time_at.resize(index + 1);
      out_.time_at[index] += now - since_;
      for (; interval_ > 0 && next_sample_ < now; next_sample_ += interval_) {
        out_.sampled.push_back(static_cast<std::uint32_t>(flows_));
      }
      since_ = now;
    }
    flows_ = flows;
  }

 private:
  std::int64_t interval_;
  OneLinkResult& out_;
  bool counting_ = false;
  std::int64_t since_ = 0;
  std::int64_t next_sample_ = 0;
  std::int64_t flows_ = 0;
};

template <class Queue>
OneLinkResult run(const OneLinkSettings& settings, Duration interval) {
  constexpr std::int64_t kBitPicoseconds = 8'000'000'000'000;
  const std::int64_t rate = settings.rate.bits_per_second();
  const auto warm = static_cast<std::uint64_t>(settings.warm_up * static_cast<double>(settings.flows));
  OneLinkResult out;
  Counter counter(interval, out);
  Arrivals arrivals(settings);
  Queue queue;
  std::int64_t active = 0;
  if (settings.permanent) {
    queue.arrive(kEndless);
    counter.change(0, ++active);
  }
  std::uint64_t arrived = 0;
  std::int64_t next_arrival = arrivals.interval();
  std::int64_t served = 0;  // remaining bytes of the flow whose packet is on the wire, before that packet
  std::int64_t done = kNever;
  const auto start = [&](std::int64_t now) {
    served = queue.take();
    done = now + std::min(served, settings.packet) * kBitPicoseconds / rate;
  };
  if (active > 0) start(0);
  while (arrived < settings.flows) {
    if (next_arrival <= done) {
      const std::int64_t now = next_arrival;
      if (arrived == warm) {
        counter.change(now, active);
        counter.begin(now);
      }
      ++arrived;
      counter.change(now, ++active);
      queue.arrive(arrivals.size());
      if (done == kNever) start(now);
      next_arrival = now + arrivals.interval();
      continue;
    }
    const std::int64_t now = done;
    const std::int64_t left = served - std::min(served, settings.packet);
    // A flow that never ends keeps its size.
    if (left > 0) queue.put_back(served == kEndless ? kEndless : left);
    if (left == 0) counter.change(now, --active);
    done = kNever;
    if (active > 0) start(now);
  }
  return out;
}

}  // namespace

OneLinkResult run_one_link(const OneLinkSettings& settings, Duration interval) {
  switch (settings.scheduling) {
    case LinkScheduling::fair:
      return run<Ring>(settings, interval);
    case LinkScheduling::shortest_remaining:
      return run<Heap>(settings, interval);
    case LinkScheduling::first_come:
      break;
  }
  return run<Line>(settings, interval);
}

}  // namespace weir
