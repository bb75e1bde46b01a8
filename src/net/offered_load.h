// SPDX-License-Identifier: Apache-2.0
// The load of every link for given demands between hosts, if each switch splits traffic as its routes specify.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "net/topology.h"
#include "policy/routes.h"

namespace weir {

/// Traffic from one host to another.
struct Demand {
  HostId source;
  HostId destination;
  double bits_per_second = 0;  ///< zero or more
};

/// The load offered to one direction of a link.
struct LinkLoad {
  NodeId from;
  PortId port;
  LinkId link;
  double bits_per_second = 0;
  double fraction = 0;  ///< of the link's rate; the link is overloaded above 1
};

struct OfferedLoad {
  /// Both directions of every link, the highest fraction first; equal ones in the order of node and port.
  std::vector<LinkLoad> links;
  /// Demand that does not reach its destination by these routes.
  double undelivered_bits_per_second = 0;
};

/// Adds up `demands`, split over equal next hops by their weights (equally without weights), which is the average
/// effect of hashing many flows. Traffic is not limited by capacity: a link beyond an overloaded one is offered the
/// full demand. Traffic without a route loads the links up to the point of loss; a host whose own link has failed sends
/// nothing, and demands of a host to itself are ignored. `routes` has one entry per switch; `topology` has no errors.
/// Time O(demands + destination switches x links).
OfferedLoad offered_load(const Topology& topology, std::span<const Routes> routes, std::span<const Demand> demands);

/// offered_load() for several sets of demands over the same routes: results that depend only on the routes are computed
/// once. `topology` and `routes` must outlive it.
class LoadSplitter {
 public:
  LoadSplitter(const Topology& topology, std::span<const Routes> routes);
  ~LoadSplitter();
  OfferedLoad split(std::span<const Demand> demands);

 private:
  class Sums;
  std::unique_ptr<Sums> sums_;
};

}  // namespace weir
