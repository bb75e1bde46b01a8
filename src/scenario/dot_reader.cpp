// SPDX-License-Identifier: Apache-2.0
// Reads Graphviz's DOT as a graph.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "scenario/graph_file.h"
#include "units/byte_order_mark.h"

namespace weir {
namespace {

struct Wrong {
  Origin at;
  std::string message;
};

struct Token {
  enum class Kind : std::uint8_t { end, id, quoted, mark } kind = Kind::end;
  std::string text;  ///< of an id, without quotes; a mark: { } [ ] = ; , : -- ->
  Origin at;
};

class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) { next(); }

  [[nodiscard]] const Token& now() const { return now_; }
  [[nodiscard]] bool is_mark(std::string_view mark) const {
    return now_.kind == Token::Kind::mark && now_.text == mark;
  }
  [[nodiscard]] bool is_id() const { return now_.kind == Token::Kind::id || now_.kind == Token::Kind::quoted; }
  /// Whether the next token is this keyword; keywords are case-insensitive.
  [[nodiscard]] bool is_word(std::string_view word) const {
    return now_.kind == Token::Kind::id &&
           std::equal(word.begin(), word.end(), now_.text.begin(), now_.text.end(), [](char a, char b) {
             return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
           });
  }
  bool take(std::string_view mark) {
    if (!is_mark(mark)) return false;
    next();
    return true;
  }
  Token take_id(std::string_view what) {
    if (!is_id()) fail(what);
    Token token = now_;
    next();
    while (token.kind == Token::Kind::quoted && take("+")) {
      if (now_.kind != Token::Kind::quoted) fail("a string in quotes after `+`");
      token.text += now_.text;
      next();
    }
    return token;
  }
  void next() {
    skip();
    now_ = {Token::Kind::end, {}, here()};
    if (at_ >= text_.size()) return;
    const char c = text_[at_];
    if (c == '"') {
      read_quoted();
    } else if (is_letter(c)) {
      now_.kind = Token::Kind::id;
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) now_.text += text_[at_++];
    } else if (is_digit(c) || ((c == '-' || c == '.') && starts_number())) {
      now_.kind = Token::Kind::id;
      now_.text += text_[at_++];
      while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) now_.text += text_[at_++];
    } else if (c == '-' && at_ + 1 < text_.size() && (text_[at_ + 1] == '-' || text_[at_ + 1] == '>')) {
      now_.kind = Token::Kind::mark;
      now_.text = text_.substr(at_, 2);
      at_ += 2;
    } else if (std::string_view("{}[]=;,:+").find(c) != std::string_view::npos) {
      now_.kind = Token::Kind::mark;
      now_.text = c;
      ++at_;
    } else if (c == '<') {
      throw Wrong{here(), "an HTML-like string, expected a string in quotes"};
    } else {
      throw Wrong{here(), fmt::format("{}, expected DOT: names, {{ }} [ ] = ; , -- or ->",
                                      c > ' ' && c <= '~' ? fmt::format("`{}`", c) : "an unexpected character")};
    }
  }
  [[noreturn]] void fail(std::string_view expected) const {
    throw Wrong{now_.at, fmt::format("{}, expected {}", now_text(), expected)};
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  }
  [[nodiscard]] bool starts_number() const {
    const char after = at_ + 1 < text_.size() ? text_[at_ + 1] : ' ';
    return is_digit(after) || (text_[at_] == '-' && after == '.');
  }
  [[nodiscard]] Origin here() const {
    return {Origin::Kind::file, line_, static_cast<std::uint32_t>(at_ - line_start_) + 1, {}, {}};
  }
  [[nodiscard]] std::string now_text() const {
    if (now_.kind == Token::Kind::end) return "the text ends";
    constexpr std::size_t kShown = 40;
    return fmt::format("`{}`", now_.text.substr(0, kShown));
  }
  void advance() {
    if (text_[at_] == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    }
    ++at_;
  }
  void skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        advance();
      } else if (text_.substr(at_, 2) == "//" || (c == '#' && at_ == line_start_)) {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (text_.substr(at_, 2) == "/*") {
        const Origin begin = here();
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) throw Wrong{begin, "a comment without its end, expected */"};
        while (at_ < end + 2) advance();
      } else {
        return;
      }
    }
  }
  void read_quoted() {
    now_.kind = Token::Kind::quoted;
    const Origin begin = here();
    for (++at_; at_ < text_.size() && text_[at_] != '"';) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '"')
        ++at_;
      else if (text_.substr(at_, 2) == "\\\n") {
        ++at_;
        advance();
        continue;
      }
      now_.text += text_[at_];
      advance();
    }
    if (at_ >= text_.size()) throw Wrong{begin, "a string without its closing quote"};
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
  Token now_;
};

/// Attributes that only concern drawing (Graphviz's own attributes).
bool is_drawing(std::string_view key) {
  static constexpr std::array kKeys = {
      "URL",           "arrowhead",  "arrowsize",   "arrowtail", "class",       "color",   "colorscheme",
      "comment",       "constraint", "decorate",    "dir",       "distortion",  "edgeURL", "edgehref",
      "fillcolor",     "fixedsize",  "fontcolor",   "fontname",  "fontsize",    "group",   "headlabel",
      "headport",      "height",     "href",        "id",        "image",       "label",   "labelangle",
      "labeldistance", "layer",      "len",         "lhead",     "ltail",       "margin",  "minlen",
      "nojustify",     "ordering",   "orientation", "penwidth",  "peripheries", "pos",     "rank",
      "regular",       "samehead",   "sametail",    "shape",     "showboxes",   "sides",   "skew",
      "sortv",         "style",      "taillabel",   "tailport",  "target",      "tooltip", "weight",
      "width",         "xlabel",     "xlp",         "lp"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

/// Attribute values are strings in DOT; numeric ones become numbers.
Value value_of(const std::string& key, const Token& token) {
  if (key == "count" || key == "error_rate") {
    const char* const end = token.text.data() + token.text.size();
    std::int64_t whole = 0;
    if (auto [at, error] = std::from_chars(token.text.data(), end, whole); error == std::errc() && at == end)
      return {whole, token.at};
    double number = 0;
    if (auto [at, error] = std::from_chars(token.text.data(), end, number); error == std::errc() && at == end)
      return {number, token.at};
  }
  return {token.text, token.at};
}

/// Attributes by key: later ones replace earlier ones.
using Attributes = std::map<std::string, Value::Member>;

GraphAttributes table_of(const Attributes& attributes) {
  if (attributes.empty()) return nullptr;
  Value::Table table;
  for (const auto& [key, member] : attributes) table.push_back(member);
  return std::make_shared<const Value::Table>(std::move(table));
}

class DotReader {
 public:
  explicit DotReader(std::string_view text) : tokens_(text) {}

  Graph read() {
    strict_ = tokens_.is_word("strict");
    if (strict_) tokens_.next();
    if (!tokens_.is_word("graph") && !tokens_.is_word("digraph")) tokens_.fail("`graph` or `digraph`");
    tokens_.next();
    if (tokens_.is_id()) tokens_.take_id("a name");
    if (!tokens_.is_mark("{")) tokens_.fail("`{`");
    Scope scope;
    read_block(scope, 0);
    if (tokens_.now().kind != Token::Kind::end) tokens_.fail("nothing after the graph");
    for (auto& [name, node] : nodes_) graph_.nodes[node.number].attributes = table_of(node.attributes);
    return std::move(graph_);
  }

 private:
  struct Scope {
    Attributes node;
    Attributes edge;
  };
  struct Known {
    std::size_t number;
    Attributes attributes;
  };
  struct End {
    std::string name;
    Origin at;
  };
  using Ends = std::vector<End>;

  /// Returns the nodes that the block names.
  Ends read_block(Scope scope, int depth) {
    constexpr int kMostDepth = 100;
    if (depth > kMostDepth) tokens_.fail("fewer levels of nested subgraphs");
    tokens_.take("{");
    Ends named;
    while (!tokens_.take("}")) {
      if (tokens_.now().kind == Token::Kind::end) tokens_.fail("`}`");
      read_statement(scope, named, depth);
      tokens_.take(";");
    }
    std::set<std::string> seen;
    std::erase_if(named, [&](const End& end) { return !seen.insert(end.name).second; });
    return named;
  }

  void read_statement(Scope& scope, Ends& named, int depth) {
    if (tokens_.is_word("graph")) {
      tokens_.next();
      Attributes ignored;
      read_attributes(ignored, true);
    } else if (tokens_.is_word("node")) {
      tokens_.next();
      read_attributes(scope.node, true);
    } else if (tokens_.is_word("edge")) {
      tokens_.next();
      read_attributes(scope.edge, true);
    } else {
      read_nodes_or_edges(scope, named, depth);
    }
  }

  void read_nodes_or_edges(Scope& scope, Ends& named, int depth) {
    std::vector<Ends> chain;
    bool group = false;
    chain.push_back(read_end(scope, depth, group));
    if (!group && tokens_.take("=")) {  // an attribute of the graph
      tokens_.take_id("a value");
      return;
    }
    if (!group) declare(chain.front().front(), scope);
    while (tokens_.is_mark("--") || tokens_.is_mark("->")) {
      tokens_.next();
      chain.push_back(read_end(scope, depth, group));
      for (const End& end : chain.back()) declare(end, scope);
    }
    for (const Ends& ends : chain) named.insert(named.end(), ends.begin(), ends.end());
    if (chain.size() > 1) {
      Attributes attributes = scope.edge;
      read_attributes(attributes, false);
      const GraphAttributes table = table_of(attributes);
      for (std::size_t i = 0; i + 1 < chain.size(); ++i) connect(chain[i], chain[i + 1], table);
    } else if (!group) {
      read_attributes(nodes_.at(chain.front().front().name).attributes, false);
    } else if (tokens_.is_mark("[")) {
      tokens_.fail("no attributes after a subgraph");
    }
  }

  /// A node, or the nodes of a subgraph.
  Ends read_end(Scope& scope, int depth, bool& group) {
    group = tokens_.is_word("subgraph") || tokens_.is_mark("{");
    if (group) {
      if (tokens_.is_word("subgraph")) {
        tokens_.next();
        if (tokens_.is_id()) tokens_.take_id("a name");
        if (!tokens_.is_mark("{")) tokens_.fail("`{`");
      }
      return read_block(scope, depth + 1);
    }
    const Token name = tokens_.take_id("the name of a node");
    for (int part = 0; part < 2 && tokens_.take(":"); ++part) tokens_.take_id("a port");
    return {{name.text, name.at}};
  }

  void declare(const End& end, const Scope& scope) {
    if (end.name.empty()) throw Wrong{end.at, "a node without a name"};
    const auto [known, is_new] = nodes_.try_emplace(end.name, Known{graph_.nodes.size(), scope.node});
    if (is_new) graph_.nodes.push_back({end.name, end.at, nullptr});
  }

  void read_attributes(Attributes& attributes, bool required) {
    if (required && !tokens_.is_mark("[")) tokens_.fail("`[`");
    while (tokens_.take("[")) {
      while (!tokens_.take("]")) {
        const Token key = tokens_.take_id("an attribute or `]`");
        if (!tokens_.take("=")) tokens_.fail("`=`");
        const Token value = tokens_.take_id("a value");
        if (!tokens_.take(",")) tokens_.take(";");
        if (!is_drawing(key.text)) {
          attributes.insert_or_assign(key.text, Value::Member{key.text, key.at, value_of(key.text, value)});
        }
      }
    }
  }

  void connect(const Ends& from, const Ends& to, const GraphAttributes& attributes) {
    if (graph_.edges.size() + from.size() * to.size() > kMostGraphLinks) {
      tokens_.fail(fmt::format("at most {} links", kMostGraphLinks));
    }
    for (const End& a : from) {
      for (const End& b : to) {
        if (strict_ && !linked_.insert(std::minmax(a.name, b.name)).second) continue;
        graph_.edges.push_back({Value(a.name, a.at), Value(b.name, b.at), attributes});
      }
    }
  }

  Tokens tokens_;
  bool strict_ = false;
  Graph graph_;
  std::map<std::string, Known> nodes_;
  std::set<std::pair<std::string, std::string>> linked_;
};

}  // namespace

std::optional<Graph> graph_of_dot(std::string_view text, Diagnostics& diagnostics) {
  try {
    return DotReader(without_byte_order_mark(text)).read();
  } catch (const Wrong& wrong) {
    diagnostics.add(wrong.at, {}, fmt::format("{}; the rest of the file was not read", wrong.message));
    return std::nullopt;
  }
}

}  // namespace weir
