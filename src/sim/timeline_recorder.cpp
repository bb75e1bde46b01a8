#include "sim/timeline_recorder.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace weir {
namespace {

std::uint32_t clipped(std::int64_t value) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(value, 0, kMost));
}

std::uint32_t sum(std::uint32_t a, std::uint32_t b) {
  return clipped(std::int64_t{a} + std::int64_t{b});
}

}  // namespace

TimelineRecorder::TimelineRecorder(std::size_t links, Duration interval, std::size_t intervals, std::size_t pauses)
    : links_(links),
      intervals_(intervals),
      most_pauses_(pauses),
      interval_(interval),
      arrived_(links),
      carried_(links * intervals),
      queued_(links * intervals),
      open_(links, kNone) {}

void TimelineRecorder::look(std::size_t link, std::int64_t arrived, std::int64_t queued) {
  if (!looked_) {
    looked_ = true;
    if (current_ == intervals_) join_neighbours();
  }
  const std::size_t at = current_ * links_ + link;
  carried_[at] = sum(carried_[at], clipped(arrived - arrived_[link]));
  queued_[at] = std::max(queued_[at], clipped(queued));
  arrived_[link] = arrived;
}

void TimelineRecorder::end_sample() {
  looked_ = false;
  if (++samples_ < samples_an_interval_) return;
  samples_ = 0;
  ++current_;
}

void TimelineRecorder::join_neighbours() {
  for (std::size_t interval = 0; interval < intervals_ / 2; ++interval) {
    for (std::size_t link = 0; link < links_; ++link) {
      const std::size_t to = interval * links_ + link;
      const std::size_t first = 2 * interval * links_ + link;
      const std::size_t second = first + links_;
      carried_[to] = sum(carried_[first], carried_[second]);
      queued_[to] = std::max(queued_[first], queued_[second]);
    }
  }
  const auto kept = static_cast<std::ptrdiff_t>(intervals_ / 2 * links_);
  std::fill(carried_.begin() + kept, carried_.end(), 0);
  std::fill(queued_.begin() + kept, queued_.end(), 0);
  current_ = intervals_ / 2;
  samples_an_interval_ *= 2;
  interval_ = interval_ + interval_;
}

void TimelineRecorder::pause(std::size_t link, Time now) {
  if (pauses_.size() == most_pauses_) {
    ++pauses_left_out_;
    return;
  }
  open_[link] = static_cast<std::uint32_t>(pauses_.size());
  pauses_.push_back({static_cast<std::uint32_t>(link), now, Time::never()});
}

void TimelineRecorder::resume(std::size_t link, Time now) {
  if (open_[link] == kNone) return;
  pauses_[open_[link]].end = now;
  open_[link] = kNone;
}

Timeline TimelineRecorder::finish(Time now) {
  Timeline timeline;
  timeline.interval = interval_;
  timeline.intervals = current_ + (samples_ > 0 || looked_ ? 1 : 0);
  timeline.carried.resize(links_ * timeline.intervals);
  timeline.queued.resize(links_ * timeline.intervals);
  for (std::size_t interval = 0; interval < timeline.intervals; ++interval) {
    for (std::size_t link = 0; link < links_; ++link) {
      timeline.carried[link * timeline.intervals + interval] = carried_[interval * links_ + link];
      timeline.queued[link * timeline.intervals + interval] = queued_[interval * links_ + link];
    }
  }
  for (const std::uint32_t open : open_) {
    if (open != kNone) pauses_[open].end = now;
  }
  timeline.pauses = std::move(pauses_);
  timeline.pauses_left_out = pauses_left_out_;
  return timeline;
}

}  // namespace weir
