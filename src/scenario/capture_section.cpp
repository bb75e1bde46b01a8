// SPDX-License-Identifier: Apache-2.0
#include "scenario/capture_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace weir {
namespace {

constexpr std::string_view kArrow = " -> ";

/// The directions of the links from one node to another that the text names ("tor0 -> spine1"); refuses invalid names.
void read_direction(Reader& section, const NodeNames& names, const Value::Member& member, std::string_view text,
                    std::vector<LinkDirection>& out) {
  const std::size_t arrow = text.find(kArrow);
  if (arrow == std::string_view::npos) {
    section.refuse(member, fmt::format("is {}, expected the nodes at the ends of a link, such as \"h0 -> tor0\"",
                                       description(member.value)));
    return;
  }
  const NodeId from = names.node(section, member, text.substr(0, arrow));
  const NodeId to = names.node(section, member, text.substr(arrow + kArrow.size()));
  if (!from.exists() || !to.exists()) return;
  const std::vector<PortEnd>& ports = names.topology()->ports(from);
  bool any = false;
  for (std::size_t port = 0; port < ports.size(); ++port) {
    if (ports[port].peer != to) continue;
    any = true;
    const LinkDirection direction = {from, PortId(port)};
    if (std::find(out.begin(), out.end(), direction) == out.end()) out.push_back(direction);
  }
  if (!any) section.refuse(member, fmt::format("no link joins the nodes of {}", description(member.value)));
}

}  // namespace

CaptureSettings read_capture_section(Reader section, const NodeNames& names) {
  CaptureSettings capture;
  std::vector<std::string> links;
  section.list("links", links,
               "link directions to capture, such as \"h0 -> tor0\" (all parallel links); written to capture.pcapng in "
               "the results folder");
  Bytes snap_length;
  section.optional("snap_length", snap_length, "maximum number of bytes kept per frame; 0: no limit",
                   at_most(Bytes(std::numeric_limits<std::uint16_t>::max())));
  section.optional("frame_limit", capture.frame_limit, "maximum number of frames kept; later frames are not captured",
                   Range<std::uint64_t>{1, std::nullopt, false});
  section.finish();
  capture.snap_length = static_cast<std::uint32_t>(snap_length.count());
  const Value::Member* member = section.value() == nullptr ? nullptr : section.value()->find("links");
  const Value::List* given = member == nullptr ? nullptr : member->value.list();
  if (given == nullptr || names.topology() == nullptr) return capture;
  for (const Value& link : *given) {
    if (link.text() == nullptr) continue;  // refused above
    read_direction(section, names, {member->key, member->origin, link}, *link.text(), capture.links);
  }
  return capture;
}

}  // namespace weir
