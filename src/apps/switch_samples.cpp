// SPDX-License-Identifier: Apache-2.0
#include "apps/switch_samples.h"

#include <fmt/format.h>

#include <stdexcept>

namespace weir::apps {

SwitchSamples::SwitchSamples(const std::string& path, const Switch& node) : node_(node), out_(path) {
  if (!out_) throw std::runtime_error("cannot write " + path);
  std::string line = "seconds,port,queued_bytes";
  for (const SwitchPolicy* policy : node_.policies()) {
    for (const GaugeSpec& gauge : policy->gauges()) line += fmt::format(",{}", gauge.name);
  }
  out_ << line << '\n';
}

void SwitchSamples::write(Time now) {
  next_ = now + kInterval;
  for (std::size_t port = 0; port < node_.ports(); ++port) {
    const PortId id(port);
    std::string line = fmt::format("{:.6f},{},{}", now.seconds(), port, node_.port(id).queued_bytes);
    for (const SwitchPolicy* policy : node_.policies()) {
      for (std::size_t gauge = 0; gauge < policy->gauges().size(); ++gauge) {
        line += fmt::format(",{}", policy->gauge(gauge, id));
      }
    }
    out_ << line << '\n';
  }
}

}  // namespace weir::apps
