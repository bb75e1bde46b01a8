// SPDX-License-Identifier: Apache-2.0
// BFC's hand calculations (bfc 3.3.1, 4, 6.2.1, appendix C) and its backpressure graph (appendix B).
#include "analysis/bfc_model.h"
#include "net/backpressure_graph.h"
#include "net/builders.h"
#include "net/routing.h"
#include "reproduce/analysis.h"
#include "units/random.h"

namespace weir {
namespace {

using namespace literals;

class IdleBound : public Analysis {
 public:
  Figure compute(std::string_view, const MeasureArguments& arguments) override {
    const double x = number(arguments, "x");
    if (!(x > 1)) throw Unavailable("expected x above one");
    constexpr double kThreshold = 1;  // one-hop product: Th of 3.3.2 for one flow
    return Figure::number(analysis::bfc_idle_share(x, kThreshold));
  }
};

class Resources : public Analysis {
 public:
  Figure compute(std::string_view measure, const MeasureArguments& arguments) override {
    const auto queues = static_cast<std::int64_t>(number(arguments, "queues"));
    if (queues < 1) throw Unavailable("expected one queue at least");
    if (measure == "flow_table_entries") {
      return Figure::number(static_cast<double>(analysis::bfc_flow_table_entries(queues)));
    }
    return Figure::number(static_cast<double>(analysis::bfc_flow_table_bytes(queues).count()), kSize);
  }
};

/// Networks of theorem 1: Clos networks of two to four pods in which up to a quarter of the links have failed.
class RandomNetworks : public Analysis {
 public:
  Figure compute(std::string_view, const MeasureArguments& arguments) override {
    const double networks = number(arguments, "networks");
    if (!(networks >= 1 && networks <= 1e6)) throw Unavailable("expected 1 to 1000000 networks");
    const bool elides = number(arguments, "elide") != 0;
    std::size_t held = 0;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(networks); ++i) held += held_in(i, elides);
    return Figure::number(static_cast<double>(held));
  }

 private:
  static std::size_t held_in(std::uint64_t network, bool elides) {
    RandomStream random(1, network, 0x74686d31);
    const auto up_to = [&](int from, int most) {
      return from + static_cast<int>(random.below(static_cast<std::uint64_t>(most - from + 1)));
    };
    ClosSettings settings;
    settings.pods = up_to(2, 4);
    settings.tors_per_pod = up_to(1, 3);
    settings.hosts_per_tor = up_to(1, 2);
    settings.aggs_per_pod = up_to(1, 3);
    settings.cores = settings.aggs_per_pod * up_to(1, 2);
    settings.host_link = settings.tor_agg_link = settings.agg_core_link = {100_Gbps, 1_us};
    const Topology topology = build_clos(settings).topology;
    RoutingOptions options;
    for (std::size_t i = 0, most = random.below(topology.links().size() / 4 + 1); i < most; ++i) {
      options.failed_links.push_back(LinkId(random.below(topology.links().size())));
    }
    const std::vector<BackpressureEdge> edges = backpressure_edges(topology, compute_routes(topology, options));
    return held_for_ever(elides ? without(edges, down_up_turns(topology)) : edges).size();
  }
};

}  // namespace

AnalysisKind bfc_idle_bound_analysis() {
  return {"bfc_idle_bound",
          "how long BFC's pauses can leave a link idle",
          {{"idle_share",
            "of the time, at most",
            kPlain,
            false,
            {{"x", false, kPlain, true, "the flow's arrival rate over its drain rate"}}}},
          [](Reader&) -> std::unique_ptr<Analysis> { return std::make_unique<IdleBound>(); }};
}

AnalysisKind bfc_resources_analysis() {
  return {"bfc_resources",
          "the tables of a BFC switch",
          {{"flow_table_entries",
            "total number of entries",
            kPlain,
            false,
            {{"queues", false, kPlain, true, "queues of the switch"}}},
           {"flow_table_bytes", "total size", kSize, false, {{"queues", false, kPlain, true, "queues of the switch"}}}},
          [](Reader&) -> std::unique_ptr<Analysis> { return std::make_unique<Resources>(); }};
}

AnalysisKind backpressure_graph_analysis() {
  return {"backpressure_graph",
          "BFC's backpressure graph in random networks",
          {{"deadlocks",
            "ports that are held for ever",
            kPlain,
            false,
            {{"networks", false, kPlain, true, "that are tried"},
             {"elide", false, kPlain, true, "1: what goes down and up again is left out"}}}},
          [](Reader&) -> std::unique_ptr<Analysis> { return std::make_unique<RandomNetworks>(); }};
}

}  // namespace weir
