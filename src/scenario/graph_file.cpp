// SPDX-License-Identifier: Apache-2.0
#include "scenario/graph_file.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "config/json_text.h"
#include "config/nearest_name.h"

namespace weir {
namespace {

/// The name of a node; nullopt if it is not a valid name.
std::optional<std::string> name_of(const Value& value) {
  if (const std::string* text = value.text(); text != nullptr && !text->empty()) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return std::to_string(*number);
  return std::nullopt;
}

class NodeLinkReader {
 public:
  explicit NodeLinkReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  std::optional<Graph> read(const Value& root) {
    const std::size_t before = diagnostics_.size();
    if (root.table() == nullptr) {
      refuse(root.origin, "", fmt::format("is {}, expected an object with \"nodes\" and \"links\"", description(root)));
      return std::nullopt;
    }
    for (const Value::Member& member : *root.table()) {
      if (member.key == "nodes") {
        each(member, [&](const Value& node) { read_node(node); });
      } else if (member.key == "links" || member.key == "edges") {
        each(member, [&](const Value& link) { read_link(link); });
      } else if (member.key != "directed" && member.key != "multigraph" && member.key != "graph") {
        refuse(member.origin, member.key, "unknown key, expected \"nodes\" and \"links\"",
               nearest_name(member.key, {"nodes", "links", "edges"}));
      }
    }
    if (diagnostics_.size() != before) return std::nullopt;
    return std::move(graph_);
  }

 private:
  void refuse(const Origin& origin, std::string key, std::string message, std::string suggestion = {}) {
    diagnostics_.add(origin, std::move(key), std::move(message), std::move(suggestion));
  }
  template <class Read>
  void each(const Value::Member& member, const Read& read) {
    const Value::List* list = member.value.list();
    if (list == nullptr) {
      refuse(member.origin, member.key, fmt::format("is {}, expected a list of objects", description(member.value)));
      return;
    }
    for (const Value& element : *list) {
      if (element.table() == nullptr) {
        refuse(element.origin, member.key, fmt::format("has {}, expected objects", description(element)));
      } else {
        read(element);
      }
    }
  }
  /// Removes the name under `key` from the attributes and returns it.
  std::optional<std::string> take_name(const Value& object, std::string_view key, const char* of) {
    const Value::Member* member = object.find(key);
    if (member == nullptr) {
      refuse(object.origin, of, fmt::format("has no \"{}\", expected the name of a node", key));
      return std::nullopt;
    }
    std::optional<std::string> name = name_of(member->value);
    if (!name) {
      refuse(member->origin, fmt::format("{}.{}", of, key),
             fmt::format("is {}, expected a name or a whole number", description(member->value)));
    }
    return name;
  }
  void read_node(const Value& node) {
    const std::optional<std::string> name = take_name(node, "id", "nodes");
    if (!name) return;
    graph_.nodes.push_back({*name, node.find("id")->origin, std::make_shared<const Value::Table>(*node.table())});
  }
  void read_link(const Value& link) {
    const std::optional<std::string> a = take_name(link, "source", "links");
    const std::optional<std::string> b = take_name(link, "target", "links");
    if (!a || !b) return;
    Value::Table attributes;
    for (const Value::Member& member : *link.table()) {
      if (member.key != "source" && member.key != "target" && member.key != "key") attributes.push_back(member);
    }
    graph_.edges.push_back({Value(*a, link.find("source")->value.origin), Value(*b, link.find("target")->value.origin),
                            std::make_shared<const Value::Table>(std::move(attributes))});
  }

  Diagnostics& diagnostics_;
  Graph graph_;
};

const Value::Member* attribute(const GraphNode& node, std::string_view key) {
  if (!node.attributes) return nullptr;
  for (const Value::Member& member : *node.attributes) {
    if (member.key == key) return &member;
  }
  return nullptr;
}

}  // namespace

std::optional<Graph> graph_of_json(std::string_view text, Diagnostics& diagnostics) {
  const std::optional<Value> root = parse_json(text, diagnostics);
  if (!root) return std::nullopt;
  return NodeLinkReader(diagnostics).read(*root);
}

std::optional<Value> explicit_topology(const Graph& graph, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  if (graph.edges.size() > kMostGraphLinks) {
    diagnostics.add({Origin::Kind::file, 0, 0, {}, {}}, {},
                    fmt::format("has {} links, expected at most {}", graph.edges.size(), kMostGraphLinks));
    return std::nullopt;
  }
  std::map<std::string, std::size_t> links;
  for (const GraphEdge& edge : graph.edges) {
    ++links[*edge.a.text()];
    ++links[*edge.b.text()];
  }
  Value::List hosts;
  Value::List switches;
  for (const GraphNode& node : graph.nodes) {
    bool host = links[node.name] == 1;
    if (const Value::Member* kind = attribute(node, "kind")) {
      const std::string* word = kind->value.text();
      if (word == nullptr || (*word != "host" && *word != "switch")) {
        diagnostics.add(kind->origin, node.name + ".kind",
                        fmt::format("is {}, expected \"host\" or \"switch\"", description(kind->value)),
                        word == nullptr ? "" : nearest_name(*word, {"host", "switch"}));
        continue;
      }
      host = *word == "host";
    }
    (host ? hosts : switches).push_back(Value(node.name, node.origin));
  }
  Value::List list;
  for (const GraphEdge& edge : graph.edges) {
    Value::Table link;
    link.push_back({"between", edge.a.origin, Value(Value::List{edge.a, edge.b}, edge.a.origin)});
    if (edge.attributes) link.insert(link.end(), edge.attributes->begin(), edge.attributes->end());
    list.push_back(Value(std::move(link), edge.a.origin));
  }
  if (diagnostics.size() != before) return std::nullopt;
  const Origin top = {Origin::Kind::file, 1, 1, {}, {}};
  Value::Table table;
  table.push_back({"hosts", top, Value(std::move(hosts), top)});
  table.push_back({"switches", top, Value(std::move(switches), top)});
  table.push_back({"link", top, Value(std::move(list), top)});
  return Value(std::move(table), top);
}

std::string graph_files_page() {
  return R"(
## Networks in JSON and DOT

`kind = "file"` with `format = "json"` or `"dot"` reads graphs of other programs. If the file name ends in `.json`, `.dot` or
`.gv`, `format` may be omitted. The attribute `kind` of a node is `"host"` or `"switch"`; without it, a node with one link is a
host, and any other node is a switch. Each edge is a full-duplex link, and its direction is ignored. Two edges between the same
nodes are two links. Edges have the keys of a link: `rate`, `delay` or `length`, `error_rate`, `count`. Tiers and racks are
derived from the links. Errors name line and column.

JSON files have the node-link format of NetworkX: `nodes` with `id`, and `links` (or `edges`) with `source` and `target`.

```json
{ "nodes": [ {"id": "h0", "kind": "host"}, {"id": "tor0", "kind": "switch"} ],
  "links": [ {"source": "h0", "target": "tor0", "rate": "100 Gbit/s", "length": "3 m"} ] }
```

DOT files may contain `graph` or `digraph`, `strict` (a second edge between two nodes is ignored), node and edge statements,
`node [...]` and `edge [...]` (defaults for the following statements), subgraphs as groups and as ends of edges, and comments.
Ports (`a:p0`), attributes of the whole graph, and attributes that only concern drawing are ignored. HTML-like strings are
errors.

```dot
graph fabric {
  node [kind=switch]
  edge [rate="100 Gbit/s", length="30 m"]
  {tor0 tor1} -- {spine0 spine1}
  node [kind=host]
  edge [rate="25 Gbit/s", length="3 m"]
  h0 -- tor0
  h1 -- tor1
}
```
)";
}

}  // namespace weir
