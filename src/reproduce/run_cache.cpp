#include "reproduce/run_cache.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <system_error>

#include "results/digest.h"
#include "results/output_file.h"
#include "scenario/scalar.h"
#include "scenario/toml_file.h"
#include "sim/version.h"
#include "units/random.h"

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

}  // namespace

RunCache::RunCache(std::filesystem::path folder, const Row& row, RowForm form) : row_digest_(row.digest) {
  if (!folder.empty()) folder_ = folder / fmt::format("{}.{}.runs", row.id, name_of(form));
}

std::filesystem::path RunCache::file_of(const std::string& run) const {
  std::uint64_t hash = run.size();
  for (const char c : run) hash = mix(hash, static_cast<unsigned char>(c));
  return folder_ / (format_digest(hash) + ".toml");
}

std::optional<PointOutcome> RunCache::find(const std::string& run, const AskedOfRun& asked) const {
  if (folder_.empty()) return std::nullopt;
  std::ifstream stream(file_of(run), std::ios::binary);
  if (!stream) return std::nullopt;
  Diagnostics diagnostics("");
  const auto root = parse_toml(std::string(std::istreambuf_iterator<char>(stream), {}), diagnostics);
  const auto is = [&](std::string_view key, std::string_view text) {
    const std::string* there = root->text_at(key);
    return there != nullptr && *there == text;
  };
  if (!root || !is("run", run) || !is("row", row_digest_) || !is("version", kVersion)) return std::nullopt;
  const Value::Member* measures = root->find("measures");
  const std::string* digest = root->text_at("digest");
  if (measures == nullptr || measures->value.table() == nullptr || digest == nullptr) return std::nullopt;
  PointOutcome out;
  out.digest = *digest;
  for (const auto& [name, what] : asked) {
    const Value::Member* member = measures->value.find(name);
    if (member == nullptr) return std::nullopt;
    out.measures[name] = measured_of(member->value);
  }
  return out;
}

std::optional<std::string> RunCache::keep(const std::string& run, const PointOutcome& outcome) const {
  if (folder_.empty()) return std::nullopt;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return fmt::format("{}: {}", folder_.string(), error.message());
  OutputFile file(file_of(run));
  file.write(fmt::format("run = {}\nrow = {}\nversion = {}\ndigest = {}\n\n[measures]\n", written(run),
                         written(row_digest_), written(std::string(kVersion)), written(outcome.digest)));
  for (const auto& [name, measured] : outcome.measures) {
    file.write(fmt::format("{} = {}\n", written_key(name), measured_text(measured)));
  }
  return file.commit();
}

void RunCache::remove() const {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace weir
