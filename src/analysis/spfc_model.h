// SPDX-License-Identifier: Apache-2.0
// SPFC's flow model: at what rates packets leave victim and burst ports, and which K tells the two apart.
#pragma once

#include <span>

namespace weir::spfc_model {

// Huang et al., IEEE/ACM ToN 2024, IV.B to IV.D and the appendix. Rates are shares of the line rate C. `n` ports burst
// into the port that a part `epsilon` of the victim port's traffic goes to; n >= 0, 0 <= epsilon <= 1.

/// Equation 2: what leaves an ingress of which `input` comes in while its queue grows by `growth`, all in one unit.
double departure_rate(double input, double growth);
/// Equation 3: what ports hold together.
double held(std::span<const double> queues);
/// Equation 4: xoff of a normal port when victim and normal ports hold so much of `pool`, all in one unit.
double normal_threshold(double alpha, double pool, double victim_bytes, double normal_bytes);
/// What each of `ports` normal ports holds when all of them have come to that threshold, in the unit of `pool`: for one
/// port and no victims alpha / (1 + alpha) of the pool (II.D). `ports` >= 0.
double normal_queue(double alpha, double pool, double victim_bytes, double ports);
/// How fast the queue of a burst port grows, and that of the victim port, while both send at C. The congested port
/// serves all n + 1 alike.
double burst_growth(double n);
double victim_growth(double n, double epsilon);
/// Equation 5: of each burst port.
double burst_departure_rate(double n);
/// Equation 6: of the victim port while the others burst.
double victim_departure_rate(double n, double epsilon);
/// Equation 8, on the left: K must not be above it (IV.B: a port is a victim port above C/K, not at it), or burst ports
/// pass for victim ports.
double largest_k(double n);
/// Equation 8, on the right: K must be above it, or the victim port passes for a burst port.
double smallest_k(double n, double epsilon);
/// Equation 7: whether K tells the two apart. With burst ports at just C/K it does (spfc.md, Unstated).
bool separates(double k, double n, double epsilon);
/// The largest epsilon with which K tells them apart (IV.C: 0.8 + 1 / (n + 1) for K = 5), at most 1.
double largest_epsilon(double k, double n);
/// The part of figure 9's plane that K covers: n = 1 to ports - 3 (two ports receive, one is the victim's), epsilon
/// evenly from 0 to 1. `ports` >= 4.
double covered(double k, int ports);

}  // namespace weir::spfc_model
