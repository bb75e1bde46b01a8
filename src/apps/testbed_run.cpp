// SPDX-License-Identifier: Apache-2.0
#include "apps/testbed_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/interrupt.h"
#include "apps/json_text.h"
#include "apps/processes.h"
#include "apps/real_run.h"
#include "apps/sample_summary.h"
#include "apps/scenario_drawing.h"
#include "apps/testbed_record.h"
#include "campaign/run_scenario.h"
#include "pictures/scenario_pictures.h"
#include "scenario/scenario.h"
#include "sim/version.h"
#include "store/store.h"

namespace weir::apps {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSummary = "testbed.txt";
constexpr std::uint16_t kFirstPort = 5'201;
constexpr std::chrono::seconds kTrafficAfter(kTestbedTrafficAfter);
constexpr std::int64_t kHeadersOnWire = 8 + 20 + 14 + 4 + 20;  // UDP, IPv4, Ethernet and FCS, preamble and gap

std::string read_file(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

/// The program that runs now.
std::string own_path() {
  return fs::read_symlink("/proc/self/exe").string();
}

class TestbedRun {
 public:
  TestbedRun(const Testbed& testbed, const TestbedPlan& plan, const fs::path& out, std::string file)
      : testbed_(testbed), plan_(plan), out_(out), file_(std::move(file)), prefix_(space_prefix(getpid())) {
    // Earlier results would look like those of this run if it fails.
    fs::remove(out_ / kSummary);
    remove_comparison();
    for (const std::string& prefix : remove_abandoned_spaces()) {
      print_diagnostic(fmt::format("removed what the testbed {}* had left", prefix));
    }
    guardian_ = std::make_unique<Guardian>(prefix_);
  }

  int run() {
    build();
    start_nodes();
    const bool clients_done = run_clients();
    const bool nodes_done = stop_nodes();
    const std::string report = summary();
    write_file(out_ / kSummary, report);
    const bool printed = print(report);
    if (interrupted()) return kInterrupted;
    const bool done = clients_done && nodes_done && printed && complete_;
    return done && compare() ? kDone : kFailed;
  }

 private:
  /// Removes the store of an earlier testbed, but no other.
  void remove_comparison() const {
    const fs::path path = store_path(out_);
    if (!Store::exists(path)) return;
    for (const StoredRun& run : Store::open(path).runs()) {
      if (run.key.variant == kSimulated || run.key.variant == kMeasured) continue;
      throw std::runtime_error(
          fmt::format("{} contains results that are not of a testbed: name another folder with --out", out_.string()));
    }
    fs::remove(path);
  }

  [[nodiscard]] std::string space(const std::string& name) const { return prefix_ + name; }
  [[nodiscard]] Arguments in_space(const std::string& name, const Arguments& arguments) const {
    Arguments out = {"ip", "netns", "exec", space(name)};
    out.insert(out.end(), arguments.begin(), arguments.end());
    return out;
  }
  void must(const Arguments& arguments) {
    if (interrupted()) throw std::runtime_error("interrupted");
    std::string why;
    if (run_quietly(arguments, &why) == 0) return;
    throw std::runtime_error(fmt::format("\"{}\" failed: {}", fmt::join(arguments, " "), why));
  }

  /// Interfaces carry exactly what is sent: no IPv6 of the kernel, no offloads to hardware that is not there.
  void bring_up(const std::string& in, const std::string& interface) {
    run_quietly(in_space(in, {"sysctl", "-qw", fmt::format("net.ipv6.conf.{}.disable_ipv6=1", interface)}));
    run_quietly(in_space(in, {"ethtool", "-K", interface, "tx", "off", "gso", "off", "tso", "off", "gro", "off"}));
    must({"ip", "-n", space(in), "link", "set", interface, "up"});
  }

  void build() {
    for (const std::string& name : plan_.spaces) must({"ip", "netns", "add", space(name)});
    const std::string mtu = std::to_string(plan_.mtu);
    for (const TestbedCable& cable : plan_.cables) {
      must({"ip", "-n", space(cable.space), "link", "add", cable.end, "mtu", mtu, "type", "veth", "peer", "name",
            cable.other_end, "mtu", mtu, "netns", space(cable.other_space)});
    }
    for (const TestbedHost& host : plan_.hosts) {
      must({"ip", "-n", space(host.space), "link", "set", "eth0", "address", host.mac});
      must({"ip", "-n", space(host.space), "link", "set", "lo", "up"});
    }
    for (const TestbedCable& cable : plan_.cables) {
      bring_up(cable.space, cable.end);
      bring_up(cable.other_space, cable.other_end);
    }
    for (const TestbedHost& host : plan_.hosts) {
      must({"ip", "-n", space(host.space), "addr", "add", host.address + "/32", "dev", "eth0"});
      must({"ip", "-n", space(host.space), "route", "add", "10.0.0.0/8", "dev", "eth0"});
    }
    // Every host knows the addresses of the others, as from a controller.
    for (const TestbedClient& client : testbed_.clients) {
      add_neighbour(client.source, client.destination);
      add_neighbour(client.destination, client.source);
    }
  }
  void add_neighbour(HostId at, HostId other) {
    const TestbedHost& host = plan_.hosts[at.index()];
    const TestbedHost& of = plan_.hosts[other.index()];
    must({"ip", "-n", space(host.space), "neigh", "replace", of.address, "lladdr", of.mac, "dev", "eth0", "nud",
          "permanent"});
  }

  void start_nodes() {
    for (const TestbedNode& node : plan_.nodes) {
      const fs::path config = out_ / (node.name + ".toml");
      write_file(config, node.config);
      Arguments command = {own_path(), node.is_switch ? "switch" : "nic", "--config", config.string(), "--json"};
      if (node.is_switch) {
        command.insert(command.end(), {"--samples", (out_ / (node.name + "-samples.csv")).string()});
      }
      fs::remove(store_path(out_ / node.name));
      command.insert(command.end(), {"--out", (out_ / node.name).string()});
      // These processes poll, so a scheduler regards them as hogs.
      command.insert(command.begin(), {"nice", "-n", "-10"});
      nodes_.push_back(std::make_unique<Process>(in_space(node.space, command), out_ / (node.name + ".json"),
                                                 out_ / (node.name + ".log")));
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) await(i);
  }
  void await(std::size_t number) {
    const TestbedNode& node = plan_.nodes[number];
    const std::string ready = node.is_switch ? "forwards between" : "NICs run";
    const fs::path log = out_ / (node.name + ".log");
    constexpr auto kMost = std::chrono::seconds(30);
    for (const auto end = std::chrono::steady_clock::now() + kMost; std::chrono::steady_clock::now() < end;) {
      if (interrupted()) throw std::runtime_error("interrupted");
      if (read_file(log).find(ready) != std::string::npos) {
        if (number == 0) started_at_ = std::chrono::steady_clock::now();
        return;
      }
      if (nodes_[number]->wait(std::chrono::milliseconds(50))) break;
    }
    throw std::runtime_error(fmt::format("{} did not start: {}", node.name, read_file(log)));
  }

  /// False: a client failed, or a signal came.
  bool run_clients() {
    const std::vector<TestbedClient>& clients = testbed_.clients;
    std::vector<std::unique_ptr<Process>> servers;
    std::vector<std::unique_ptr<Process>> running(clients.size());
    for (std::size_t i = 0; i < clients.size(); ++i) {
      servers.push_back(std::make_unique<Process>(
          in_space(plan_.hosts[clients[i].destination.index()].space, server_arguments(port_of(i))),
          out_ / fmt::format("server{}.json", i), out_ / fmt::format("server{}.log", i)));
    }
    pause(std::chrono::milliseconds(500));
    const auto begin = std::chrono::steady_clock::now();
    traffic_at_ = std::chrono::duration<double>(begin - started_at_).count();
    clients_at_ = steady_seconds();
    const auto passed = [&] { return std::chrono::steady_clock::now() - begin; };
    const auto length = std::chrono::microseconds(testbed_.duration.picoseconds() / 1'000'000);
    // Messages of NICs start some seconds after the NICs.
    const auto grace = testbed_.has_traffic ? kTrafficAfter : std::chrono::seconds(0);
    constexpr auto kMostAfterwards = std::chrono::seconds(20);
    bool ok = true;
    while (!interrupted()) {
      bool all = true;
      for (std::size_t i = 0; i < clients.size(); ++i) {
        if (running[i] == nullptr) {
          all = false;
          if (passed() < std::chrono::microseconds(clients[i].start.picoseconds() / 1'000'000)) continue;
          running[i] =
              std::make_unique<Process>(in_space(plan_.hosts[clients[i].source.index()].space,
                                                 client_arguments(clients[i], port_of(i), testbed_.duration)),
                                        out_ / fmt::format("client{}.json", i), out_ / fmt::format("client{}.log", i));
        }
        all &= running[i]->wait(std::chrono::milliseconds(0)).has_value();
      }
      if (all && passed() >= length + grace) break;
      if (passed() > length + grace + kMostAfterwards) {
        ok = false;
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    for (const auto& process : running) ok &= process != nullptr && process->wait(std::chrono::milliseconds(0)) == 0;
    for (const auto& process : servers) {
      if (!process->wait(std::chrono::seconds(1))) process->signal(SIGTERM);
      process->wait(std::chrono::seconds(1));
    }
    return ok && !interrupted();
  }
  static std::uint16_t port_of(std::size_t client) { return static_cast<std::uint16_t>(kFirstPort + client); }
  static void pause(std::chrono::milliseconds length) {
    for (const auto end = std::chrono::steady_clock::now() + length;
         !interrupted() && std::chrono::steady_clock::now() < end;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  bool stop_nodes() {
    bool ok = true;
    for (const auto& node : nodes_) node->signal(SIGTERM);
    for (const auto& node : nodes_) ok &= node->wait(std::chrono::seconds(10)) == 0;
    return ok;
  }

  std::string summary() {
    std::string out;
    for (std::size_t i = 0; i < testbed_.clients.size(); ++i) {
      const TestbedClient& client = testbed_.clients[i];
      const Json json = Json::parse(read_file(out_ / fmt::format("client{}.json", i)), nullptr, false);
      out += fmt::format("{} to {}: offered {} Mbit/s on the wire; ", client.from, client.to,
                         static_cast<double>(client.rate.bits_per_second()) / 1e6);
      const std::optional<double> rate = arrived(i);
      const Json* lost = find(json, {"end", "sum", "lost_percent"});
      if (!rate || lost == nullptr || !lost->is_number()) {
        out += fmt::format("no result (see client{}.json, server{}.json)\n", i, i);
        complete_ = false;
        continue;
      }
      // On the wire, as the offered rate.
      const double wire = *rate * (1.0 + static_cast<double>(kHeadersOnWire) / static_cast<double>(client.payload));
      out += fmt::format("{:.2f} Mbit/s arrived on the wire, {:.2f} of payload; {:.2f} % lost from start to end\n",
                         wire / 1e6, *rate / 1e6, lost->get<double>());
    }
    out += queues();
    for (const TestbedNode& node : plan_.nodes) {
      const Json json = Json::parse(read_file(out_ / (node.name + ".json")), nullptr, false);
      if (json.is_discarded()) {
        out += fmt::format("{}: no result (see {}.log)\n", node.name, node.name);
        complete_ = false;
      } else if (node.is_switch) {
        out += fmt::format("{}: {} pauses, dropped: {}, longest gap {:.1f} ms\n", node.name, json["pauses"].dump(),
                           json["dropped"].dump(), json["longest_gap_us"].get<double>() / 1e3);
      } else {
        out += text_of_nics(json);
      }
    }
    return out;
  }
  /// Mean payload rate of a client at its server after the warm-up, in bit/s.
  [[nodiscard]] std::optional<double> arrived(std::size_t client) const {
    const Json json = Json::parse(read_file(out_ / fmt::format("server{}.json", client)), nullptr, false);
    if (!json.is_object() || !json.contains("intervals") || !json["intervals"].is_array()) return std::nullopt;
    const double since = testbed_.warm_up.seconds();
    double bytes = 0;
    double seconds = 0;
    for (const Json& interval : json["intervals"]) {
      const Json* start = find(interval, {"sum", "start"});
      const Json* length = find(interval, {"sum", "seconds"});
      const Json* count = find(interval, {"sum", "bytes"});
      if (start == nullptr || length == nullptr || count == nullptr) continue;
      // The last interval is short, and its rate therefore inexact.
      constexpr double kShort = 0.5;
      if (start->get<double>() < since || length->get<double>() < kShort) continue;
      bytes += count->get<double>();
      seconds += length->get<double>();
    }
    if (seconds == 0) return std::nullopt;
    return bytes * 8 / seconds;
  }

  /// Mean and highest queue of each switch port, and its gauges, after the warm-up.
  [[nodiscard]] std::string queues() const {
    std::string out;
    for (const TestbedNode& node : plan_.nodes) {
      if (!node.is_switch) continue;
      const SampleSummary samples =
          summary_of_samples(out_ / (node.name + "-samples.csv"), traffic_at_ + testbed_.warm_up.seconds(),
                             traffic_at_ + testbed_.duration.seconds());
      for (const auto& [port, of_port] : samples.ports) {
        if (of_port.highest_queue == 0) continue;
        out += fmt::format("{} port {}: queue {:.1f} KB on average, {:.1f} KB at most", node.name, port,
                           of_port.mean_queue / 1e3, of_port.highest_queue / 1e3);
        for (std::size_t i = 0; i < samples.gauges.size(); ++i) {
          out += fmt::format("; {} {:.4g} on average", samples.gauges[i], of_port.mean_gauges[i]);
        }
        out += '\n';
      }
    }
    return out;
  }

  /// Stores the testbed as one run, next to the simulator's run of the same file, and draws the pictures of the file.
  bool compare() const {
    const std::string title = fs::path(file_).stem().string();
    Scenario scenario = read_scenario(comparison_of(testbed_, title), file_, {});
    if (!scenario.ok()) throw std::runtime_error(fmt::format("{}", fmt::join(scenario.errors, "\n")));
    ScenarioPictures pictures(scenario);
    const ScenarioVariant& measured = scenario.variants.back();
    RunRecord testbed = record();
    testbed.scenario = title;
    testbed.variant = kMeasured;
    testbed.seed = measured.seeds.front();
    testbed.labels = measured.settings.labels;
    testbed.effective_configuration = configuration_of(measured, testbed.seed);
    ScenarioOptions options;
    options.variants = {std::string(kSimulated)};
    const std::vector<RunRecord> simulated =
        run_scenario(read_scenario(comparison_of(testbed_, title), file_, {}, options));
    Store store = Store::create(store_path(out_), kVersion);
    for (const RunRecord& record : simulated) {
      store.add(record);
      pictures.see(0, record.seed, record);
    }
    store.add(testbed);
    pictures.see(1, testbed.seed, testbed);
    return write_pictures(pictures, out_) && print(fmt::format("report: weir report {}\n", out_.string()));
  }
  /// The whole testbed as one run.
  [[nodiscard]] RunRecord record() const {
    const Json nics = Json::parse(read_file(out_ / fmt::format("{}.json", plan_.nodes.back().name)));
    const double traffic_at = testbed_.has_traffic
                                  ? nics["started_s"].get<double>() + static_cast<double>(kTrafficAfter.count())
                                  : clients_at_;
    std::vector<ProcessRecord> switches;
    ProcessRecord of_nics;
    for (const TestbedNode& node : plan_.nodes) {
      const Store store = Store::open(store_path(out_ / node.name));
      const Json json = Json::parse(read_file(out_ / (node.name + ".json")));
      constexpr double kPicoseconds = 1e12;
      const double lead = traffic_at - json["started_s"].get<double>();
      ProcessRecord process{store.load(store.runs().at(0).id),
                            Duration::picoseconds(static_cast<std::int64_t>(lead * kPicoseconds))};
      if (node.is_switch) {
        switches.push_back(std::move(process));
      } else {
        of_nics = std::move(process);
      }
    }
    std::optional<WatchedPort> watched;
    if (testbed_.watched_port) {
      const Topology& topology = testbed_.settings.network.topology;
      const NodeId node = topology.node_of(testbed_.watched_port->first);
      watched = WatchedPort{topology.node(node).name,
                            topology.node(topology.ports(node)[testbed_.watched_port->second.index()].peer).name};
    }
    return joined(switches, of_nics, watched);
  }

  static std::string text_of_nics(const Json& json) {
    std::string out;
    for (const Json& nic : json["nics"]) {
      out += fmt::format("NIC of {}: sent {} frames, received {}, {} of them PFC; longest gap {:.1f} ms\n",
                         nic["host"].get<std::string>(), nic["sent_frames"].dump(), nic["received_frames"].dump(),
                         nic["received_pfc_frames"].dump(), nic["longest_gap_us"].get<double>() / 1e3);
      if (nic.contains("from_host_queue_full")) {
        out += fmt::format("  its queues dropped {} packets of the host\n", nic["from_host_queue_full"].dump());
      }
    }
    for (const Json& message : json["messages"]) {
      out += fmt::format("{} to {}: {} B in {:.1f} us{}, alone {:.1f} us\n", message["from"].get<std::string>(),
                         message["to"].get<std::string>(), message["bytes"].dump(), message["fct_us"].get<double>(),
                         message["stopped"].get<bool>() ? " (stopped)" : "", message["fct_alone_us"].get<double>());
    }
    if (json["open_messages"].get<std::uint64_t>() > 0) {
      out += fmt::format("{} messages had not ended\n", json["open_messages"].dump());
    }
    return out;
  }
  static const Json* find(const Json& json, std::initializer_list<const char*> path) {
    const Json* at = &json;
    for (const char* key : path) {
      if (!at->is_object() || !at->contains(key)) return nullptr;
      at = &(*at)[key];
    }
    return at;
  }

  const Testbed& testbed_;
  const TestbedPlan& plan_;
  fs::path out_;
  std::string file_;                                  // of the testbed
  std::chrono::steady_clock::time_point started_at_;  // when the first switch was ready
  double traffic_at_ = 0;                             // seconds after the start of the switches
  double clients_at_ = 0;                             // seconds of the steady clock
  bool complete_ = true;                              // the summary has a result of each client and process
  std::string prefix_;
  std::unique_ptr<Guardian> guardian_;  // ends after the processes
  std::vector<std::unique_ptr<Process>> nodes_;
};

/// Containers may permit root to create network namespaces, but not to enter them.
bool can_enter_namespaces() {
  const std::string name = fmt::format("weirtb{}-probe", getpid());
  if (run_quietly({"ip", "netns", "add", name}) != 0) return false;
  const bool entered = run_quietly({"ip", "netns", "exec", name, "true"}) == 0;
  return run_quietly({"ip", "netns", "del", name}) == 0 && entered;
}

}  // namespace

std::string means_lacking(const Testbed& testbed) {
  std::vector<std::string> out;
  if (geteuid() != 0) out.emplace_back("root");
  for (const char* program : {"ip", "sysctl", "ethtool", "nice"}) {
    if (!is_installed(program)) out.emplace_back(program);
  }
  if (out.empty() && !can_enter_namespaces()) out.emplace_back("network namespaces that a command can enter");
  if (!testbed.clients.empty() && !is_installed("iperf3")) out.emplace_back("iperf3");
#ifndef WEIR_DPDK
  out.emplace_back("DPDK in this build of Weir");
#endif
  return fmt::format("{}", fmt::join(out, ", "));
}

int run_testbed(const Testbed& testbed, const TestbedPlan& plan, const std::filesystem::path& out,
                const std::string& file) {
  return TestbedRun(testbed, plan, out, file).run();
}

}  // namespace weir::apps
