// SPDX-License-Identifier: Apache-2.0
// A scheme for tests: it has a parameter of every kind of list and of every network default, and exposes the values
// passed.
#pragma once

#include <memory>
#include <vector>

#include "policy/scheme.h"

namespace weir::stairs {

/// The values of the last congestion point created.
inline Parameters& given() {
  static Parameters parameters;
  return parameters;
}

class Stairs final : public CongestionPoint {
 public:
  explicit Stairs(const Parameters& parameters) { given() = parameters; }
};

inline std::vector<std::string> errors(const Parameters& parameters) {
  if (parameters.get<Duration>("interval") <= parameters.get<Duration>("limit")) return {};
  return {"interval is above limit"};
}

inline const Scheme scheme = {
    .name = "stairs",
    .summary = "thresholds one above the other",
    .traits = {},
    .parameters =
        {
            {.name = "sizes",
             .default_value = std::vector<Bytes>{Bytes(30'000), Bytes(60'000)},
             .meaning = "of the queue, at which a step begins",
             .source = "this test",
             .minimum = 1,
             .maximum = 1e6,
             .least_length = 1,
             .most_length = 4},
            {.name = "shares",
             .default_value = std::vector<double>{0.5},
             .meaning = "of each step",
             .source = "this test",
             .minimum = 0,
             .maximum = 1},
            {.name = "counts",
             .default_value = std::vector<std::int64_t>{},
             .meaning = "of steps",
             .source = "this test",
             .most_length = 3},
            {.name = "times",
             .default_value = std::vector<Duration>{Duration::picoseconds(1'000'000)},
             .meaning = "of each step",
             .source = "this test",
             .minimum = 1e-9,
             .maximum = 1,
             .least_length = 1,
             .most_length = 1},
            {.name = "rates",
             .default_value = std::vector<BitRate>{BitRate(1'000'000'000)},
             .meaning = "of each step",
             .source = "this test"},
            {.name = "interval",
             .default_value = Duration::picoseconds(10'000'000),
             .meaning = "between two looks",
             .source = "this test",
             .minimum = 1e-6,
             .maximum = 1e-3,
             .from_network = {NetworkFigure::round_trip}},
            {.name = "limit",
             .default_value = Duration::picoseconds(1'000'000'000),
             .meaning = "that interval must not be above",
             .source = "this test"},
            {.name = "long_interval",
             .default_value = Duration::picoseconds(10'000'000),
             .meaning = "between looks from afar",
             .source = "this test",
             .from_network = {NetworkFigure::round_trip, 2.5}},
            {.name = "window",
             .default_value = Bytes(10'000),
             .meaning = "of a sender",
             .source = "this test",
             .from_network = {NetworkFigure::bandwidth_delay_product}},
            {.name = "slow",
             .default_value = BitRate(1'000'000'000),
             .meaning = "rate",
             .source = "this test",
             .from_network = {NetworkFigure::lowest_host_rate, 0.5}},
            {.name = "fast",
             .default_value = BitRate(1'000'000'000),
             .meaning = "rate",
             .source = "this test",
             .from_network = {NetworkFigure::highest_host_rate}},
        },
    .congestion_point = [](const Parameters& parameters) -> std::unique_ptr<CongestionPoint> {
      return std::make_unique<Stairs>(parameters);
    },
    .errors = errors,
};

}  // namespace weir::stairs
