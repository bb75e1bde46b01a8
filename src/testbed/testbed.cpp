// SPDX-License-Identifier: Apache-2.0
#include "testbed/testbed.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "config/diagnostics.h"
#include "config/reader.h"
#include "config/scalar.h"
#include "scenario/node_names.h"
#include "scenario/real_common.h"
#include "scenario/real_nic.h"
#include "scenario/scenario.h"
#include "wire/address.h"

namespace weir {
namespace {

constexpr std::int64_t kUdpHeaders = 8 + 20;
constexpr std::int64_t kEthernet = 14 + 4 + 20;  // header, FCS, preamble and gap

constexpr std::string_view kNics = "nics";
constexpr Duration kSecond = Duration::picoseconds(1'000'000'000'000);
constexpr std::size_t kMostClients = 1'000;  // each has a port and two processes

/// Reads [testbed] and [[client]].
class TestbedReader {
 public:
  TestbedReader(Reader& root, const Topology& topology, Testbed& out)
      : root_(root), topology_(topology), names_(&topology), out_(out) {}

  void read() {
    Reader section = root_.table("testbed", "how the testbed runs");
    constexpr Duration kLongest = 3'600 * kSecond;
    std::optional<Duration> duration;
    section.optional("duration", duration, "time for which traffic is sent; if omitted, 10 s",
                     Range<Duration>{kSecond, kLongest, false});
    has_duration_ = duration || !has(section, "duration");
    out_.duration = duration.value_or(10 * kSecond);
    section.optional("warm_up", out_.warm_up,
                     "the means of clients and of queues exclude this first part of the traffic", at_least(Duration()));
    if (has_duration_ && has(section, "warm_up") && out_.warm_up >= out_.duration) {
      section.refuse(*section.value()->find("warm_up"), "is not before the end of testbed.duration");
      has_duration_ = false;
    }
    read_packets(section);
    if (std::optional<Reader> port = section.optional_table(
            "watched_port",
            "a port whose queue and gauges are recorded as by measure.watched_port; if omitted, that to the first "
            "client's destination")) {
      out_.watched_port = names_.port(*port);
      port->finish();
    }
    section.finish();
    std::vector<Reader> clients = root_.tables("client", "iperf3 between two hosts, with UDP");
    for (Reader& client : clients) read_client(client);
    if (clients.size() > kMostClients) {
      root_.refuse(fmt::format("has {} [[client]] tables, expected at most {}", clients.size(), kMostClients));
    }
    if (!out_.watched_port && !out_.clients.empty()) watch(out_.clients.front().destination);
    if (clients.empty() && !out_.has_traffic) root_.refuse("has no traffic, expected [[client]] or [[traffic]] tables");
  }

 private:
  static bool has(const Reader& section, std::string_view key) {
    return section.given() && section.value()->find(key) != nullptr;
  }

  /// One process has the buffers of all NICs.
  void read_packets(Reader& section) {
    out_.packets = 8'192;
    section.optional("packets", out_.packets, "packet buffers of each switch and of each NIC",
                     Range<std::size_t>{1'024, std::size_t{1} << 20, false});
    const std::size_t hosts = topology_.hosts();
    if (out_.packets <= kMostBuffers / hosts) return;
    const std::string why = fmt::format("{} buffers for each of {} NICs are more than {}, the most of one process",
                                        out_.packets, hosts, kMostBuffers);
    if (has(section, "packets")) {
      section.refuse(*section.value()->find("packets"), why);
    } else {
      section.refuse(why);
    }
  }

  void read_client(Reader& client) {
    TestbedClient out;
    const std::optional<HostId> source = names_.host(client, "from", "the host that sends");
    const std::optional<HostId> destination = names_.host(client, "to", "the host that receives");
    const bool has_rate = client.required("rate", out.rate, "offered rate on the wire", above(BitRate()));
    client.optional("payload", out.payload, "bytes of each UDP packet", between<std::int64_t>(16, 1'472));
    client.optional("priority", out.priority, "802.1Q priority of the packets, carried by the DSCP",
                    Range<Priority>{Priority{0}, Priority{7}, false});
    client.optional("start", out.start, "start after the others are ready", at_least(Duration()));
    client.finish();
    if (!source || !destination || !has_rate) return;
    if (*source == *destination) {
      client.refuse(*client.value()->find("to"), "is the host that sends, expected another");
      return;
    }
    if (has_duration_) refuse_length(client, out_.duration - out.start);
    out.source = *source;
    out.destination = *destination;
    out.from = name_of(*source);
    out.to = name_of(*destination);
    out_.clients.push_back(out);
  }
  /// iperf3 counts its time in whole seconds, and reports each of them.
  void refuse_length(Reader& client, Duration length) {
    std::string why;
    if (length <= Duration()) {
      why = "is not before the end of testbed.duration";
    } else if (length % kSecond != Duration()) {
      why = fmt::format("leaves {} until the end of testbed.duration, expected whole seconds", written(length));
    } else if (length - out_.warm_up < kSecond) {
      why = fmt::format(
          "leaves {} until the end of testbed.duration, of which testbed.warm_up excludes {}, expected at "
          "least \"1 s\" more",
          written(length), written(out_.warm_up));
    } else {
      return;
    }
    if (has(client, "start")) {
      client.refuse(*client.value()->find("start"), why);
    } else {
      client.refuse("start " + why);
    }
  }

  void watch(HostId destination) {
    const PortEnd& end = topology_.ports(topology_.node_of(destination))[0];
    out_.watched_port = {topology_.node(end.peer).switch_id, end.peer_port};
  }

  [[nodiscard]] std::string name_of(HostId host) const { return topology_.node(topology_.node_of(host)).name; }

  Reader& root_;
  const Topology& topology_;
  NodeNames names_;
  Testbed& out_;
  bool has_duration_ = true;  // it and the warm-up are good: clients are checked against them
};

/// Processes of a testbed read configurations in another folder.
void refuse_files(const Value& section, const std::string& path, Diagnostics& diagnostics) {
  if (const Value::List* list = section.list()) {
    for (std::size_t i = 0; i < list->size(); ++i) refuse_files((*list)[i], fmt::format("{}.{}", path, i), diagnostics);
  }
  if (section.table() == nullptr) return;
  for (const Value::Member& member : *section.table()) {
    const std::string key = fmt::format("{}.{}", path, member.key);
    if ((member.key == "path" || member.key == "file") && member.value.text() != nullptr) {
      diagnostics.add(member.origin, key, "names a file, which is not available in a testbed");
    } else {
      refuse_files(member.value, key, diagnostics);
    }
  }
}

void refuse_files(const Value& root, Diagnostics& diagnostics) {
  for (const char* key : {"topology", "traffic"}) {
    if (const Value::Member* member = root.find(key)) refuse_files(member->value, key, diagnostics);
  }
}

/// The files of a switch have its name: it must be one of a file, and not that of another file.
void refuse_names(const Topology& topology, const Value& root, Diagnostics& diagnostics) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    const std::string& name = topology.node(topology.node_of(SwitchId(i))).name;
    const bool taken = name == kNics || name.starts_with("client") || name.starts_with("server");
    if (!taken && !name.empty() && !name.starts_with('.') && name.find_first_not_of(kLetters) == std::string::npos)
      continue;
    const Value::Member* member = root.find("topology");
    diagnostics.add(
        member == nullptr ? root.origin : member->origin, "topology",
        fmt::format("has a switch \"{}\", after which files of the testbed are named: expected letters, digits and "
                    "\"_-.\", and neither \"nics\" nor a name that begins with \"client\" or \"server\"",
                    name));
  }
}

/// A packet buffer of the driver af_packet has 2048 bytes, with its own header.
void refuse_long_frames(const Settings& settings, const Value& root, Diagnostics& diagnostics) {
  constexpr std::size_t kMost = 1'900;
  const std::size_t longest = longest_packet(settings);
  if (longest <= kMost) return;
  const Value::Member* host = root.find("host");
  const Value::Member* member = host == nullptr ? nullptr : host->value.find("payload");
  diagnostics.add(member == nullptr ? root.origin : member->origin, "host.payload",
                  fmt::format("makes frames of up to {} bytes, expected at most {} in a testbed", longest, kMost));
}

void read_all(Value root, const std::filesystem::path& directory, Diagnostics& diagnostics, TestbedFile& out) {
  const Value own = take_members(root, {"testbed", "client"});
  out.testbed.pictures = take_members(root, {"picture"});
  refuse_files(root, diagnostics);
  out.testbed.has_traffic = root.find("traffic") != nullptr;
  std::optional<Settings> settings = read_hosts(root, directory, diagnostics, out.notes);
  if (!settings) return;
  out.testbed.settings = std::move(*settings);
  read_own_tables(own, diagnostics, [&](Reader& reader) {
    TestbedReader(reader, out.testbed.settings.network.topology, out.testbed).read();
  });
  refuse_names(out.testbed.settings.network.topology, root, diagnostics);
  refuse_ideal(out.testbed.settings, root, diagnostics);
  refuse_other_framing(out.testbed.settings, root, diagnostics);
  refuse_long_frames(out.testbed.settings, root, diagnostics);
  if (!out.testbed.clients.empty()) refuse_foreign(out.testbed.settings, root, diagnostics);
  out.testbed.traffic = take_members(root, {"traffic", "run"});
  out.testbed.network = std::move(root);
}

ReadRoot into(TestbedFile& out) {
  return [&out](Value root, const std::filesystem::path& directory, Diagnostics& diagnostics) {
    read_all(std::move(root), directory, diagnostics, out);
  };
}

std::string text_of(const Value& members) {
  std::string out;
  for (const Value::Member& member : *members.table()) {
    out += fmt::format("{} = {}\n", written_key(member.key), written(member.value));
  }
  return out;
}

std::string device(std::size_t number, std::string_view interface) {
  return fmt::format("net_af_packet{},iface={}", number, interface);
}

std::string switch_config(const Testbed& testbed, SwitchId id) {
  const Topology& topology = testbed.settings.network.topology;
  const NodeId node = topology.node_of(id);
  std::string out = text_of(testbed.network);
  // Its processes share cores, so a trial would measure when the others start. The file states pause_response.
  out += fmt::format("[real]\nnode = {}\npackets = {}\ncalibration = \"0 s\"\n", in_quotes(topology.node(node).name),
                     testbed.packets);
  for (std::size_t port = 0; port < topology.ports(node).size(); ++port) {
    out += fmt::format("[[port]]\nport = {}\ndevice = {}\n", port, in_quotes(device(port, fmt::format("p{}", port))));
  }
  return out;
}

std::string nics_config(const Testbed& testbed) {
  const Topology& topology = testbed.settings.network.topology;
  std::string out = text_of(testbed.network) + (testbed.has_traffic ? text_of(testbed.traffic) : std::string());
  out += fmt::format("[real]\npackets = {}\ntraffic_after = \"{} s\"\n", testbed.packets * topology.hosts(),
                     kTestbedTrafficAfter);
  for (std::size_t i = 0; i < topology.hosts(); ++i) {
    out += fmt::format("[[nic]]\nhost = {}\ndevice = {}\n", in_quotes(topology.node(topology.node_of(HostId(i))).name),
                       in_quotes(device(2 * i, fmt::format("fabric{}", i))));
    if (testbed.clients.empty()) continue;
    out += fmt::format("host_device = {}\n", in_quotes(device(2 * i + 1, fmt::format("host{}", i))));
  }
  return out;
}

std::string space_of(SwitchId id) {
  return fmt::format("s{}", id.value);
}

std::string space_of(HostId id) {
  return fmt::format("h{}", id.value);
}

}  // namespace

TestbedPlan plan_of(const Testbed& testbed) {
  const Topology& topology = testbed.settings.network.topology;
  TestbedPlan plan;
  constexpr std::size_t kUsual = 1'500;
  constexpr std::size_t kHeader = 18;  // Ethernet with a tag
  plan.mtu = std::max(kUsual, longest_packet(testbed.settings) - kHeader);
  plan.spaces.emplace_back(kNics);
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    const NodeId node = topology.node_of(SwitchId(i));
    plan.spaces.push_back(space_of(SwitchId(i)));
    plan.nodes.push_back({topology.node(node).name, plan.spaces.back(), switch_config(testbed, SwitchId(i)), true});
  }
  plan.nodes.push_back({std::string(kNics), std::string(kNics), nics_config(testbed), false});
  for (std::size_t i = 0; i < topology.hosts(); ++i) {
    const HostId host(i);
    const auto& ports = topology.ports(topology.node_of(host));
    plan.cables.push_back({std::string(kNics), fmt::format("fabric{}", i),
                           space_of(topology.node(ports[0].peer).switch_id),
                           fmt::format("p{}", ports[0].peer_port.value)});
    if (testbed.clients.empty()) continue;
    plan.spaces.push_back(space_of(host));
    plan.cables.push_back({std::string(kNics), fmt::format("host{}", i), space_of(host), "eth0"});
    const std::uint32_t address = ipv4_address_of(host).value;
    const MacAddress mac = mac_address_of(host);
    plan.hosts.push_back(
        {topology.node(topology.node_of(host)).name, space_of(host),
         fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255),
         fmt::format("{:02x}", fmt::join(mac.octets, ":"))});
  }
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    const NodeId node = topology.node_of(SwitchId(i));
    for (std::size_t port = 0; port < topology.ports(node).size(); ++port) {
      const PortEnd& end = topology.ports(node)[port];
      const Node& peer = topology.node(end.peer);
      if (peer.is_host() || std::pair(end.peer.index(), end.peer_port.index()) < std::pair(node.index(), port))
        continue;
      plan.cables.push_back({space_of(SwitchId(i)), fmt::format("p{}", port), space_of(peer.switch_id),
                             fmt::format("p{}", end.peer_port.value)});
    }
  }
  return plan;
}

std::vector<std::string> client_arguments(const TestbedClient& client, std::uint16_t port, Duration duration) {
  // iperf3 counts the UDP payload only.
  const double share =
      static_cast<double>(client.payload) / static_cast<double>(client.payload + kUdpHeaders + kEthernet);
  const auto rate = static_cast<std::int64_t>(static_cast<double>(client.rate.bits_per_second()) * share);
  const std::uint32_t address = ipv4_address_of(client.destination).value;
  const Duration length = duration - client.start;
  return {"iperf3",
          "--client",
          fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255),
          "--port",
          std::to_string(port),
          "--udp",
          "--bitrate",
          std::to_string(rate),
          "--length",
          std::to_string(client.payload),
          "--tos",
          std::to_string(unsigned{client.priority} << 5),
          "--time",
          fmt::format("{}", static_cast<std::int64_t>(length.seconds())),
          "--json"};
}

std::vector<std::string> server_arguments(std::uint16_t port) {
  return {"iperf3", "--server", "--one-off", "--port", std::to_string(port), "--json"};
}

namespace {

/// The sections of a scenario, without [scenario].
std::string sections_of(const Testbed& testbed) {
  std::string out = text_of(testbed.network);
  // As often as switches with real ports take samples.
  std::string measure = "sample_interval = \"1 ms\"";
  if (testbed.watched_port) {
    const Topology& topology = testbed.settings.network.topology;
    measure += fmt::format(", watched_port = {{ node = {}, port = {} }}",
                           in_quotes(topology.node(topology.node_of(testbed.watched_port->first)).name),
                           testbed.watched_port->second.value);
  }
  out += fmt::format("measure = {{ {} }}\n", measure);
  Value traffic(Value::List{}, testbed.traffic.origin);
  std::string run;
  for (const Value::Member& member : *testbed.traffic.table()) {
    if (member.key == "traffic" && member.value.list() != nullptr) {
      for (const Value& one : *member.value.list()) traffic.list()->push_back(one);
    } else {
      run = fmt::format("run = {}\n", written(member.value));
    }
  }
  if (run.empty()) run = fmt::format("run = {{ stop = {}, drain = false }}\n", written(testbed.duration));
  out += run;
  for (const Value& one : *traffic.list()) out += fmt::format("[[traffic]]\n{}", text_of(one));
  for (const TestbedClient& client : testbed.clients) {
    out += fmt::format(
        "[[traffic]]\nkind = \"flows\"\npriority = {}\noverload = \"intended\"\n"
        "flow = [ {{ source = {}, destination = {}, size = \"endless\", rate_limit = {}, start = {} }} ]\n",
        client.priority, in_quotes(client.from), in_quotes(client.to), written(client.rate), written(client.start));
  }
  return out;
}

}  // namespace

std::string scenario_of(const Testbed& testbed) {
  return "scenario = { title = \"The simulator's run of a testbed\" }\n" + sections_of(testbed);
}

std::string comparison_of(const Testbed& testbed, std::string_view title) {
  return fmt::format("scenario = {{ title = {} }}\nvariants = {{ {} = {{}}, {} = {{}} }}\n", in_quotes(title),
                     kSimulated, kMeasured) +
         text_of(testbed.pictures) + sections_of(testbed);
}

TestbedFile read_testbed(std::string_view text, const std::string& file) {
  TestbedFile out;
  out.errors = errors_of_text(text, file, into(out));
  return out;
}

TestbedFile load_testbed(const std::string& path) {
  TestbedFile out;
  out.errors = errors_of_file(path, into(out));
  return out;
}

}  // namespace weir
