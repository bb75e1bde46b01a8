// SPDX-License-Identifier: Apache-2.0
#include "analysis/pyrrha_model.h"

#include <array>
#include <cmath>

namespace weir::pyrrha_model {
namespace {

/// One number for each hop of the longest path: own ToR, aggregation of the pod, core, other aggregation, other ToR.
using Hops = std::array<double, 5>;

double sum(const Hops& hops) {
  double out = 0;
  for (const double hop : hops) out += hop;
  return out;
}

Hops path_tables(PathTables tables, double k) {
  const double n = hosts(k);
  const double half = k / 2;
  const double pod = k * k / 4;  // hosts, cores
  const double other_aggregations = (k - 1) * half;
  const double other_tors = k * half - 1;
  switch (tables) {
    case PathTables::none:
      return {n, half * n, pod * n, other_aggregations * n, other_tors * n};
    case PathTables::up_down:
      // The other ToRs of the own pod keep whole tables: "all switches in its source pod" (E.1.2).
      return {n, half * n, pod * n, other_aggregations * pod, (half - 1) * n + (k - 1) * half * half};
    case PathTables::equal_path:
      return {half, pod, n, (k - 1) * n, other_tors * half};
    case PathTables::full:
      return {half, pod, n, (k - 1) * pod, other_tors * half};
    case PathTables::regular:
      return {1, half, 0, 0, 0};
    case PathTables::source:
      break;
  }
  return {};
}

Hops ports(double k) {
  const double half = k / 2;
  return {k, half * k, k * k / 4 * k, (k - 1) * half * k, (k * half - 1) * k};
}

/// Entries of so many bits, as many to a word as fit.
double table(double entries, double bits, const Memory& memory) {
  const double words = std::ceil(entries / std::floor(memory.word / bits));
  return std::ceil(words * memory.word / 8 / memory.block) * memory.block;
}

double tables(const Hops& hops, double bits, const Memory& memory) {
  double out = 0;
  for (const double entries : hops) out += table(entries, bits, memory);
  return out;
}

}  // namespace

double hosts(double k) {
  return k * k * k / 4;
}

double path_entries(PathTables tables, double k) {
  return sum(path_tables(tables, k));
}

double path_memory(PathTables of, double k, const Memory& memory) {
  return tables(path_tables(of, k), of == PathTables::regular ? memory.seed : memory.address + memory.port, memory);
}

double root_entries(double k) {
  return sum(ports(k));
}

double root_memory(double k, const Memory& memory) {
  return tables(ports(k), 1, memory);
}

double queue_entries(bool hierarchical, double k) {
  // A port of a last ToR, and the aggregation switch of its pod from which packets arrive.
  return hierarchical ? sum(ports(k)) : k * hosts(k) * k / 2;
}

double queue_memory(bool hierarchical, double k, const Memory& memory) {
  if (hierarchical) return tables(ports(k), 1, memory) + tables(ports(k), memory.queue, memory);
  const double entries = queue_entries(false, k);
  return table(entries, 1, memory) + table(entries, memory.queue, memory);
}

}  // namespace weir::pyrrha_model
