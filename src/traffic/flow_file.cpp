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
constexpr std::int64_t kMostBytes = std::int64_t{1} << 53;
constexpr std::int64_t kLatestStart = (std::int64_t{1} << 61) - 1;  // limit of a run
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

/// The structure of a file, determined before its records are read.
struct Shape {
  std::size_t lines = 0;  // non-empty lines
  std::size_t words = 0;  // after the number of flows
  std::size_t words_of_first = 0;
  TextLine second{0, {}};
  std::size_t lines_of_hpcc = 0;  // number of lines, after the first, with these columns
  std::size_t lines_of_conweave = 0;
};

/// Reads the records of one file. Line breaks are equivalent to blanks; but if the words cannot be read in this way,
/// lines are used to identify records that are too short or too long. The file is scanned two or three times, and only
/// its flows are stored, because it may be long, and every line may be invalid.
class FlowReader {
 public:
  FlowReader(std::string_view file, const FlowFileOptions& options) : options_(options), errors_(file), file_(file) {}

  ReadResult<std::vector<FlowSpec>> read(std::string_view text) {
    text_ = text;
    read_text();
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
    // HPCC's record with one number missing has the same form.
    if (options_.format == FlowFileFormat::detect && columns_ == kConweaveColumns) {
      result.notes.push_back(fmt::format(
          "{}: has 5 columns, so it is read in ConWeave's format (source destination pg size start)", file_));
    }
    result.value = std::move(flows_);
    return result;
  }

 private:
  void read_text() {
    LineReader reader(text_);
    const TextLine* first = reader.next(errors_);
    if (first == nullptr) {
      if (errors_.empty()) errors_.add(0, "is empty, expected the number of flows and the flows");
      return;
    }
    first_line_ = first->number;
    const std::optional<std::int64_t> announced = parse_whole(first->words.front());
    if (!announced || *announced < 0) {
      return errors_.add(first_line_, "expected the number of flows at the beginning");
    }
    const auto flows = static_cast<std::size_t>(*announced);
    const Shape shape = shape_of();
    if (!errors_.empty() || !choose_columns(shape, flows)) return;
    const bool by_line = is_by_line(shape, flows);
    if (shape.words % columns_ == 0 && shape.words / columns_ == flows) {
      flows_.reserve(flows);
      read_by_words(by_line);
      if (errors_.empty() || !by_line) return;
    } else if (!by_line) {
      return errors_.add(first_line_, fmt::format("{} flows are announced, but {} numbers follow, expected {} per flow",
                                                  flows, shape.words, columns_));
    }
    read_by_line(shape, flows);
  }

  Shape shape_of() {
    Shape shape;
    LineReader reader(text_);
    while (const TextLine* line = reader.next(errors_)) {
      if (++shape.lines == 1) shape.words_of_first = line->words.size();
      if (shape.lines == 2) shape.second = *line;
      if (shape.lines > 1 && line->words.size() == kHpccColumns) ++shape.lines_of_hpcc;
      if (shape.lines > 1 && line->words.size() == kConweaveColumns) ++shape.lines_of_conweave;
      shape.words += line->words.size();
    }
    if (shape.words > 0) --shape.words;
    return shape;
  }

  /// The format's columns, else those of the first record if it is on a line of its own, else derived from the total
  /// number of words.
  bool choose_columns(const Shape& shape, std::size_t flows) {
    columns_ = options_.format == FlowFileFormat::conweave ? kConweaveColumns : kHpccColumns;
    if (options_.format != FlowFileFormat::detect || shape.words == 0) return true;
    const bool own_lines = shape.words_of_first == 1;
    for (const std::size_t columns : {kHpccColumns, kConweaveColumns}) {
      columns_ = columns;
      if (own_lines && shape.second.words.size() == columns) return true;
    }
    for (const std::size_t columns : {kHpccColumns, kConweaveColumns}) {
      columns_ = columns;
      if (shape.words % columns == 0 && shape.words / columns == flows) return true;
    }
    constexpr std::string_view kForms =
        "expected 6 (source destination pg dport size start) or 5 (source destination pg size start)";
    if (own_lines) {
      errors_.add(shape.second.number, fmt::format("{} columns, {}", shape.second.words.size(), kForms));
    } else {
      errors_.add(first_line_, fmt::format("{} flows are announced, but {} numbers follow, {} per flow", flows,
                                           shape.words, kForms));
    }
    return false;
  }

  /// Whether each record is presumably on one line: most are, or the number of lines matches.
  [[nodiscard]] bool is_by_line(const Shape& shape, std::size_t flows) const {
    const std::size_t records = columns_ == kHpccColumns ? shape.lines_of_hpcc : shape.lines_of_conweave;
    return shape.words_of_first == 1 && (shape.lines - 1 == flows || 2 * records >= shape.lines - 1);
  }

  /// Stops at the first error if lines can show the cause.
  void read_by_words(bool by_line) {
    LineReader reader(text_);
    std::vector<Word> words;
    bool at_number = true;
    while (const TextLine* line = reader.next(errors_)) {
      for (const std::string_view word : line->words) {
        if (std::exchange(at_number, false)) continue;
        words.push_back({word, line->number});
        if (words.size() < columns_) continue;
        read_record(words);
        words.clear();
        if (errors_.enough() || (by_line && !errors_.empty())) return;
      }
    }
  }

  void read_by_line(const Shape& shape, std::size_t flows) {
    errors_ = FileErrors(file_);
    flows_.clear();
    rounded_ = 0;
    const std::size_t found = shape.lines - 1;
    LineReader reader(text_);
    reader.next(errors_);
    std::vector<Word> words;
    while (const TextLine* line = reader.next(errors_)) {
      if (errors_.enough()) return;
      if (line->words.size() != columns_) {
        errors_.add(line->number, fmt::format("{} columns, expected {}", line->words.size(), columns_));
        continue;
      }
      words.clear();
      for (const std::string_view word : line->words) words.push_back({word, line->number});
      read_record(words);
    }
    if (found != flows) {
      errors_.add(first_line_, fmt::format("{} flows are announced, but {} follow, expected as many", flows, found));
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
    if (const auto size = whole(words[columns_ - 2], "size", 1, kMostBytes)) flow.size = Bytes(*size);
    read_start(words.back(), flow);
    if (errors_.empty()) flows_.push_back(flow);
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
  std::string_view text_;
  std::size_t first_line_ = 0;
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
