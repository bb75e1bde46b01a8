// SPDX-License-Identifier: Apache-2.0
#include "reproduce/run_cache.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/scalar.h"
#include "config/toml_file.h"
#include "results/digest.h"
#include "results/output_file.h"
#include "sim/version.h"

namespace weir {
namespace {

std::string number_text(double value) {
  return value != value ? "nan" : fmt::format("{}", value);
}

double number_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value.data)) return *number;
  return 0;
}

std::string measured_text(const Measured& measured) {
  if (!measured.unavailable.empty()) return written(measured.unavailable);
  if (const double* number = measured.figure.as_number()) return number_text(*number);
  std::string out;
  for (const double value : *measured.figure.as_numbers()) out += (out.empty() ? "" : ", ") + number_text(value);
  return "[" + out + "]";
}

Measured measured_of(const Value& value) {
  Measured out;
  if (const std::string* reason = value.text()) {
    out.unavailable = *reason;
  } else if (const Value::List* list = value.list()) {
    Figure::Numbers numbers;
    for (const Value& element : *list) numbers.push_back(number_of(element));
    out.figure = Figure::numbers(std::move(numbers));
  } else {
    out.figure = Figure::number(number_of(value));
  }
  return out;
}

/// The first line of each file, by which outdated files are recognised.
std::string first_line() {
  return fmt::format("version = {}", written(std::string(kVersion)));
}

/// The files of a folder written by this version, or by other versions.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder, bool this_version) {
  std::vector<std::filesystem::path> out;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::ifstream stream(it->path(), std::ios::binary);
    std::string line;
    std::getline(stream, line);
    if ((line == first_line()) == this_version) out.push_back(it->path());
  }
  return out;
}

}  // namespace

RunCache::RunCache(const std::filesystem::path& folder, const Row& row, RowForm form) {
  if (!folder.empty()) folder_ = folder / fmt::format("{}.{}.runs", row.id, name_of(form));
}

std::filesystem::path RunCache::file_of(const std::string& configuration) const {
  return folder_ / (content_digest(configuration) + ".toml");
}

std::optional<PointOutcome> RunCache::find(const std::string& configuration, const AskedOfRun& asked) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream stream(file_of(configuration), std::ios::binary);
  if (!stream) return std::nullopt;
  Diagnostics diagnostics("");
  const auto root = parse_toml(std::string(std::istreambuf_iterator<char>(stream), {}), diagnostics);
  if (!root) return std::nullopt;
  const std::string* version = root->text_at("version");
  if (version == nullptr || *version != kVersion) return std::nullopt;
  const Value::Member* measures = root->find("measures");
  const std::string* digest = root->text_at("digest");
  if (measures == nullptr || measures->value.table() == nullptr || digest == nullptr) return std::nullopt;
  PointOutcome out;
  out.digest = *digest;
  if (const Value::Member* seconds = root->find("seconds")) out.seconds = number_of(seconds->value);
  for (const auto& [name, what] : asked) {
    const Value::Member* member = measures->value.find(name);
    if (member == nullptr) return std::nullopt;
    out.measures[name] = measured_of(member->value);
  }
  return out;
}

std::optional<std::string> RunCache::keep(const std::string& configuration, const std::string& run,
                                          const PointOutcome& outcome) const {
  if (folder_.empty()) return std::nullopt;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return fmt::format("{}: {}", folder_.string(), error.message());
  OutputFile file(file_of(configuration));
  file.write(fmt::format("{}\nrun = {}\ndigest = {}\nseconds = {:.3f}\n\n[measures]\n", first_line(), written(run),
                         written(outcome.digest), outcome.seconds));
  for (const auto& [name, measured] : outcome.measures) {
    file.write(fmt::format("{} = {}\n", written_key(name), measured_text(measured)));
  }
  return file.commit();
}

void RunCache::remove_outdated() const {
  if (folder_.empty()) return;
  std::error_code ignored;
  for (const std::filesystem::path& path : files_of(folder_, false)) std::filesystem::remove(path, ignored);
}

double RunCache::seconds() const {
  double sum = 0;
  if (folder_.empty()) return sum;
  for (const std::filesystem::path& path : files_of(folder_, true)) {
    // A run may have many numbers, and they follow the line that is searched.
    std::ifstream stream(path, std::ios::binary);
    constexpr std::string_view kKey = "seconds = ";
    for (std::string line; std::getline(stream, line) && !line.empty();) {
      if (!line.starts_with(kKey)) continue;
      double seconds = 0;
      std::from_chars(line.data() + kKey.size(), line.data() + line.size(), seconds);
      sum += seconds;
    }
  }
  return sum;
}

}  // namespace weir
