// SPDX-License-Identifier: Apache-2.0
// What demands between hosts come to on every link, when each switch splits them as its routes say.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "net/topology.h"
#include "policy/routes.h"

namespace weir {

/// Traffic that one host wants to send to another.
struct Demand {
  HostId source;
  HostId destination;
  double bits_per_second = 0;  ///< zero or more
};

/// What is offered to one direction of a link.
struct LinkLoad {
  NodeId from;
  PortId port;
  LinkId link;
  double bits_per_second = 0;
  double fraction = 0;  ///< of the link's rate; above 1 the link is overloaded
};

struct OfferedLoad {
  /// Both directions of every link, the highest fraction first; equals in the order of node and port.
  std::vector<LinkLoad> links;
  /// Demand that the routes do not bring to its destination.
  double undelivered_bits_per_second = 0;
};

/// Adds up `demands`, split over equal next hops by their weights (equally without weights): what hashing does to many
/// flows on average. Nothing is held back: a link beyond an overloaded one is offered the full demand. What has no way
/// loads the links up to where it is lost; a host whose own link has failed sends nothing, and demands of a host to
/// itself are left out. `routes` has one entry a switch; `topology` has no errors. Time O(demands + destination
/// switches x links).
OfferedLoad offered_load(const Topology& topology, std::span<const Routes> routes, std::span<const Demand> demands);

/// offered_load() for one set of demands after another over the same routes: what follows from the routes alone is
/// worked out once. `topology` and `routes` must outlive it.
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
