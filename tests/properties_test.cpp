// What holds of any network, whatever its topology, traffic, thresholds and failures, under both drivers.
//
// RC_PARAMS chooses how much is tried: RC_PARAMS="max_success=1000" for a long hunt, "seed=..." to see a failure again.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "random_network.h"

namespace weir::whole {
namespace {

// Short periods: a poll takes 32 frames of a port, and as many small ones must not come in meanwhile.
constexpr PollOptions kPoll{
    .period = Duration::picoseconds(100'000), .transmit_depth = 1, .limit = Time::picoseconds(20'000'000'000)};

/// Whether a path is there when all is over.
class Reachability {
 public:
  explicit Reachability(const Settings& settings) : topology_(settings.network.topology) {
    RoutingOptions options;
    for (const LinkFailure& failure : settings.network.failures) {
      if (failure.up == Time::never()) options.failed_links.push_back(failure.link);
    }
    failed_ = options.failed_links;
    routes_ = compute_routes(topology_, options);
  }
  [[nodiscard]] bool operator()(HostId source, HostId destination) const {
    if (has_failed(source) || has_failed(destination)) return false;
    return !routes_[topology_.edge_of(source).index()].to(destination).ports.empty();
  }

 private:
  [[nodiscard]] bool has_failed(HostId host) const {
    const LinkId link = topology_.port(topology_.node_of(host), PortId(0)).link;
    return std::find(failed_.begin(), failed_.end(), link) != failed_.end();
  }
  const Topology& topology_;
  std::vector<LinkId> failed_;
  std::vector<Routes> routes_;
};

/// Runs it again in rounds of one instant, as the roots of pauses ask for, instead of one link delay: that must change
/// nothing.
void check_by_instants(Settings settings, const RunRecord& record) {
  settings.measurement.innocent_pause = true;
  const RunRecord same = Simulation(settings).run();
  RC_ASSERT(same.digest == record.digest);
  RC_ASSERT(same.flows.size() == record.flows.size());
  for (std::size_t i = 0; i < same.flows.size(); ++i) {
    RC_ASSERT(same.flows[i].id == record.flows[i].id);
    RC_ASSERT(same.flows[i].sender_completion == record.flows[i].sender_completion);
    RC_ASSERT(same.flows[i].retransmitted == record.flows[i].retransmitted);
    RC_ASSERT(same.flows[i].out_of_order == record.flows[i].out_of_order);
    RC_ASSERT(same.flows[i].flow_class == record.flows[i].flow_class);
  }
  for (std::size_t i = 0; i < same.links.size(); ++i) {
    RC_ASSERT(same.links[i].pauses == record.links[i].pauses);
    RC_ASSERT(same.links[i].paused == record.links[i].paused);
  }
}

void check_under_the_event_loop(const RandomNetwork& n) {
  const Settings settings = settings_of(n, nullptr);
  Simulation simulation(settings);
  const RunRecord record = simulation.run();
  RC_ASSERT(record.failure == "");
  RC_ASSERT(!record.flows.empty());
  const Reachability reachable(settings);
  bool all_over = true;
  for (const FlowRecord& flow : record.flows) {
    if (flow.completed()) continue;
    RC_LOG() << "flow " << flow.id.value << " from " << flow.source.value << " to " << flow.destination.value
             << " did not complete\n";
    RC_ASSERT(!reachable(flow.source, flow.destination));
    all_over = false;
  }
  if (all_over) RC_ASSERT(left_behind(simulation.fabric()) == "");
  if (is_in_order(n)) {
    RC_ASSERT(record.retransmitted_frames == 0u);
    RC_ASSERT(record.out_of_order_frames == 0u);
  }

  check_by_instants(settings, record);
  Simulation again(settings);
  const LosslessDrops drops(again.fabric());
  RC_ASSERT(again.run().digest == record.digest);
  if (n.outages.empty()) RC_ASSERT(drops.count() == 0u);
}

void check_under_the_poll_loop(const RandomNetwork& n) {
  const Settings settings = settings_of(n, &kPoll);
  PollNetwork network(settings, kPoll);
  const LosslessDrops drops(network.fabric());
  const PollReport report = network.run();
  RC_ASSERT(report.failure == "");
  RC_ASSERT(report.flows_started > 0u);
  if (n.outages.empty()) RC_ASSERT(drops.count() == 0u);
  const bool notifies = n.congestion_control == 1;  // on a lossy priority
  if (is_lossless(n) && !notifies) RC_ASSERT(report.drops == 0u);
  if (is_in_order(n)) {
    for (const FlowRecord& flow : report.flows) RC_ASSERT(flow.retransmitted == 0u);
  }
  const bool all_links_end_up =
      settings.network.failures.empty() || settings.network.failures.back().up != Time::never();
  // Bursts of 32 frames that meet in a shallow lossy queue can make go-back-N senders lose for longer than any limit,
  // though the order of polls changes: some of a few hundred networks.
  if (all_links_end_up && is_lossless(n)) {
    RC_ASSERT(report.flows_completed == report.flows_started);
    advance_all(network.fabric(), kPoll.limit);
    RC_ASSERT(left_behind(network.fabric()) == "");
  }
  PollNetwork again(settings, kPoll);
  RC_ASSERT(again.run().digest == report.digest);
}

RC_GTEST_PROP(LosslessNetwork, LosesNothingUnderTheEventLoop, ()) {
  check_under_the_event_loop(*any_network({.losses = false}));
}

RC_GTEST_PROP(LosslessNetwork, LosesNothingUnderThePollLoop, ()) {
  check_under_the_poll_loop(*any_network({.losses = false}));
}

RC_GTEST_PROP(AnyNetwork, RecoversFromLossesUnderTheEventLoop, ()) {
  check_under_the_event_loop(*any_network({.losses = true}));
}

RC_GTEST_PROP(AnyNetwork, RecoversFromLossesUnderThePollLoop, ()) {
  check_under_the_poll_loop(*any_network({.losses = true}));
}

}  // namespace
}  // namespace weir::whole
