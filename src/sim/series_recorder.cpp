// SPDX-License-Identifier: Apache-2.0
#include "sim/series_recorder.h"

#include <algorithm>
#include <utility>

namespace weir {

SeriesRecorder::SeriesRecorder(Joint joint, Duration interval, std::size_t values)
    : joint_(joint), interval_(interval), most_(values) {}

void SeriesRecorder::add(double sample) {
  const Value one{sample, 1};
  if (!values_.empty() && values_.back().samples < samples_a_value_) {
    values_.back() = join(values_.back(), one);
    return;
  }
  if (values_.size() == most_) {
    for (std::size_t i = 0; i < most_ / 2; ++i) values_[i] = join(values_[2 * i], values_[2 * i + 1]);
    values_.resize(most_ / 2);
    samples_a_value_ *= 2;
    interval_ = interval_ + interval_;
  }
  values_.push_back(one);
}

SeriesRecorder::Value SeriesRecorder::join(const Value& a, const Value& b) const {
  const std::size_t samples = a.samples + b.samples;
  if (joint_ == Joint::highest) return {std::max(a.value, b.value), samples};
  const double sum = a.value * static_cast<double>(a.samples) + b.value * static_cast<double>(b.samples);
  return {sum / static_cast<double>(samples), samples};
}

Series SeriesRecorder::series(std::string name) const {
  Series series{std::move(name), interval_, {}};
  for (const Value& value : values_) series.values.push_back(value.value);
  return series;
}

}  // namespace weir
