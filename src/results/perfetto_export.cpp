// SPDX-License-Identifier: Apache-2.0
#include "results/perfetto_export.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "results/output_file.h"

namespace weir {
namespace {

/// Picoseconds as microseconds, the unit of the format.
std::string microseconds(std::int64_t picoseconds) {
  constexpr std::int64_t kPicosecondsAMicrosecond = 1'000'000;
  return fmt::format("{}.{:06}", picoseconds / kPicosecondsAMicrosecond, picoseconds % kPicosecondsAMicrosecond);
}

std::string in_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Writes the events of one record.
class TraceWriter {
 public:
  TraceWriter(const RunRecord& record, const std::filesystem::path& path) : record_(record), file_(path) {}

  std::optional<std::string> write() {
    file_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    name_processes();
    for (const PauseSpan& pause : record_.timeline.pauses) {
      const LinkRecord& link = record_.links[pause.link];
      event("\"ph\":\"X\",\"name\":{},\"cat\":\"pause\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{}",
            in_json("paused by " + link.to), process_[pause.link], pause.link + 1,
            microseconds(pause.begin.picoseconds()), microseconds((pause.end - pause.begin).picoseconds()));
    }
    for (std::size_t link = 0; link < record_.links.size(); ++link) count_queued(link);
    file_.write("\n]}\n");
    return file_.commit();
  }

 private:
  template <class... Arguments>
  void event(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    file_.write(first_ ? "\n{" : ",\n{");
    first_ = false;
    file_.write(fmt::format(format, std::forward<Arguments>(arguments)...));
    file_.write("}");
  }

  [[nodiscard]] std::uint32_t queued(std::size_t link, std::size_t interval) const {
    return record_.timeline.queued[link * record_.timeline.intervals + interval];
  }

  /// One process for each node with events, in the order of its first link; one thread for each such link.
  void name_processes() {
    std::vector<bool> shown(record_.links.size(), false);
    for (const PauseSpan& pause : record_.timeline.pauses) shown[pause.link] = true;
    for (std::size_t link = 0; link < shown.size(); ++link) {
      for (std::size_t i = 0; i < record_.timeline.intervals && !shown[link]; ++i) shown[link] = queued(link, i) > 0;
    }
    std::map<std::pair<std::string_view, std::string_view>, int> parallel;
    for (const LinkRecord& link : record_.links) {
      const int number = ++parallel[{link.from, link.to}];
      label_.push_back(number == 1 ? link.to : fmt::format("{} #{}", link.to, number));
    }
    std::map<std::string_view, std::size_t> processes;
    process_.assign(record_.links.size(), 0);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (!shown[i]) continue;
      const LinkRecord& link = record_.links[i];
      const auto [at, added] = processes.try_emplace(link.from, processes.size() + 1);
      process_[i] = at->second;
      if (added) {
        event("\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":{}}}", at->second,
              in_json(link.from));
      }
      event("\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{\"name\":{}}}", at->second, i + 1,
            in_json("to " + label_[i]));
    }
  }

  /// Only where the value changes.
  void count_queued(std::size_t link) {
    const Timeline& timeline = record_.timeline;
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < timeline.intervals; ++i) {
      const std::uint32_t now = queued(link, i);
      if (now == before) continue;
      before = now;
      event("\"ph\":\"C\",\"name\":{},\"pid\":{},\"ts\":{},\"args\":{{\"bytes\":{}}}",
            in_json("queued to " + label_[link]), process_[link],
            microseconds(timeline.interval.picoseconds() * static_cast<std::int64_t>(i)), now);
    }
  }

  const RunRecord& record_;
  OutputFile file_;
  std::vector<std::size_t> process_;  // by link
  std::vector<std::string> label_;    // by link: the far end; parallel links are numbered
  bool first_ = true;
};

}  // namespace

std::optional<std::string> why_no_perfetto(const RunRecord& record) {
  if (record.timeline.recorded()) return std::nullopt;
  return "the run did not record its timeline (measure.timeline = true does)";
}

std::optional<std::string> write_perfetto(const RunRecord& record, const std::filesystem::path& path) {
  if (const auto why = why_no_perfetto(record)) return fmt::format("{}: {}", path.string(), *why);
  return TraceWriter(record, path).write();
}

}  // namespace weir
