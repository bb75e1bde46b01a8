// SPDX-License-Identifier: Apache-2.0
#include "traffic/flow_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "traffic/decimal.h"
#include "traffic/text_file.h"

namespace weir {

namespace {

constexpr std::size_t kHpccColumns = 6;
constexpr std::size_t kConweaveColumns = 5;
constexpr std::int64_t kLargestSize = std::int64_t{1} << 53;
constexpr std::int64_t kLatestStart = (std::int64_t{1} << 61) - 1;  // no run goes on for longer
constexpr std::int64_t kIncastPort = 200;
constexpr std::size_t kMostHosts = 0xffff'fffeu;

std::optional<std::int64_t> parse_whole(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

struct Word {
  std::string_view text;
  std::size_t line;
};

/// Reads the records of one file. Line breaks are as good as blanks, but where the words cannot be read so, lines show
/// which record is short or long.
class FlowReader {
 public:
  FlowReader(std::string_view file, const FlowFileOptions& options) : options_(options), errors_(file), file_(file) {}

  ReadResult<std::vector<FlowSpec>> read(std::string_view text) {
    const std::vector<TextLine> lines = split_lines(text, errors_);
    if (errors_.empty()) read_lines(lines);
    ReadResult<std::vector<FlowSpec>> result;
    if (!errors_.empty()) {
      result.errors = errors_.messages();
      return result;
    }
    const auto by_start = [](const FlowSpec& a, const FlowSpec& b) { return a.start < b.start; };
    if (!std::is_sorted(flows_.begin(), flows_.end(), by_start)) {
      std::stable_sort(flows_.begin(), flows_.end(), by_start);
      result.notes.push_back(fmt::format("{}: the flows are not in order of start; they were sorted", file_));
    }
    if (rounded_ > 0) {
      result.notes.push_back(
          fmt::format("{}: {} starts have more than 12 decimals; they were rounded to picoseconds", file_, rounded_));
    }
    // HPCC's record without one of its numbers looks the same.
    if (options_.format == FlowFileFormat::detect && columns_ == kConweaveColumns) {
      result.notes.push_back(fmt::format(
          "{}: has 5 columns, so it is read in ConWeave's format (source destination pg size start)", file_));
    }
    result.value = std::move(flows_);
    return result;
  }

 private:
  void read_lines(const std::vector<TextLine>& lines) {
    if (lines.empty()) return errors_.add(0, "is empty, expected the number of flows and the flows");
    const std::optional<std::int64_t> announced = parse_whole(lines.front().words.front());
    if (!announced || *announced < 0) {
      return errors_.add(lines.front().number, "expected the number of flows at the beginning");
    }
    std::vector<Word> words;
    for (const TextLine& line : lines) {
      for (const std::string_view word : line.words) words.push_back({word, line.number});
    }
    words.erase(words.begin());
    const auto flows = static_cast<std::size_t>(*announced);
    if (!choose_columns(lines, words.size(), flows)) return;
    const bool by_line = is_by_line(lines, flows);
    if (words.size() % columns_ == 0 && words.size() / columns_ == flows) {
      for (std::size_t i = 0; i < flows; ++i) read_record(std::span(words).subspan(i * columns_, columns_));
      if (errors_.empty() || !by_line) return;
    } else if (!by_line) {
      return errors_.add(lines.front().number,
                         fmt::format("{} flows are announced, but {} numbers follow, expected {} for each", flows,
                                     words.size(), columns_));
    }
    read_by_line(lines, flows);
  }

  /// The format's columns, else those of the first record if it has a line of its own, else what the numbers make up.
  bool choose_columns(const std::vector<TextLine>& lines, std::size_t words, std::size_t flows) {
    columns_ = options_.format == FlowFileFormat::conweave ? kConweaveColumns : kHpccColumns;
    if (options_.format != FlowFileFormat::detect || words == 0) return true;
    const bool own_lines = lines.front().words.size() == 1;
    for (const std::size_t columns : {kHpccColumns, kConweaveColumns}) {
      columns_ = columns;
      if (own_lines && lines[1].words.size() == columns) return true;
    }
    for (const std::size_t columns : {kHpccColumns, kConweaveColumns}) {
      columns_ = columns;
      if (words % columns == 0 && words / columns == flows) return true;
    }
    constexpr std::string_view kForms =
        "expected 6 (source destination pg dport size start) or 5 (source destination pg size start)";
    if (own_lines) {
      errors_.add(lines[1].number, fmt::format("{} columns, {}", lines[1].words.size(), kForms));
    } else {
      errors_.add(lines[0].number,
                  fmt::format("{} flows are announced, but {} numbers follow, {} for each", flows, words, kForms));
    }
    return false;
  }

  /// Whether records were meant to have a line each: most have, or there are as many lines.
  [[nodiscard]] bool is_by_line(const std::vector<TextLine>& lines, std::size_t flows) const {
    const auto is_record = [this](const TextLine& line) { return line.words.size() == columns_; };
    const auto records = static_cast<std::size_t>(std::count_if(lines.begin() + 1, lines.end(), is_record));
    return lines.front().words.size() == 1 && (lines.size() - 1 == flows || 2 * records >= lines.size() - 1);
  }

  void read_by_line(const std::vector<TextLine>& lines, std::size_t flows) {
    errors_ = FileErrors(file_);
    flows_.clear();
    rounded_ = 0;
    std::vector<Word> words;
    for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
      if (line->words.size() != columns_) {
        errors_.add(line->number, fmt::format("{} columns, expected {}", line->words.size(), columns_));
        continue;
      }
      words.clear();
      for (const std::string_view word : line->words) words.push_back({word, line->number});
      read_record(words);
    }
    const std::size_t found = lines.size() - 1;
    if (found != flows) {
      errors_.add(lines.front().number,
                  fmt::format("{} flows are announced, but {} follow, expected as many", flows, found));
    }
  }

  void read_record(std::span<const Word> words) {
    FlowSpec flow;
    flow.source = host(words[0], "source");
    flow.destination = host(words[1], "destination");
    if (flow.source.exists() && flow.source == flow.destination) {
      errors_.add(words[1].line, fmt::format("host {} sends to itself, expected another destination", words[0].text));
    }
    if (const auto priority = whole(words[2], "pg", 0, kPriorities - 1)) {
      flow.priority = static_cast<Priority>(*priority);
    }
    if (columns_ == kHpccColumns) {
      const auto port = whole(words[3], "dport", 0, 0xffff);
      flow.incast = port == kIncastPort;
      if (flow.incast) flow.label = FlowLabel::incast;
    }
    if (const auto size = whole(words[columns_ - 2], "size", 1, kLargestSize)) flow.size = Bytes(*size);
    read_start(words.back(), flow);
    flows_.push_back(flow);
  }

  std::optional<std::int64_t> whole(const Word& word, std::string_view what, std::int64_t least, std::int64_t most) {
    const std::optional<std::int64_t> value = parse_whole(word.text);
    if (!value) {
      errors_.add(word.line,
                  fmt::format("{} \"{}\" is not a whole number, expected {} to {}", what, word.text, least, most));
    } else if (*value < least || *value > most) {
      errors_.add(word.line, fmt::format("{} {} is out of range, expected {} to {}", what, *value, least, most));
      return std::nullopt;
    }
    return value;
  }

  HostId host(const Word& word, std::string_view what) {
    const auto number = whole(word, what, 0, static_cast<std::int64_t>(kMostHosts));
    if (!number) return HostId::none();
    if (!options_.host) return HostId(static_cast<std::size_t>(*number));
    const HostId host = options_.host(static_cast<std::uint64_t>(*number));
    if (!host.exists()) errors_.add(word.line, fmt::format("{} {} is not a host of the network", what, *number));
    return host;
  }

  void read_start(const Word& word, FlowSpec& flow) {
    constexpr int kPicoseconds = 12;
    const std::optional<ScaledDecimal> start = parse_scaled_decimal(word.text, kPicoseconds);
    if (!start || start->value > kLatestStart) {
      errors_.add(word.line, fmt::format("start \"{}\" is not a number of seconds, or above 26 days", word.text));
      return;
    }
    if (!start->exact) ++rounded_;
    if (start->value < options_.origin.picoseconds()) {
      errors_.add(word.line, options_.origin == Time() ? fmt::format("start {} s is negative", word.text)
                                                       : fmt::format("start {} s is before the origin of {} s",
                                                                     word.text, options_.origin.seconds()));
      return;
    }
    flow.start = Time::picoseconds(start->value - options_.origin.picoseconds());
  }

  const FlowFileOptions& options_;
  FileErrors errors_;
  std::string_view file_;
  std::size_t columns_ = 0;
  std::vector<FlowSpec> flows_;
  std::size_t rounded_ = 0;
};

}  // namespace

ReadResult<std::vector<FlowSpec>> read_flows(std::string_view text, std::string_view file,
                                             const FlowFileOptions& options) {
  return FlowReader(file, options).read(text);
}

ReadResult<std::vector<FlowSpec>> load_flows(const std::string& path, const FlowFileOptions& options) {
  ReadResult<std::string> text = read_text_file(path);
  if (!text.value) return {std::nullopt, std::move(text.errors), {}};
  return read_flows(*text.value, path, options);
}

}  // namespace weir
