// SPDX-License-Identifier: Apache-2.0
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
      open_(links, kNone) {}

void TimelineRecorder::begin_sample() {
  looked_ = true;
  if (current_ == intervals_) join_neighbours();
  if (current_ == recorded_.size()) recorded_.emplace_back(links_);
  recording_ = recorded_[current_].data();
}

void TimelineRecorder::record(std::size_t link, std::int64_t arrived, std::int64_t queued) {
  Cell& cell = recording_[link];
  cell.carried = sum(cell.carried, clipped(arrived - arrived_[link]));
  cell.queued = std::max(cell.queued, clipped(queued));
  arrived_[link] = arrived;
}

void TimelineRecorder::end_sample() {
  looked_ = false;
  if (++samples_ < samples_an_interval_) return;
  samples_ = 0;
  ++current_;
}

void TimelineRecorder::join_neighbours() {
  const std::size_t half = intervals_ / 2;
  for (std::size_t interval = 0; interval < half; ++interval) {
    std::vector<Cell> joined = std::move(recorded_[2 * interval]);
    const std::vector<Cell>& second = recorded_[2 * interval + 1];
    for (std::size_t link = 0; link < links_; ++link) {
      joined[link].carried = sum(joined[link].carried, second[link].carried);
      joined[link].queued = std::max(joined[link].queued, second[link].queued);
    }
    recorded_[interval] = std::move(joined);
  }
  recorded_.resize(half);
  current_ = half;
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
      timeline.carried[link * timeline.intervals + interval] = recorded_[interval][link].carried;
      timeline.queued[link * timeline.intervals + interval] = recorded_[interval][link].queued;
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
