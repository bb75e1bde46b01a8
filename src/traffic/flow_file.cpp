#include "traffic/flow_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "traffic/decimal.h"
#include "traffic/text_file.h"

namespace weir {

namespace {

constexpr std::size_t kHpccColumns = 6;
constexpr std::size_t kConweaveColumns = 5;
constexpr std::int64_t kLargestSize = std::int64_t{1} << 53;
constexpr std::int64_t kIncastPort = 200;
constexpr std::size_t kMostHosts = 0xffff'fffeu;

std::optional<std::int64_t> parse_whole(std::string_view word) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// Reads the records of one file, one line each.
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
    result.value = std::move(flows_);
    return result;
  }

 private:
  void read_lines(const std::vector<TextLine>& lines) {
    if (lines.empty()) return errors_.add(0, "is empty, expected the number of flows and a flow a line");
    const TextLine& header = lines.front();
    const std::optional<std::int64_t> announced =
        header.words.size() == 1 ? parse_whole(header.words.front()) : std::nullopt;
    if (!announced || *announced < 0) {
      return errors_.add(header.number, "expected the number of flows alone on the first line");
    }
    if (!choose_format(lines)) return;
    flows_.reserve(lines.size() - 1);
    for (std::size_t i = 1; i < lines.size(); ++i) read_record(lines[i]);
    const std::size_t found = lines.size() - 1;
    if (found != static_cast<std::size_t>(*announced)) {
      errors_.add(header.number, fmt::format("{} flows are announced, but {} follow", *announced, found));
    }
  }

  bool choose_format(const std::vector<TextLine>& lines) {
    columns_ = options_.format == FlowFileFormat::conweave ? kConweaveColumns : kHpccColumns;
    if (options_.format != FlowFileFormat::detect || lines.size() < 2) return true;
    columns_ = lines[1].words.size();
    if (columns_ == kHpccColumns || columns_ == kConweaveColumns) return true;
    errors_.add(lines[1].number,
                fmt::format("{} columns, expected 6 (source destination pg dport size start) or 5 (source destination "
                            "pg size start)",
                            columns_));
    return false;
  }

  void read_record(const TextLine& line) {
    if (line.words.size() != columns_) {
      errors_.add(line.number, fmt::format("{} columns, expected {}", line.words.size(), columns_));
      return;
    }
    FlowSpec flow;
    flow.source = host(line, line.words[0], "source");
    flow.destination = host(line, line.words[1], "destination");
    if (flow.source.exists() && flow.source == flow.destination) {
      errors_.add(line.number, fmt::format("host {} sends to itself", line.words[0]));
    }
    if (const auto priority = whole(line, line.words[2], "pg", 0, kPriorities - 1)) {
      flow.priority = static_cast<Priority>(*priority);
    }
    if (columns_ == kHpccColumns) {
      const auto port = whole(line, line.words[3], "dport", 0, 0xffff);
      if (port == kIncastPort) flow.label = FlowLabel::incast;
    }
    if (const auto size = whole(line, line.words[columns_ - 2], "size", 1, kLargestSize)) flow.size = Bytes(*size);
    read_start(line, flow);
    flows_.push_back(flow);
  }

  std::optional<std::int64_t> whole(const TextLine& line, std::string_view word, std::string_view what,
                                    std::int64_t least, std::int64_t most) {
    const std::optional<std::int64_t> value = parse_whole(word);
    if (!value) {
      errors_.add(line.number, fmt::format("{} \"{}\" is not a whole number", what, word));
    } else if (*value < least || *value > most) {
      errors_.add(line.number, fmt::format("{} {} is out of range, expected {} to {}", what, *value, least, most));
      return std::nullopt;
    }
    return value;
  }

  HostId host(const TextLine& line, std::string_view word, std::string_view what) {
    const auto number = whole(line, word, what, 0, static_cast<std::int64_t>(kMostHosts));
    if (!number) return HostId::none();
    if (!options_.host) return HostId(static_cast<std::size_t>(*number));
    const HostId host = options_.host(static_cast<std::uint64_t>(*number));
    if (!host.exists()) errors_.add(line.number, fmt::format("{} {} is not a host of the network", what, *number));
    return host;
  }

  void read_start(const TextLine& line, FlowSpec& flow) {
    constexpr int kPicoseconds = 12;
    const std::string_view word = line.words.back();
    const std::optional<ScaledDecimal> start = parse_scaled_decimal(word, kPicoseconds);
    if (!start) {
      errors_.add(line.number, fmt::format("start \"{}\" is not a number of seconds, or above 106 days", word));
      return;
    }
    if (!start->exact) ++rounded_;
    if (start->value < options_.origin.picoseconds()) {
      errors_.add(line.number, options_.origin == Time() ? fmt::format("start {} s is negative", word)
                                                         : fmt::format("start {} s is before the origin of {} s", word,
                                                                       options_.origin.seconds()));
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
