// SPDX-License-Identifier: Apache-2.0
// What Floodgate's tables take: windows by destination, PSNs by port and destination, and hashed windows (7.4).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"

namespace weir::analysis {
namespace {

using namespace literals;

struct Fields {
  double name;     // bytes of a destination's name in an entry
  double counter;  // bytes of a window, a count of credits, a PSN
};

/// A window: its destination and what is left of it.
double window_entry(const Fields& fields) {
  return fields.name + fields.counter;
}
/// Of a port and destination: the PSN sent and the last credited upstream (4.3), the PSN received and what is held and
/// owed downstream.
double way_entry(const Fields& fields) {
  return fields.name + 2 * fields.counter;
}
double account_entry(const Fields& fields) {
  return fields.name + 3 * fields.counter;
}

/// The most destinations that have packets uncredited at one egress, when each has one packet of `packet` bytes: what
/// is sent in a hop's round trip and a credit interval.
double most_active(BitRate rate, Duration delay, Duration interval, Bytes packet) {
  const double seconds = (2 * delay + interval).seconds();
  return seconds * static_cast<double>(rate.bits_per_second()) / 8 / static_cast<double>(packet.count());
}

/// The values of a list of integers.
std::vector<double> numbers(const Parameters& parameters, std::string_view name) {
  std::vector<double> out;
  for (const std::int64_t value : parameters.get<std::vector<std::int64_t>>(name)) {
    out.push_back(static_cast<double>(value));
  }
  return out;
}

Findings floodgate_findings(const Parameters& parameters) {
  const Fields fields = {static_cast<double>(parameters.get<Bytes>("name").count()),
                         static_cast<double>(parameters.get<Bytes>("counter").count())};
  const auto ports = static_cast<double>(parameters.get<std::int64_t>("ports"));
  const auto memory = static_cast<double>(parameters.get<Bytes>("stateful_memory").count());
  const double active =
      std::floor(most_active(parameters.get<BitRate>("rate"), parameters.get<Duration>("delay"),
                             parameters.get<Duration>("credit_timer"), parameters.get<Bytes>("packet")));
  Findings out;

  const Quantity hosts_of = {"hosts"};
  NumberTable worst = {"memory",
                       "Tables of a switch when all hosts are active destinations (7.4)",
                       {hosts_of,
                        {"windows", "bytes"},
                        {"memory of which that is 10 %", "bytes"},
                        {"with PSNs and credits of all ports", "bytes"}}};
  if (memory > 0) worst.columns.push_back({"windows, of the stateful memory", "%"});
  Chart chart = {worst.name, worst.title, {hosts_of, Scale::logarithmic}, {{"memory", "bytes"}, Scale::logarithmic}};
  Curve windows = {"windows"};
  Curve all = {"with PSNs and credits of all ports"};
  Curve bounded = {"maximum number of active entries"};
  NumberTable tables = {
      "active",
      fmt::format("Tables that contain only active destinations: at most {:.0f} packets per link are without credit",
                  active),
      {hosts_of, {"windows"}, {"PSNs and credits"}, {"all", "bytes"}}};
  const std::vector<double> host_numbers = numbers(parameters, "hosts");
  const std::vector<double> entry_numbers = numbers(parameters, "table_entries");
  for (const double hosts : host_numbers) {
    const double of_windows = hosts * window_entry(fields);
    const double of_all = of_windows + hosts * ports * (way_entry(fields) + account_entry(fields));
    std::vector<double> row = {hosts, of_windows, 10 * of_windows, of_all};
    if (memory > 0) row.push_back(100 * of_windows / memory);
    worst.rows.push_back(std::move(row));
    const double of_port = std::min(hosts, active);
    const double active_windows = std::min(hosts, ports * of_port);
    const double active_bytes =
        active_windows * window_entry(fields) + ports * of_port * (way_entry(fields) + account_entry(fields));
    tables.rows.push_back({hosts, active_windows, ports * of_port, active_bytes});
    windows.points.push_back({hosts, of_windows});
    all.points.push_back({hosts, of_all});
    bounded.points.push_back({hosts, active_bytes});
  }
  chart.curves = {std::move(windows), std::move(all), std::move(bounded)};
  out.tables.push_back(std::move(worst));
  out.tables.push_back(std::move(tables));
  out.charts.push_back(std::move(chart));

  // Parameter table_entries of the scheme. Exact: entries per direction, of a port and destination. Hashed: values of
  // the hash; each has a window, and PSNs and credits at each port.
  NumberTable limited = {"entries",
                         "Tables of a switch with the number of entries that `table_entries` gives",
                         {hosts_of,
                          {"table_entries"},
                          {"exact: entries if all hosts are active at all ports"},
                          {"exact: memory", "bytes"},
                          {"exact: hosts that can be active at all ports"},
                          {"hashed: memory, windows of one direction", "bytes"},
                          {"hashed: hosts per entry, all active"}},
                         {},
                         2};
  for (const double hosts : host_numbers) {
    for (const double entries : entry_numbers) {
      const double exact = std::min(entries, hosts * ports);
      const double values = std::min(entries, hosts);
      limited.rows.push_back({hosts, entries, hosts * ports,
                              exact * (window_entry(fields) + way_entry(fields) + account_entry(fields)),
                              std::min(hosts, std::floor(entries / ports)), values * (1 + 5 * ports) * fields.counter,
                              std::max(1.0, hosts / entries)});
    }
  }
  out.tables.push_back(std::move(limited));

  NumberTable dense = {"dense",
                       "One counter per port and host in every switch of a fat-tree",
                       {{"k"}, {"hosts"}, {"switches"}, {"memory per switch", "bytes"}, {"of all", "bytes"}}};
  for (const double k : {8.0, 16.0, 24.0, 36.0, 48.0, 64.0}) {
    const double hosts = k * k * k / 4;
    const double switches = 5 * k * k / 4;
    const double of_switch = k * hosts * fields.counter;
    dense.rows.push_back({k, hosts, switches, of_switch, switches * of_switch});
  }
  out.tables.push_back(std::move(dense));

  NumberTable hashed = {"hashed",
                        "Precision of windows in a hashed table of a given size",
                        {{"entries"},
                         {"active destinations"},
                         {"table", "bytes"},
                         {"fraction that share an entry", "%"},
                         {"destinations per used entry"}},
                        {},
                        2};
  for (const double entries : entry_numbers) {
    for (const double destinations : {10.0, 100.0, 1'000.0}) {
      const double alone = std::pow(1 - 1 / entries, destinations - 1);
      const double used = entries * (1 - std::pow(1 - 1 / entries, destinations));
      hashed.rows.push_back({entries, destinations, entries * fields.counter, 100 * (1 - alone), destinations / used});
    }
  }
  out.tables.push_back(std::move(hashed));
  return out;
}

}  // namespace

extern const Analysis floodgate_analysis;  // of the registry: a constant would be this file's own without it
const Analysis floodgate_analysis = {
    .name = "floodgate",
    .summary =
        "the memory of Floodgate's tables: all hosts active, only active hosts, limited, one "
        "counter per port and host, hashed",
    .source = "floodgate 4.3 and 7.4",
    .parameters = {{.name = "ports",
                    .default_value = std::int64_t{14},
                    .meaning = "ports of the switch",
                    .source = "6: a ToR has 16 hosts and 4 cores, a core 10 ToRs; ours: between them",
                    .minimum = 1,
                    .maximum = 1e4},
                   {.name = "hosts",
                    .default_value = std::vector<std::int64_t>{100, 1'000, 10'000, 100'000, 1'000'000},
                    .meaning = "numbers of hosts in the network",
                    .source = "7.4: 100,000; ours: the others",
                    .minimum = 1,
                    .maximum = 1e9,
                    .least_length = 1,
                    .most_length = 100},
                   {.name = "table_entries",
                    .default_value = std::vector<std::int64_t>{256, 1'024, 4'096, 16'384},
                    .meaning = "numbers of entries of a table, as the parameter of this name of the scheme: of exact "
                               "tables, entries per direction; of hashed ones, hash values",
                    .source = "ours; the largest is the limit of exact tables in Weir unless table_entries is set",
                    .minimum = 1,
                    .maximum = 8'388'607,
                    .least_length = 1,
                    .most_length = 100},
                   {.name = "name",
                    .default_value = 4_B,
                    .meaning = "size of a destination in an entry",
                    .source = "ours: an IPv4 address",
                    .minimum = 0,
                    .maximum = 16},
                   {.name = "counter",
                    .default_value = 4_B,
                    .meaning = "size of a window, of a number of credits, and of a PSN",
                    .source = "ours; the paper gives no size",
                    .minimum = 1,
                    .maximum = 16},
                   {.name = "stateful_memory",
                    .default_value = 0_B,
                    .meaning = "stateful memory of the switch, to which the windows are compared; 0: no comparison",
                    .source = "7.4 says less than 10 % for 100,000 hosts, without the size of the memory",
                    .maximum = 1e15},
                   {.name = "rate",
                    .default_value = BitRate(400'000'000'000),
                    .meaning = "rate of a link between switches",
                    .source = "6",
                    .minimum = 1e6,
                    .maximum = 1e15},
                   {.name = "delay",
                    .default_value = Duration::picoseconds(600'000),
                    .meaning = "delay of such a link, one way",
                    .source = "6: 600 ns",
                    .maximum = 1},
                   {.name = "credit_timer",
                    .default_value = Duration::picoseconds(10'000'000),
                    .meaning = "T, interval between credits to an ingress",
                    .source = "6: 10 us",
                    .maximum = 1},
                   {.name = "packet",
                    .default_value = 84_B,
                    .meaning = "size of the smallest frame, with preamble and gap",
                    .source = "IEEE 802.3: 64 and 20 bytes",
                    .minimum = 1,
                    .maximum = 1e5}},
    .findings = floodgate_findings,
};

}  // namespace weir::analysis
