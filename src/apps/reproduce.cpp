// SPDX-License-Identifier: Apache-2.0
#include "apps/reproduce.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "analysis/forms.h"
#include "apps/commands.h"
#include "apps/console.h"
#include "apps/interrupt.h"
#include "apps/progress_text.h"
#include "apps/time_left.h"
#include "config/nearest_name.h"
#include "reproduce/check_whole_row.h"
#include "reproduce/draw.h"
#include "reproduce/paper.h"
#include "reproduce/reproduction_report.h"
#include "reproduce/run_cache.h"
#include "reproduce/run_row.h"
#include "results/output_file.h"
#include "results/table.h"
#include "sim/version.h"

namespace weir::apps {
namespace {

/// Whether a given path, in any notation, denotes this folder.
bool is_folder(const std::string& named, const char* folder) {
  std::error_code error;
  // A trailing slash is not part of a name.
  const auto plain = [&](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(path / "", error);
  };
  return plain(named) == plain(folder) && !error;
}

/// The project's own rows, evaluated in place.
bool is_ledgers_own(const ReproduceCommand& command) {
  return command.report.empty() && is_folder(command.rows, kRowFolder) && is_folder(command.out, kVerdictFolder);
}

/// All rows of the folder. Errors are reported and set `good` to false.
std::vector<Row> load_rows(const std::string& folder, bool& good) {
  std::vector<Row> out;
  for (const auto& [id, path] : find_rows(folder)) {
    out.push_back(load_row(path, id));
    for (const std::string& error : out.back().errors) {
      print_diagnostic(error);
      good = false;
    }
  }
  if (out.empty()) {
    print_diagnostic(fmt::format("weir: {}: contains no rows, expected files such as bfc/fig9.toml", folder));
    good = false;
  }
  return out;
}

std::vector<const Row*> pointers_to(const std::vector<Row>& rows) {
  std::vector<const Row*> out;
  for (const Row& row : rows) out.push_back(&row);
  return out;
}

/// The selected rows, by their own name or that of a row that they replace.
std::vector<const Row*> chosen(const std::vector<Row>& rows, const ReproduceCommand& command, bool& good) {
  std::vector<const Row*> out;
  if (command.all) return pointers_to(rows);
  std::vector<std::string> names;
  for (const Row& row : rows) names.insert(names.end(), row.ids.begin(), row.ids.end());
  for (const std::string& id : command.ids) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
      return std::find(row.ids.begin(), row.ids.end(), id) != row.ids.end();
    });
    if (found != rows.end()) {
      if (std::find(out.begin(), out.end(), &*found) == out.end()) out.push_back(&*found);
      continue;
    }
    const std::string nearest = nearest_name(id, names);
    print_diagnostic(fmt::format("weir: unknown row \"{}\"{}", id,
                                 nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest)));
    good = false;
  }
  return out;
}

/// A file of the record may have been damaged by manual edits or by a merge.
bool is_record_whole(const std::vector<Row>& rows, const std::string& folder) {
  bool whole = true;
  for (const Row& row : rows) {
    for (const RowForm form : {RowForm::quick, RowForm::full}) {
      if (!is_damaged(folder, row.id, form)) continue;
      print_diagnostic(
          fmt::format("{}: is not a verdict, expected a file written by weir reproduce; the row is not recorded until "
                      "the file is valid or removed",
                      verdict_path(folder, row.id, form).string()));
      whole = false;
    }
  }
  return whole;
}

std::vector<RowStatus> statuses(const std::vector<const Row*>& rows, const std::string& folder) {
  std::vector<RowStatus> out;
  for (const Row* row : rows) out.push_back(status_of(*row, folder));
  return out;
}

/// Checks without running. `recorded`: the folder of the verdicts that the report shows.
int check_rows(const std::vector<const Row*>& rows, const std::string& recorded) {
  bool good = true;
  const std::size_t width = stderr_width();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // Some rows take seconds.
    if (width > 0) show_line(fmt::format("{} of {}: {}", i + 1, rows.size(), rows[i]->id).substr(0, width - 1));
    for (const std::string& error : check_whole_row(*rows[i])) {
      print_diagnostic(error);
      good = false;
    }
    if (status_of(*rows[i], recorded).kind() == RowStatus::Kind::does_not_hold && rows[i]->cause.empty()) {
      print_diagnostic(
          fmt::format("{}: warning: does not hold but has no claim.cause, expected the cause that an experiment showed",
                      rows[i]->file));
    }
  }
  if (width > 0) show_line({});
  if (!good) return kWrongInput;
  return print(fmt::format("{} row{}, no errors\n", rows.size(), rows.size() == 1 ? "" : "s")) ? kDone : kFailed;
}

int list_rows(const std::vector<RowStatus>& rows) {
  constexpr auto kLeft = Column::Align::left;
  Table table({{"", "row", "", kLeft}, {"", "what", "", kLeft}, {"", "verdict", "", kLeft}});
  for (const RowStatus& status : rows) {
    table.add_row({status.row.id, status.row.title, status.state()});
  }
  return print(table.format(0)) ? kDone : kFailed;
}

/// Writes all pages of the report.
bool write_report(const std::vector<RowStatus>& rows, const std::vector<Paper>& papers, const std::string& path) {
  bool good = true;
  for (const ReportPage& page : report_pages(rows, papers, path)) {
    std::error_code ignored;
    std::filesystem::create_directories(page.path.parent_path(), ignored);
    OutputFile file(page.path);
    file.write(page.text);
    const auto error = file.commit();
    if (error) print_diagnostic(fmt::format("weir: {}", *error));
    good = good && !error;
  }
  return good;
}

/// The texts of the pages about the papers of these rows. Errors are reported and set `good` to false.
std::vector<Paper> load_papers_of(const std::vector<Row>& rows, const std::string& folder, bool& good) {
  std::vector<Paper> out = load_papers(folder, rows);
  for (const Paper& paper : out) {
    std::vector<std::string> wrong = paper.errors;
    if (wrong.empty()) wrong = check_paper(paper, rows);
    for (const std::string& error : wrong) {
      print_diagnostic(error);
      good = false;
    }
  }
  return out;
}

/// Why files cannot be created in a folder.
std::optional<std::string> why_not_writable(const std::filesystem::path& folder) {
  const std::filesystem::path named = folder.empty() ? "." : folder;
  if (::faccessat(AT_FDCWD, named.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return std::nullopt;
  return fmt::format("{}: {}", named.string(), std::generic_category().message(errno));
}

/// Checks in advance that verdicts and report can be written, because rows take hours.
bool prepare_places(const ReproduceCommand& command) {
  std::optional<std::string> wrong;
  if (is_folder(command.out, kRecordFolder))
    wrong = fmt::format("{}: contains the record, expected another --out", command.out);
  for (const std::string& folder : {command.out, reported_folder(command)}) {
    if (wrong) break;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    wrong = error ? fmt::format("{}: {}", folder, error.message()) : why_not_writable(folder);
  }
  if (!wrong) wrong = why_not_writable(std::filesystem::path(report_path(command)).parent_path());
  if (wrong) print_diagnostic(fmt::format("weir: {}", *wrong));
  return !wrong;
}

/// Runs rows in sequence; the runs of a row are made in parallel.
class Reproduction {
 public:
  explicit Reproduction(const ReproduceCommand& command)
      : command_(command),
        form_(command.full ? RowForm::full : RowForm::quick),
        jobs_(command.jobs > 0 ? command.jobs : std::max(1U, std::thread::hardware_concurrency())),
        reported_(reported_folder(command)) {}

  void run(const std::vector<const Row*>& rows) {
    rows_ = rows.size();
    std::vector<std::optional<double>> expected(rows.size());
    if (stderr_width() > 0)
      std::transform(rows.begin(), rows.end(), expected.begin(),
                     [&](const Row* row) { return expected_seconds(*row); });
    left_to_do_ = TimeLeft(std::move(expected));
    for (row_ = 0; row_ < rows.size(); ++row_) {
      left_to_do_.begin(row_);
      const Clock::time_point began = Clock::now();
      run(*rows[row_]);
      left_to_do_.finish(std::chrono::duration<double>(Clock::now() - began).count());
    }
  }

  [[nodiscard]] int status() const { return status_; }
  /// The rows left by an interrupt, by name.
  [[nodiscard]] const std::vector<std::string>& left() const { return left_; }

 private:
  using Clock = std::chrono::steady_clock;

  /// Existing results of a row.
  struct Start {
    std::optional<RowVerdict> kept;
    bool settled = false;  ///< nothing needs to be run
    bool known = false;    ///< the row itself is known: only alternatives are evaluated
  };

  [[nodiscard]] Start start_of(const Row& row) const {
    Start out;
    out.kept = kept_verdict(command_.out, row, form_);
    if (!command_.all || command_.again || !out.kept || !is_settled(row, *out.kept)) return out;
    out.settled = choices_to_try(row, *out.kept) == 0;
    // The effect of an alternative is reported relative to the row as evaluated by this version.
    out.known = !out.settled && out.kept->version == kVersion;
    return out;
  }

  /// The time that the stored runs took: an upper bound, because an alternative may change only some of them.
  [[nodiscard]] std::optional<double> expected_seconds(const Row& row) const {
    if (!row.setup(form_).exists) return 0;
    const Start start = start_of(row);
    if (start.settled) return 0;
    const double kept = RunCache(command_.out, row, form_).seconds();
    if (!start.known || kept <= 0) return std::nullopt;
    const auto tried = static_cast<double>(start.kept->assumptions.size());
    return kept / (1 + tried) * static_cast<double>(choices_to_try(row, *start.kept)) / static_cast<double>(jobs_);
  }

  void run(const Row& row) {
    if (interrupted()) return leave(row.id);
    if (!row.setup(form_).exists) {
      // Some claims have no quick form.
      return print_diagnostic(fmt::format("{}: has no quick form, expected --full", row.id));
    }
    const Start start = start_of(row);
    if (start.settled) return record_kept(row);
    RunRowOptions options;
    if (start.known) options.known = &*start.kept;
    options.jobs = jobs_;
    options.folder = command_.out;
    options.choices = command_.choices;
    options.assumption = command_.assumption;
    options.again = command_.again;
    options.watch = [&](std::size_t done, std::size_t total, const std::vector<RunUnderway>& underway) {
      show(row.id, done, total, underway);
      return !interrupted();
    };
    pool_ = {};
    RowResult result = run_row(row, form_, row.setup(form_), options);
    if (stderr_width() > 0) show_line({});
    for (const std::string& error : result.errors) print_diagnostic(error);
    for (const std::string& failure : result.failures) print_diagnostic(fmt::format("weir: {}: {}", row.id, failure));
    if (!result.errors.empty()) return fail(kWrongInput);
    if (result.interrupted) return leave(row.id);
    if (!result.failures.empty()) fail(kFailed);
    // Whether a row cannot be run is determined by the row; failed runs are repeated the next time.
    const bool evaluated = result.verdict.state != RowVerdict::State::cannot_be_run && !result.broken;
    if (evaluated) keep(row, result.verdict);
    if (result.choices_left) leave(row.id + " (alternatives)");
    for (std::size_t i = 0; i < result.pictures.size(); ++i) keep_picture(row, i, result.pictures[i]);
    if (!print(verdict_text(row, result.verdict))) fail(kFailed);
  }

  void keep(const Row& row, RowVerdict& verdict) {
    const auto before = kept_verdict(reported_, row, verdict.form);
    if (before) keep_tried_choices(verdict, *before, row);
    print_error(keep_verdict(command_.out, verdict));
    record(row, verdict);
  }

  /// Records an existing verdict that is missing in the record.
  void record_kept(const Row& row) {
    if (kept_verdict(reported_, row, form_)) return;
    if (const auto verdict = kept_verdict(command_.out, row, form_)) record(row, *verdict);
  }

  /// In short form. A recorded verdict of the other form is obsolete if the row has changed since.
  void record(const Row& row, const RowVerdict& verdict) {
    if (reported_ == command_.out) return;
    print_error(keep_verdict(reported_, in_brief(verdict)));
    const RowForm other = verdict.form == RowForm::full ? RowForm::quick : RowForm::full;
    std::error_code ignored;
    if (!kept_verdict(reported_, row, other)) std::filesystem::remove(verdict_path(reported_, row.id, other), ignored);
  }

  void print_error(const std::optional<std::string>& error) {
    if (!error) return;
    print_diagnostic(fmt::format("weir: {}", *error));
    fail(kFailed);
  }

  /// Stored next to the report. The picture of a quick form does not replace that of a full form with a verdict.
  void keep_picture(const Row& row, std::size_t number, const analysis::Chart& chart) {
    if (chart.curves.empty()) return;
    const std::filesystem::path path =
        std::filesystem::path(report_path(command_)).parent_path() / kPictureFolder / picture_name(row.id, number);
    std::error_code error;
    if (form_ == RowForm::quick && std::filesystem::exists(path, error) &&
        kept_verdict(reported_, row, RowForm::full)) {
      return;
    }
    std::filesystem::create_directories(path.parent_path(), error);
    OutputFile file(path);
    file.write(analysis::to_svg(chart));
    print_error(file.commit());
  }

  /// A row that could not be run before cannot be run now.
  static bool is_settled(const Row& row, const RowVerdict& verdict) {
    return verdict.missing == missing_in(row, verdict.form, row.setup(verdict.form));
  }

  [[nodiscard]] std::size_t choices_to_try(const Row& row, const RowVerdict& verdict) const {
    if (command_.choices == OtherChoices::none) return 0;
    if (command_.choices == OtherChoices::undecided && state_of(verdict.criteria) != RowVerdict::State::does_not_hold) {
      return 0;
    }
    return static_cast<std::size_t>(
        std::count_if(row.assumed.begin(), row.assumed.end(), [&](const Assumption& assumption) {
          return has_choice(assumption, command_.assumption) && is_untried(verdict, assumption);
        }));
  }

  void leave(const std::string& what) {
    left_.push_back(what);
    fail(kInterrupted);
  }

  /// The first failure determines the status; an interrupt takes precedence.
  void fail(int status) {
    if (status_ == kDone || status == kInterrupted) status_ = status;
  }

  /// "row 3 of 59, 2.1 h left | ", if there are several rows.
  std::string show_rows(std::size_t done, std::size_t total, const std::vector<RunUnderway>& underway) {
    if (rows_ < 2) return {};
    // The runs of alternatives are counted separately, after those of the row itself.
    if (total != pool_.total || done < pool_.done) pool_ = {Clock::now(), done, total};
    pool_.done = done;
    auto part = static_cast<double>(done);
    for (const RunUnderway& run : underway) {
      if (run.stop == Time::never() || run.stop == Time()) continue;
      const double simulated = Duration::picoseconds(run.progress->simulated_picoseconds).seconds();
      part += std::min(1.0, simulated / run.stop.seconds());
    }
    const double elapsed = std::chrono::duration<double>(Clock::now() - pool_.began).count();
    const auto left = left_to_do_.seconds(part / static_cast<double>(std::max<std::size_t>(total, 1)), elapsed);
    const std::string time = left ? fmt::format(", {} left in total", duration_text(*left)) : std::string();
    return fmt::format("row {} of {}{} | ", row_ + 1, rows_, time);
  }

  void show(const std::string& id, std::size_t done, std::size_t total, const std::vector<RunUnderway>& underway) {
    const std::size_t width = stderr_width();
    if (width == 0) return;
    const std::string rows = show_rows(done, total, underway);
    std::vector<RunProgress> running;
    for (const RunUnderway& run : underway) {
      running.push_back(progress_of(run, run.name.empty() ? id : fmt::format("{} {}", id, run.name)));
    }
    const std::size_t room = width > rows.size() + 1 ? width - rows.size() - 1 : 0;
    show_line(rows + progress_line(done, total, running, room));
  }

  /// Runs made in parallel.
  struct Pool {
    Clock::time_point began;
    std::size_t done = 0;
    std::size_t total = 0;
  };

  const ReproduceCommand& command_;
  RowForm form_;
  std::size_t jobs_;
  std::string reported_;  // folder
  std::size_t row_ = 0;
  std::size_t rows_ = 0;
  TimeLeft left_to_do_{{}};
  Pool pool_;
  int status_ = kDone;
  std::vector<std::string> left_;
};

/// Names the first few rows.
std::string list_of(const std::vector<std::string>& rows) {
  constexpr std::size_t kNamed = 10;
  const std::size_t named = std::min(rows.size(), kNamed);
  const std::string out =
      fmt::format("{}", fmt::join(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(named), ", "));
  return rows.size() == named ? out : fmt::format("{} and {} more", out, rows.size() - named);
}

}  // namespace

std::string reported_folder(const ReproduceCommand& command) {
  return is_ledgers_own(command) ? kRecordFolder : command.out;
}

std::string report_path(const ReproduceCommand& command) {
  if (!command.report.empty()) return command.report;
  return is_ledgers_own(command) ? "docs/reproduction.md"
                                 : (std::filesystem::path(command.out) / "reproduction.md").string();
}

namespace {

/// If no row has an alternative for such an assumption, reports that and lists the existing ones.
bool some_has_choice(const std::vector<const Row*>& rows, const std::string& text) {
  std::vector<std::string> there;
  for (const Row* row : rows) {
    for (const Assumption& assumption : row->assumed) {
      if (has_choice(assumption, text)) return true;
      if (assumption.alternative) there.push_back(fmt::format("{}: \"{}\"", row->id, assumption.value));
    }
  }
  print_diagnostic(fmt::format("weir: --assumption: no row has an alternative for \"{}\", expected part of one of: {}",
                               text, fmt::join(there, ", ")));
  return false;
}

}  // namespace

int reproduce(const ReproduceCommand& command) {
  bool good = true;
  const std::vector<Row> rows = load_rows(command.rows, good);
  if (!good) return kWrongInput;
  const std::vector<Paper> papers = load_papers_of(rows, command.rows, good);
  if (!good) return kWrongInput;
  if (is_ledgers_own(command) && !is_record_whole(rows, kRecordFolder)) return kWrongInput;
  std::vector<const Row*> wanted = chosen(rows, command, good);
  if (command.list) {
    if (!good) return kWrongInput;
    if (wanted.empty()) wanted = pointers_to(rows);
    return list_rows(statuses(wanted, reported_folder(command)));
  }
  if (wanted.empty() && good) {
    print_diagnostic("weir: no row given, expected IDs, --all or --list");
    good = false;
  }
  if (good && !command.assumption.empty()) good = some_has_choice(wanted, command.assumption);
  if (!good) return kWrongInput;
  if (command.check) return check_rows(wanted, reported_folder(command));
  if (!prepare_places(command)) return kWrongInput;
  catch_interrupts();
  Reproduction reproduction(command);
  reproduction.run(wanted);
  if (!reproduction.left().empty())
    print_diagnostic(fmt::format("weir: interrupted: not run: {}", list_of(reproduction.left())));
  const bool written =
      write_report(statuses(pointers_to(rows), reported_folder(command)), papers, report_path(command));
  if (reproduction.status() != kDone) return reproduction.status();
  return written ? kDone : kFailed;
}

}  // namespace weir::apps
