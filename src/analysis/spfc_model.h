// SPDX-License-Identifier: Apache-2.0
// SPFC's flow model: the rates at which packets leave victim and burst ports, and which K distinguishes the two.
#pragma once

#include <span>

namespace weir::spfc_model {

// Huang et al., IEEE/ACM ToN 2024, IV.B to IV.D and the appendix. Rates are fractions of the line rate C. `n` ports
// burst into the port to which a part `epsilon` of the victim port's traffic goes; n >= 0, 0 <= epsilon <= 1.

/// Equation 2: the departure rate of an ingress with arrival rate `input` while its queue grows at rate `growth`, all
/// in the same unit.
double departure_rate(double input, double growth);
/// Equation 3: the total bytes in ports.
double held(std::span<const double> queues);
/// Equation 4: xoff of a normal port when victim and normal ports contain this many bytes of `pool`, all in the same
/// unit.
double normal_threshold(double alpha, double pool, double victim_bytes, double normal_bytes);
/// The bytes in each of `ports` normal ports when all of them have reached that threshold, in the unit of `pool`: for
/// one port and no victims, alpha / (1 + alpha) of the pool (II.D). `ports` >= 0.
double normal_queue(double alpha, double pool, double victim_bytes, double ports);
/// The growth rates of the queues of a burst port and of the victim port while both send at C. The congested port
/// serves all n + 1 equally.
double burst_growth(double n);
double victim_growth(double n, double epsilon);
/// Equation 5: for each burst port.
double burst_departure_rate(double n);
/// Equation 6: for the victim port while the others burst.
double victim_departure_rate(double n, double epsilon);
/// Equation 8, left side: if K is above it (IV.B: a port is a victim port above C/K, not at it), burst ports are
/// classified as victim ports.
double largest_k(double n);
/// Equation 8, right side: unless K is above it, the victim port is classified as a burst port.
double smallest_k(double n, double epsilon);
/// Equation 7: whether K distinguishes the two. It does if burst ports are at exactly C/K (spfc.md, Unstated).
bool separates(double k, double n, double epsilon);
/// The largest epsilon for which K distinguishes them (IV.C: 0.8 + 1 / (n + 1) for K = 5), at most 1.
double largest_epsilon(double k, double n);
/// The fraction of figure 9's plane that K covers: n = 1 to ports - 3 (two ports receive, one is the victim's), epsilon
/// uniformly from 0 to 1. `ports` >= 4.
double covered(double k, int ports);

}  // namespace weir::spfc_model
