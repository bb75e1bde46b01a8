// SPDX-License-Identifier: Apache-2.0
#include "scenario/real_nic.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "config/reader.h"
#include "fabric/added_headers.h"
#include "fabric/roles.h"
#include "scenario/node_names.h"
#include "scenario/real_common.h"
#include "scenario/scenario.h"

namespace weir {
namespace {

/// Reads [real], [[nic]] and [[neighbour]].
class NicsReader {
 public:
  NicsReader(Reader& root, const Topology& topology, RealNics& real)
      : root_(root), topology_(topology), names_(&topology), real_(real) {}

  void read() {
    std::vector<Reader> nics = root_.tables("nic", "a NIC and its devices");
    for (Reader& nic : nics) read_nic(nic);
    if (nics.empty()) root_.refuse("has no NIC, expected [[nic]] tables");
    Reader section = root_.table("real", "the process that implements the NICs");
    read_process(section);
    read_neighbours(root_, names_, real_);
    if (real_.has_traffic && seen_.size() == real_.nics.size()) refuse_absent();
  }

 private:
  void read_nic(Reader& nic) {
    RealNic out;
    const std::optional<HostId> host = names_.host(nic, "host", "the host of the topology that it belongs to");
    const bool has_device = nic.required(
        "device", out.device, "DPDK device towards the switch: \"net_af_packet0,iface=veth0\", or a PCI address");
    nic.optional("host_device", out.host_device, "DPDK device towards a Linux host; empty: the NIC has no host");
    nic.optional("queue", out.queue, "size of the queue of each flow from the host",
                 Range<Bytes>{Bytes(kLeastQueue), Bytes(kLargestQueue), false});
    nic.optional("flows", out.flows, "number of flows from the host at a time, and to it; the least recent is closed",
                 Range<std::size_t>{1, kMostFlows, false});
    nic.finish();
    if (has_device) refuse_second_use(nic, "device", out.device, devices_);
    if (!out.host_device.empty()) refuse_second_use(nic, "host_device", out.host_device, devices_);
    if (!host || !has_device) return;
    if (!seen_.insert(*host).second) {
      nic.refuse(*nic.value()->find("host"), "already has a NIC");
      return;
    }
    out.host = *host;
    real_.nics.push_back(out);
  }

  void read_process(Reader& section) {
    read_buffers(section, default_packets(), real_);
    section.optional("traffic_after", real_.traffic_after,
                     "time from the start of the process to the start of [[traffic]]", at_least(Duration()));
    section.finish();
  }

  /// The rings of the devices, packets on links, and some queues.
  [[nodiscard]] std::size_t default_packets() const {
    constexpr std::size_t kPerNic = 8'192;
    return kPerNic * std::max<std::size_t>(1, real_.nics.size());
  }

  /// Both ends of a connection are opened in one process.
  void refuse_absent() {
    for (std::size_t host = 0; host < topology_.hosts(); ++host) {
      if (seen_.contains(HostId(host))) continue;
      root_.refuse(
          fmt::format("has [[traffic]], which needs a [[nic]] for each host of the network, but \"{}\" has none",
                      topology_.node(topology_.node_of(HostId(host))).name));
      return;
    }
  }

  static constexpr std::int64_t kLeastQueue = 2'000;  // one packet
  static constexpr std::int64_t kLargestQueue = 1'000'000'000;
  static constexpr std::size_t kMostFlows = 65'536;

  Reader& root_;
  const Topology& topology_;
  NodeNames names_;
  RealNics& real_;
  std::set<HostId> seen_;
  std::set<std::string> devices_;
};

void read_all(Value root, const std::filesystem::path& directory, Diagnostics& diagnostics, RealNicFile& out) {
  const Value of_ports = take_members(root, {"real", "nic", "neighbour"});
  out.real.has_traffic = root.find("traffic") != nullptr;
  std::optional<Settings> settings = read_hosts(root, directory, diagnostics, out.notes);
  if (!settings) return;
  out.real.settings = std::move(*settings);
  read_own_tables(of_ports, diagnostics,
                  [&](Reader& reader) { NicsReader(reader, out.real.settings.network.topology, out.real).read(); });
  refuse_ideal(out.real.settings, root, diagnostics);
  refuse_other_framing(out.real.settings, root, diagnostics);
  const auto& nics = out.real.nics;
  if (std::any_of(nics.begin(), nics.end(), [](const RealNic& nic) { return !nic.host_device.empty(); })) {
    refuse_foreign(out.real.settings, root, diagnostics);
  }
}

ReadRoot into(RealNicFile& out) {
  return [&out](Value root, const std::filesystem::path& directory, Diagnostics& diagnostics) {
    read_all(std::move(root), directory, diagnostics, out);
  };
}

/// Whether a scheme writes fields into data, or adds bytes to it: bytes of a host cannot carry them.
bool changes_data(const PolicyChoice& choice) {
  const auto is_of_data = [](const HeaderField* field) { return field->kinds.has(FrameKind::data); };
  const auto& fields = choice.scheme->fields;
  return added_by_host(choice).at_source > 0 || std::any_of(fields.begin(), fields.end(), is_of_data);
}

}  // namespace

std::vector<ForeignRefusal> foreign_refusals(const Settings& settings) {
  std::vector<ForeignRefusal> out;
  const HostSettings& hosts = settings.hosts;
  if (hosts.transport.scheme != nullptr) {
    out.push_back({"host", "transport",
                   fmt::format("is \"{}\", but packets of a host have no transport of Weir, expected none",
                               hosts.transport.scheme->name)});
    return out;
  }
  const PolicyChoice& congestion = hosts.congestion_control;
  if (congestion.scheme->congestion_control(congestion.parameters)->hooks().ack) {
    out.push_back({"host", "congestion_control",
                   fmt::format("\"{}\" needs acknowledgements, which packets of a host do not have, expected one that "
                               "follows notifications only, or \"{}\"",
                               congestion.scheme->name, scheme_role::kCongestionControl.default_scheme)});
  } else if (changes_data(congestion)) {
    out.push_back(
        {"host", "congestion_control",
         fmt::format("\"{}\" adds a header to data, which packets of a host do not have", congestion.scheme->name)});
  }
  std::set<std::string_view> refused;
  for (const SwitchSettings& switches : settings.switch_kinds()) {
    for (const PolicyChoice& choice : switches.flow_control) {
      if (!changes_data(choice) || !refused.insert(choice.scheme->name).second) continue;
      out.push_back({"switch", "flow_control",
                     fmt::format("\"{}\" adds a header to data, which packets of a host do not have; expected another, "
                                 "or NICs without host_device",
                                 choice.scheme->name)});
    }
  }
  return out;
}

void refuse_foreign(const Settings& settings, const Value& root, Diagnostics& diagnostics) {
  for (const ForeignRefusal& refusal : foreign_refusals(settings)) {
    const Value::Member* section = root.find(refusal.section);
    const Value::Member* member = section == nullptr ? nullptr : section->value.find(refusal.key);
    diagnostics.add(member == nullptr ? root.origin : member->origin,
                    fmt::format("{}.{}", refusal.section, refusal.key), refusal.text);
  }
}

RealNicFile read_real_nics(std::string_view text, const std::string& file) {
  RealNicFile out;
  out.errors = errors_of_text(text, file, into(out));
  return out;
}

RealNicFile load_real_nics(const std::string& path) {
  RealNicFile out;
  out.errors = errors_of_file(path, into(out));
  return out;
}

}  // namespace weir
