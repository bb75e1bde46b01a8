// SPDX-License-Identifier: Apache-2.0
// Networks as graphs in files of other programs: nodes and edges with attributes.
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

/// Attributes of several edges are often one and the same.
using GraphAttributes = std::shared_ptr<const Value::Table>;

struct GraphNode {
  std::string name;
  Origin origin;
  GraphAttributes attributes;  ///< nullptr: none
};

/// A full-duplex link, whichever way it was written.
struct GraphEdge {
  Value a;  ///< a name
  Value b;
  GraphAttributes attributes;  ///< nullptr: none
};

struct Graph {
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
};

/// More links than this are refused: that is a fat-tree of 64-port switches with its hosts.
inline constexpr std::size_t kMostGraphLinks = 250'000;

/// The node-link form of JSON, as NetworkX writes it:
///
///     { "nodes": [ {"id": "h0", "kind": "host"}, {"id": "tor0", "kind": "switch"} ],
///       "links": [ {"source": "h0", "target": "tor0", "rate": "100 Gbit/s", "length": "3 m"} ] }
///
/// "edges" is as good as "links". An id is a text or an integer. "directed", "multigraph" and "graph", and "key" of a
/// link, are ignored; each link is full duplex. Nothing where something is wrong, which the diagnostics say.
std::optional<Graph> graph_of_json(std::string_view text, Diagnostics& diagnostics);

/// Graphviz's DOT: `graph` or `digraph`, `strict` or not; node, edge and attribute statements, subgraphs as groups and
/// as ends of edges, comments. Ports of nodes (`a:p0`) and attributes of the whole graph are ignored, as are attributes
/// that only concern drawing. HTML-like texts are refused.
std::optional<Graph> graph_of_dot(std::string_view text, Diagnostics& diagnostics);

/// The graph as the table of a topology of kind "explicit": hosts, switches and link. A node's attribute `kind` is
/// "host" or "switch"; without it a node with one link is a host, any other is a switch. Attributes of an edge are the
/// keys of a link: rate, delay or length, error_rate, count.
std::optional<Value> explicit_topology(const Graph& graph, Diagnostics& diagnostics);

/// Both forms as a section of the page of Markdown that describes the scenario language.
std::string graph_files_page();

}  // namespace weir
