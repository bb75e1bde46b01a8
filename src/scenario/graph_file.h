// SPDX-License-Identifier: Apache-2.0
// Networks as graphs (nodes and edges with attributes) in file formats of other programs.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostics.h"
#include "config/value.h"

namespace weir {

/// Shared, because several edges often have identical attributes.
using GraphAttributes = std::shared_ptr<const Value::Table>;

struct GraphNode {
  std::string name;
  Origin origin;
  GraphAttributes attributes;  ///< nullptr: none
};

/// A full-duplex link, regardless of the direction in which it was written.
struct GraphEdge {
  Value a;  ///< a name
  Value b;
  GraphAttributes attributes;  ///< nullptr: none
};

struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
};

/// Maximum number of links: enough for a fat-tree of 64-port switches with its hosts.
inline constexpr std::size_t kMostGraphLinks = 250'000;

/// The node-link form of JSON, as NetworkX writes it:
///
///     { "nodes": [ {"id": "h0", "kind": "host"}, {"id": "tor0", "kind": "switch"} ],
///       "links": [ {"source": "h0", "target": "tor0", "rate": "100 Gbit/s", "length": "3 m"} ] }
///
/// "edges" is accepted instead of "links". An id is a string or an integer. "directed", "multigraph" and "graph", and
/// "key" of a link, are ignored; each link is full duplex. Returns nullopt on errors, which are added to the
/// diagnostics.
std::optional<Graph> graph_of_json(std::string_view text, Diagnostics& diagnostics);

/// Graphviz's DOT: `graph` or `digraph`, with or without `strict`; node, edge and attribute statements, subgraphs as
/// groups and as ends of edges, comments. Ports of nodes (`a:p0`), attributes of the whole graph and attributes that
/// only concern drawing are ignored. HTML-like strings are refused.
std::optional<Graph> graph_of_dot(std::string_view text, Diagnostics& diagnostics);

/// The graph as the table of a topology of kind "explicit": hosts, switches and link. A node's attribute `kind` is
/// "host" or "switch"; without it, a node with one link is a host, and any other node is a switch. Attributes of an
/// edge are the keys of a link: rate, delay or length, error_rate, count.
std::optional<Value> explicit_topology(const Graph& graph, Diagnostics& diagnostics);

/// Both formats as a section of the Markdown page that describes the scenario language.
std::string graph_files_page();

}  // namespace weir
