// SPDX-License-Identifier: Apache-2.0
#include "schemes/ndp/ndp.h"

#include <memory>
#include <string>
#include <vector>

#include "schemes/ndp/ndp_transport.h"
#include "schemes/ndp/path_forwarding.h"
#include "schemes/ndp/settings.h"
#include "schemes/ndp/trimming_switch.h"
#include "schemes/ndp/validation.h"

namespace weir::ndp {

Settings::Settings(const Parameters& parameters)
    : queue(static_cast<std::uint32_t>(parameters.get<std::int64_t>("queue"))),
      header_queue(static_cast<std::uint32_t>(parameters.get<std::int64_t>("header_queue"))),
      headers_per_packet(static_cast<std::uint32_t>(parameters.get<std::int64_t>("headers_per_packet"))),
      return_to_sender(parameters.get<bool>("return_to_sender")),
      initial_window(parameters.get<Bytes>("initial_window")),
      timeout(parameters.get<Duration>("timeout")),
      paths(static_cast<std::uint32_t>(parameters.get<std::int64_t>("paths"))),
      pull_share(parameters.get<double>("pull_share")) {}

const Scheme scheme = {
    .name = "ndp",
    .summary = "switches trim packets that do not fit; receivers pull packets at the rate of their link",
    .traits = {.protocol = kProtocol, .to_hosts = ControlSource::hosts, .spreads_packets = true},
    .parameters =
        {
            {.name = "queue",
             .default_value = std::int64_t{8},
             .meaning = "frames in a data queue, one queue per port and lossy priority; further frames are trimmed",
             .source = "NDP section 3.1",
             .minimum = 1,
             .maximum = 100'000,
             .roles = {Role::flow_control}},
            {.name = "header_queue",
             .default_value = std::int64_t{0},
             .meaning = "frames in a header queue, one queue per port and lossy priority; 0: as many bytes as the data "
                        "queue",
             .source = "NDP's simulator: as many bytes",
             .maximum = 1'000'000,
             .roles = {Role::flow_control}},
            {.name = "headers_per_packet",
             .default_value = std::int64_t{10},
             .meaning = "frames of the header queue sent per frame of the data queue, while both are non-empty",
             .source = "NDP section 3.1",
             .minimum = 1,
             .maximum = 100'000,
             .roles = {Role::flow_control}},
            {.name = "return_to_sender",
             .default_value = true,
             .meaning = "whether a header that finds the header queue full returns to its sender instead of being "
                        "dropped",
             .source = "NDP section 3.2.4",
             .roles = {Role::flow_control}},
            {.name = "initial_window",
             .default_value = Bytes(30'000),
             .meaning = "payload that a transfer sends at line rate before its first pull",
             .source = "NDP section 3.2: at least a bandwidth-delay product",
             .minimum = 1,
             .maximum = 1e9,
             .from_network = {.figure = NetworkFigure::bandwidth_delay_product},
             .roles = {Role::transport}},
            {.name = "timeout",
             .default_value = Duration::picoseconds(1'000'000'000),
             .meaning = "a packet without an answer counts as lost after one to two times this value",
             .source = "NDP's simulator: 1 ms in its incasts",
             .minimum = 1e-6,
             .maximum = 10,
             .roles = {Role::transport}},
            {.name = "paths",
             .default_value = std::int64_t{64},
             .meaning = "number of paths that a sender cycles through; best is a multiple of the real number of paths",
             .source = "our choice: the paths of a fat-tree of k = 16",
             .minimum = 1,
             .maximum = kMaximumPaths,
             .roles = {Role::transport}},
            {.name = "pull_share",
             .default_value = 1.0,
             .meaning = "rate at which a receiver pulls packets, relative to its link rate; above 1, switches trim "
                        "packets as long as several flows have packets to send",
             .source = "NDP section 3.2",
             .minimum = 0.01,
             .maximum = 1'000,
             .roles = {Role::transport}},
        },
    .forwarding = [](const Parameters&) -> std::unique_ptr<Forwarding> { return std::make_unique<PathForwarding>(); },
    .flow_control = [](const Parameters& parameters) -> std::unique_ptr<FlowControl> {
      return std::make_unique<TrimmingSwitch>(Settings(parameters));
    },
    .transport = [](const Parameters& parameters) -> std::unique_ptr<Transport> {
      return std::make_unique<NdpTransport>(Settings(parameters));
    },
    .warnings = warnings,
};

}  // namespace weir::ndp
