// SPDX-License-Identifier: Apache-2.0
#include "net/offered_load.h"

#include <algorithm>
#include <cstdint>

#include "net/destination_graph.h"

namespace weir {
namespace {

// Sums per directed link, which is identified by a node and its port.
class PortSums {
 public:
  explicit PortSums(const Topology& topology) {
    for (std::size_t i = 0; i < topology.nodes().size(); ++i) {
      first_.push_back(sums_.size());
      sums_.resize(sums_.size() + topology.ports(NodeId(i)).size(), 0.0);
    }
  }
  double& operator()(NodeId node, PortId port) { return sums_[first_[node.index()] + port.index()]; }
  void clear() { std::fill(sums_.begin(), sums_.end(), 0.0); }

 private:
  std::vector<std::size_t> first_;  // by node
  std::vector<double> sums_;
};

}  // namespace

// Demands are added up by source switch and destination class, which is sufficient for the fabric.
class LoadSplitter::Sums {
 public:
  Sums(const Topology& topology, std::span<const Routes> routes)
      : topology_(topology),
        routes_(routes),
        sums_(topology),
        classes_(destination_classes(topology, routes)),
        hosts_(topology.hosts()),
        offered_(classes_.size() * topology.switches(), 0.0),
        lost_(offered_.size(), 0.0) {
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      for (const HostId host : classes_[i].hosts) {
        hosts_[host.index()] = {i, classes_[i].edge.index(), is_connected(topology, routes, host)};
      }
    }
  }

  OfferedLoad of(std::span<const Demand> demands) {
    sums_.clear();
    std::fill(offered_.begin(), offered_.end(), 0.0);
    std::fill(lost_.begin(), lost_.end(), 0.0);
    for (const Demand& demand : demands) {
      if (!leaves(demand)) continue;
      sums_(topology_.node_of(demand.source), PortId(0)) += demand.bits_per_second;
      offered_[cell(demand)] += demand.bits_per_second;
    }
    cross_fabric();
    OfferedLoad result;
    for (const Demand& demand : demands) {
      if (demand.source == demand.destination) continue;
      const bool arrives = leaves(demand) && hosts_[demand.destination.index()].connected;
      const double lost = arrives ? lost_[cell(demand)] : 1.0;
      const PortEnd& end = topology_.port(topology_.node_of(demand.destination), PortId(0));
      sums_(end.peer, end.peer_port) += demand.bits_per_second * (1 - lost);
      result.undelivered_bits_per_second += demand.bits_per_second * lost;
    }
    list_links(result.links);
    return result;
  }

 private:
  struct Host {
    std::size_t destination_class = 0;
    std::size_t edge = 0;
    bool connected = false;
  };

  [[nodiscard]] bool leaves(const Demand& demand) const {
    return demand.source != demand.destination && hosts_[demand.source.index()].connected;
  }
  [[nodiscard]] std::size_t cell(const Demand& demand) const {
    return hosts_[demand.destination.index()].destination_class * topology_.switches() +
           hosts_[demand.source.index()].edge;
  }

  // Computes, class by class, the loads between switches and the share of each switch's traffic that is lost.
  void cross_fabric() {
    const std::size_t switches = topology_.switches();
    DestinationGraph graph(topology_, routes_);
    std::vector<double> flow(switches);
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      const std::span<const double> offered(offered_.data() + i * switches, switches);
      const std::span<double> lost(lost_.data() + i * switches, switches);
      if (std::all_of(offered.begin(), offered.end(), [](double amount) { return amount == 0; })) continue;
      graph.aim(classes_[i].hosts.front());
      for (const SwitchId at : graph.order()) {
        lost[at.index()] = graph.lost_share(at);
        for (const DestinationGraph::NextHop& hop : graph.next_hops(at)) {
          lost[at.index()] += hop.share * lost[hop.to.index()];
        }
      }
      std::copy(offered.begin(), offered.end(), flow.begin());
      for (auto at = graph.order().rbegin(); at != graph.order().rend(); ++at) {
        for (const DestinationGraph::NextHop& hop : graph.next_hops(*at)) {
          const double amount = flow[at->index()] * hop.share;
          sums_(topology_.node_of(*at), hop.port) += amount;
          flow[hop.to.index()] += amount;
        }
      }
    }
  }

  void list_links(std::vector<LinkLoad>& links) {
    for (std::size_t i = 0; i < topology_.nodes().size(); ++i) {
      const NodeId from(i);
      const std::vector<PortEnd>& ports = topology_.ports(from);
      for (std::size_t port = 0; port < ports.size(); ++port) {
        const double load = sums_(from, PortId(port));
        const auto rate = static_cast<double>(topology_.link(ports[port].link).rate.bits_per_second());
        links.push_back({from, PortId(port), ports[port].link, load, load / rate});
      }
    }
    std::stable_sort(links.begin(), links.end(),
                     [](const LinkLoad& a, const LinkLoad& b) { return a.fraction > b.fraction; });
  }

  const Topology& topology_;
  std::span<const Routes> routes_;
  PortSums sums_;
  std::vector<DestinationClass> classes_;
  std::vector<Host> hosts_;
  std::vector<double> offered_;  // bit/s, by class and source switch
  std::vector<double> lost_;     // share of that, by class and switch
};

LoadSplitter::LoadSplitter(const Topology& topology, std::span<const Routes> routes)
    : sums_(std::make_unique<Sums>(topology, routes)) {}

LoadSplitter::~LoadSplitter() = default;

OfferedLoad LoadSplitter::split(std::span<const Demand> demands) {
  return sums_->of(demands);
}

OfferedLoad offered_load(const Topology& topology, std::span<const Routes> routes, std::span<const Demand> demands) {
  return LoadSplitter(topology, routes).split(demands);
}

}  // namespace weir
