// SPDX-License-Identifier: Apache-2.0
#include "net/topology_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "net/ns3_units.h"
#include "units/byte_order_mark.h"

namespace weir {
namespace {

constexpr std::size_t kMostErrors = 100;
constexpr std::int64_t kMostNodes = 10'000'000;
constexpr std::int64_t kMostLinks = 100'000'000;

struct Token {
  std::string_view text;
  std::size_t line = 0;
};

std::vector<Token> tokens_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  std::vector<Token> tokens;
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\n') {
      ++line;
      ++at;
    } else if (kBlanks.find(text[at]) != std::string_view::npos) {
      ++at;
    } else {
      const std::size_t end = std::min(text.find_first_of(" \t\r\v\f\n", at), text.size());
      tokens.push_back({text.substr(at, end - at), line});
      at = end;
    }
  }
  return tokens;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct FormatShape {
  std::size_t header;        // numbers on the first line
  std::size_t links;         // index of the number of links among them
  std::size_t record;        // fields of a link
  std::string_view headers;  // their names
  std::string_view fields;
};

FormatShape shape_of(TopologyFormat format) {
  constexpr std::string_view kRecord = "source destination rate delay error_rate";
  switch (format) {
    case TopologyFormat::floodgate:
      return {6, 5, 4, "nodes switches hosts_per_rack tors cores links", "source destination Gbit/s ns"};
    case TopologyFormat::powertcp:
      return {4, 3, 5, "nodes switches tors links", kRecord};
    case TopologyFormat::reverie:
      return {6, 3, 5, "nodes switches tors links host_rate fabric_rate", kRecord};
    case TopologyFormat::automatic:
    case TopologyFormat::hpcc:
      break;
  }
  return {3, 2, 5, "nodes switches links", kRecord};
}

struct Record {
  NodeId source;
  NodeId destination;
  LinkSpec spec;
};

class Reader {
 public:
  Reader(std::string_view text, std::string_view name, TopologyFormat format)
      : name_(name), format_(format), tokens_(tokens_of(without_byte_order_mark(text))) {}

  TopologyFile read() {
    if (read_header() && read_switches()) read_links();
    if (errors_.empty()) build();
    if (errors_.size() > kMostErrors) {
      const std::size_t more = errors_.size() - kMostErrors;
      errors_.resize(kMostErrors);
      errors_.push_back(fmt::format("{}: {} more errors", name_, more));
    }
    file_.errors = std::move(errors_);
    return std::move(file_);
  }

 private:
  using Errors = std::vector<std::string>;

  template <class... Arguments>
  void add_error(Errors& errors, std::size_t line, fmt::format_string<Arguments...> format,
                 Arguments&&... arguments) const {
    errors.push_back(fmt::format("{}:{}: {}", name_, line, fmt::format(format, std::forward<Arguments>(arguments)...)));
  }
  [[nodiscard]] std::size_t last_line() const { return tokens_.empty() ? 1 : tokens_.back().line; }

  bool read_header() {
    const std::size_t on_first_line = end_of_line(0);
    if (format_ == TopologyFormat::automatic && !recognise(on_first_line)) return false;
    shape_ = shape_of(format_);
    if (tokens_.size() < shape_.header) {
      add_error(errors_, last_line(), "{} numbers, expected `{}`", tokens_.size(), shape_.headers);
      return false;
    }
    const auto count = [this](std::size_t which, std::string_view what, std::int64_t least, std::int64_t most) {
      const Token& token = tokens_[which];
      const std::optional<std::int64_t> value = number<std::int64_t>(token.text);
      if (value && *value >= least && *value <= most) return static_cast<std::size_t>(*value);
      add_error(errors_, token.line, "number of {} is `{}`, expected {} to {}", what, token.text, least, most);
      return std::size_t{0};
    };
    nodes_ = count(0, "nodes", 1, kMostNodes);
    switches_ = count(1, "switches", 0, nodes_ == 0 ? kMostNodes : static_cast<std::int64_t>(nodes_));
    links_ = count(shape_.links, "links", 0, kMostLinks);
    // Checked before memory is allocated for them: a few bytes may announce millions.
    if (errors_.empty() && nodes_ - switches_ > links_) {
      add_error(errors_, tokens_[0].line, "{} hosts but {} links, expected one per host", nodes_ - switches_, links_);
    }
    at_ = shape_.header;
    return errors_.empty();
  }

  bool recognise(std::size_t on_first_line) {
    if (on_first_line == 3) {
      format_ = TopologyFormat::hpcc;
    } else if (on_first_line == 4) {
      format_ = TopologyFormat::powertcp;
    } else if (on_first_line == 6) {
      constexpr std::int64_t kLeastRate = 1'000'000;
      const bool rates = number<std::int64_t>(tokens_[4].text).value_or(0) >= kLeastRate &&
                         number<std::int64_t>(tokens_[5].text).value_or(0) >= kLeastRate;
      format_ = rates ? TopologyFormat::reverie : TopologyFormat::floodgate;
    } else {
      add_error(errors_, tokens_.empty() ? 1 : tokens_[0].line,
                "the first line has {} numbers, expected 3 (HPCC), 4 (PowerTCP) or 6 (Floodgate, Reverie)",
                on_first_line);
      return false;
    }
    return true;
  }

  bool read_switches() {
    is_switch_.assign(nodes_, false);
    for (std::size_t i = 0; i < switches_; ++i, ++at_) {
      if (at_ == tokens_.size()) {
        add_error(errors_, last_line(), "the file ends after {} switch numbers, expected {}", i, switches_);
        return false;
      }
      const std::optional<NodeId> node = node_of(errors_, tokens_[at_], "switch");
      if (!node) continue;
      if (is_switch_[node->index()]) add_error(errors_, tokens_[at_].line, "switch {} is listed twice", node->value);
      is_switch_[node->index()] = true;
    }
    return true;
  }

  std::optional<NodeId> node_of(Errors& errors, const Token& token, std::string_view what) const {
    const std::optional<std::size_t> value = number<std::size_t>(token.text);
    if (value && *value < nodes_) return NodeId(*value);
    add_error(errors, token.line, "{} is `{}`, expected a node number 0 to {}", what, token.text, nodes_ - 1);
    return std::nullopt;
  }

  std::optional<Record> record_of(Errors& errors, std::span<const Token> fields) const {
    const std::size_t before = errors.size();
    const bool bare = format_ == TopologyFormat::floodgate;
    Record record;
    record.source = node_of(errors, fields[0], "source").value_or(NodeId());
    record.destination = node_of(errors, fields[1], "destination").value_or(NodeId());
    if (record.source.exists() && record.source == record.destination) {
      add_error(errors, fields[1].line, "a link from node {} to itself", record.source.value);
    }
    const std::optional<BitRate> rate = parse_ns3_rate(fields[2].text, bare ? 1'000'000'000 : 1);
    if (rate && *rate > BitRate(0)) {
      record.spec.rate = *rate;
    } else {
      const std::string meant = ns3_rate_meant(fields[2].text);
      add_error(errors, fields[2].line, "rate is `{}`, expected {}{}", fields[2].text,
                bare ? "Gbit/s as a number above zero" : "a rate above zero such as 100Gbps",
                meant.empty() ? "" : fmt::format(" (did you mean `{}`?)", meant));
    }
    const Duration bare_delay = bare ? Duration::picoseconds(1000) : Duration();
    if (const std::optional<Duration> delay = parse_ns3_time(fields[3].text, bare_delay)) {
      record.spec.delay = *delay;
    } else {
      add_error(errors, fields[3].line, "delay is `{}`, expected {}", fields[3].text,
                bare ? "nanoseconds as a number" : "a time such as 1000ns");
    }
    if (!bare) {
      const std::optional<double> error_rate = number<double>(fields[4].text);
      if (error_rate && *error_rate >= 0 && *error_rate <= 1) {
        record.spec.error_rate = *error_rate;
      } else {
        add_error(errors, fields[4].line, "error rate is `{}`, expected 0 to 1", fields[4].text);
      }
    }
    if (errors.size() != before) return std::nullopt;
    return record;
  }

  void read_links() {
    const std::size_t first = at_;
    Errors errors;
    for (std::size_t i = 0; i < links_; ++i, at_ += shape_.record) {
      if (tokens_.size() - at_ < shape_.record) {
        add_error(errors, last_line(), "the file ends after {} links, expected {}", i, links_);
        break;
      }
      const auto record = record_of(errors, std::span(tokens_).subspan(at_, shape_.record));
      if (record) records_.push_back(*record);
    }
    if (!errors.empty()) {
      if (is_in_lines(first)) {
        add_errors_by_line(first);
      } else {
        errors_.insert(errors_.end(), errors.begin(), errors.end());
      }
    } else if (at_ < tokens_.size()) {
      file_.notes.push_back(fmt::format("{}:{}: everything after the last link is ignored", name_, tokens_[at_].line));
    }
  }

  // Whether the file is meant to have one link per line: most links are, or fields are missing or left over, which only
  // lines can show.
  [[nodiscard]] bool is_in_lines(std::size_t first) const {
    if (tokens_.size() - first != links_ * shape_.record) return true;
    std::size_t lines = 0;
    std::size_t records = 0;
    for (std::size_t at = first; at < tokens_.size(); at = end_of_line(at), ++lines) {
      if (end_of_line(at) - at == shape_.record) ++records;
    }
    return 2 * records >= lines;
  }
  // The index of the first token after `at` on another line.
  [[nodiscard]] std::size_t end_of_line(std::size_t at) const {
    std::size_t end = at;
    while (end < tokens_.size() && tokens_[end].line == tokens_[at].line) ++end;
    return end;
  }

  // The records cannot be read one after another, so one is short or wrong: finds it, assuming one record per line.
  void add_errors_by_line(std::size_t first) {
    if (first > shape_.header && first < tokens_.size() && tokens_[first].line == tokens_[first - 1].line) {
      add_error(errors_, tokens_[first].line,
                "the {} switch numbers end in the middle of this line, expected at its end", switches_);
    }
    std::size_t records = 0;
    for (std::size_t at = first; at < tokens_.size() && records < links_; ++records) {
      const std::size_t end = end_of_line(at);
      if (end - at != shape_.record) {
        add_error(errors_, tokens_[at].line, "{} fields, expected `{}`", end - at, shape_.fields);
      } else {
        record_of(errors_, std::span(tokens_).subspan(at, shape_.record));
      }
      at = end;
    }
    if (records < links_) {
      add_error(errors_, last_line(), "the file ends after {} links, expected {}", records, links_);
    }
  }

  void build() {
    Topology& topology = file_.topology;
    for (std::size_t i = 0; i < nodes_; ++i) {
      if (is_switch_[i]) {
        topology.add_switch(fmt::format("s{}", i), 1);
      } else {
        topology.add_host(fmt::format("h{}", i));
      }
    }
    for (const Record& record : records_) topology.connect(record.source, record.destination, record.spec);
    topology.derive_tiers();
    for (const std::string& error : topology.errors()) {
      errors_.push_back(fmt::format("{}: {}", name_, error));
    }
  }

  std::string_view name_;
  TopologyFormat format_;
  FormatShape shape_{};
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t nodes_ = 0;
  std::size_t switches_ = 0;
  std::size_t links_ = 0;
  std::vector<bool> is_switch_;
  std::vector<Record> records_;
  Errors errors_;
  TopologyFile file_;
};

}  // namespace

TopologyFile parse_topology(std::string_view text, std::string_view name, TopologyFormat format) {
  TopologyFile file = Reader(text, name, format).read();
  if (format != TopologyFormat::automatic || file.errors.empty()) return file;
  // Because line breaks are arbitrary, the first line may mislead: checks whether the whole text has exactly one
  // format.
  std::optional<TopologyFile> found;
  for (const TopologyFormat other :
       {TopologyFormat::hpcc, TopologyFormat::floodgate, TopologyFormat::powertcp, TopologyFormat::reverie}) {
    TopologyFile whole = Reader(text, name, other).read();
    if (!whole.errors.empty() || !whole.notes.empty()) continue;
    if (found) return file;
    found = std::move(whole);
  }
  return found ? std::move(*found) : file;
}

TopologyFile read_topology(const std::string& path, TopologyFormat format) {
  std::ifstream file(path, std::ios::binary);
  TopologyFile failed;
  failed.errors.push_back(fmt::format("{}: cannot be read", path));
  if (!file) return failed;
  std::string text;
  std::vector<char> chunk(1 << 16);
  do {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
  } while (file);
  if (file.bad()) return failed;
  return parse_topology(text, path, format);
}

}  // namespace weir
