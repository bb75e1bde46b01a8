// SPDX-License-Identifier: Apache-2.0
#include "analysis/spfc_model.h"

#include <algorithm>
#include <numeric>

namespace weir::spfc_model {

double departure_rate(double input, double growth) {
  return input - growth;
}

double held(std::span<const double> queues) {
  return std::accumulate(queues.begin(), queues.end(), 0.0);
}

double normal_threshold(double alpha, double pool, double victim_bytes, double normal_bytes) {
  return alpha * std::max(0.0, pool - victim_bytes - normal_bytes);
}

double normal_queue(double alpha, double pool, double victim_bytes, double ports) {
  return alpha * std::max(0.0, pool - victim_bytes) / (1 + alpha * ports);
}

double burst_growth(double n) {
  return 1 - 1 / (n + 1);
}

double victim_growth(double n, double epsilon) {
  return epsilon - 1 / (n + 1);
}

double burst_departure_rate(double n) {
  return 1 / (n + 1);
}

double victim_departure_rate(double n, double epsilon) {
  return (1 - epsilon) + 1 / (n + 1);
}

double largest_k(double n) {
  return n + 1;
}

double smallest_k(double n, double epsilon) {
  return (n + 1) / ((1 - epsilon) * (n + 1) + 1);
}

bool separates(double k, double n, double epsilon) {
  return largest_k(n) >= k && k > smallest_k(n, epsilon);
}

double largest_epsilon(double k, double n) {
  return std::min(1.0, 1 - 1 / k + 1 / (n + 1));
}

double covered(double k, int ports) {
  constexpr int kSteps = 1000;
  const int most = ports - 3;
  int inside = 0;
  for (int n = 1; n <= most; ++n) {
    for (int step = 0; step < kSteps; ++step) {
      if (separates(k, n, (step + 0.5) / kSteps)) ++inside;
    }
  }
  return static_cast<double>(inside) / (static_cast<double>(most) * kSteps);
}

}  // namespace weir::spfc_model
