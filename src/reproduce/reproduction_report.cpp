// SPDX-License-Identifier: Apache-2.0
#include "reproduce/reproduction_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "reproduce/draw.h"
#include "reproduce/markdown_text.h"
#include "reproduce/row_section.h"

namespace weir {
namespace {

using Kind = RowStatus::Kind;

constexpr std::array kKinds = {Kind::holds,   Kind::holds_with, Kind::does_not_hold,
                               Kind::in_part, Kind::cannot_run, Kind::not_run};

/// The number of rows per kind.
class Counts {
 public:
  void add(const RowStatus& status) { ++counts_[static_cast<std::size_t>(status.kind())]; }
  [[nodiscard]] std::size_t of(Kind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::size_t all() const {
    std::size_t sum = 0;
    for (const std::size_t count : counts_) sum += count;
    return sum;
  }

 private:
  std::array<std::size_t, kKinds.size()> counts_{};
};

Counts counts_of(const std::vector<RowStatus>& rows, const std::string& paper = {}) {
  Counts out;
  for (const RowStatus& status : rows) {
    if (paper.empty() || paper_id_of(status.row.id) == paper) out.add(status);
  }
  return out;
}

/// The kinds that have a column: always four, the others if a row needs them.
std::vector<Kind> columns_of(const Counts& counts) {
  std::vector<Kind> out;
  for (const Kind kind : kKinds) {
    const bool seldom = kind == Kind::in_part || kind == Kind::not_run;
    if (!seldom || counts.of(kind) > 0) out.push_back(kind);
  }
  return out;
}

/// "14 hold, 2 hold with another choice, ...": the kinds that occur.
std::string counts_text(const Counts& counts) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, kKinds.size()> kVerbs = {{
      {"holds", "hold"},
      {"holds with another choice", "hold with another choice"},
      {"does not hold", "do not hold"},
      {"holds in part", "hold in part"},
      {"cannot run yet", "cannot run yet"},
      {"has not been run", "have not been run"},
  }};
  std::vector<std::string> parts;
  for (const Kind kind : kKinds) {
    const std::size_t count = counts.of(kind);
    const auto& [one, many] = kVerbs[static_cast<std::size_t>(kind)];
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  }
  if (parts.empty()) return "there are none";
  if (parts.size() == 1) return parts.front();
  const std::string last = parts.back();
  parts.pop_back();
  return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

std::string introduction(const Counts& counts, std::size_t papers) {
  std::string out = fmt::format(
      "# Reproduction\n\n"
      "Weir repeats the experiments of {}. Each row below is one experiment: a file under `reproduction/`\n"
      "with the paper's setup, our choice for each value that the paper leaves open, and criteria that follow the\n"
      "paper's sentences. A row *holds* if its runs meet all criteria. If they do not, but do with another choice "
      "that\n"
      "the row states for one of the open values, it *holds with* that choice; one that contradicts the paper is tried "
      "and\n"
      "shown, but does not count. Otherwise the row *does not hold*, and the table gives the cause.\n"
      "It *cannot run yet* if it needs something that Weir lacks.\n",
      papers == 1 ? "one paper" : fmt::format("{} papers", papers));
  if (counts.of(Kind::in_part) > 0) {
    out +=
        "It holds *in part* if the criteria that can be evaluated hold, and the others need something that Weir lacks, "
        "or the\nfull form.\n";
  }
  return out + fmt::format(
                   "Of {} rows, {}.\n"
                   "`weir reproduce ID` runs the quick form of a row and `weir reproduce --full ID` the paper's scale; "
                   "both write\n"
                   "these pages. A verdict is of the full form unless it says otherwise.\n",
                   counts.all(), counts_text(counts));
}

std::string address_of(const Paper& paper, const std::string& folder) {
  return fmt::format("{}/{}.md", folder, paper.id);
}

std::string counts_table(const std::vector<RowStatus>& rows, const std::vector<Paper>& papers,
                         const std::string& folder) {
  const Counts all = counts_of(rows);
  const std::vector<Kind> columns = columns_of(all);
  std::string out = "\n| paper |";
  for (const Kind kind : columns) out += fmt::format(" {} |", name_of(kind));
  out += "\n|---|";
  for (std::size_t i = 0; i < columns.size(); ++i) out += "--:|";
  const auto add = [&](const std::string& name, const Counts& counts) {
    out += fmt::format("\n| {} |", name);
    for (const Kind kind : columns) out += fmt::format(" {} |", counts.of(kind));
  };
  for (const Paper& paper : papers) {
    add(fmt::format("[{}]({})", markdown_label(paper.title), address_of(paper, folder)), counts_of(rows, paper.id));
  }
  add("all", all);
  return out + "\n";
}

/// The row's ids, each with a link to its section; `page`: the address of the page that contains it.
std::string links_to(const Row& row, const std::string& page) {
  std::vector<std::string> out;
  for (const std::string& id : row.ids) out.push_back(fmt::format("[{}]({}#{})", id, page, anchor_of(id)));
  return fmt::format("{}", fmt::join(out, ", "));
}

std::string opening_page(const std::vector<RowStatus>& rows, const std::vector<Paper>& papers,
                         const std::string& folder) {
  std::string out = introduction(counts_of(rows), papers.size()) + counts_table(rows, papers, folder);
  for (const Paper& paper : papers) {
    out += fmt::format("\n## {}\n\n| row | claim | verdict | why |\n|---|---|---|---|\n", paper.title);
    for (const RowStatus& status : rows) {
      if (paper_id_of(status.row.id) != paper.id) continue;
      out += fmt::format("| {} | {} | {} | {} |\n", links_to(status.row, address_of(paper, folder)),
                         markdown_cell(status.row.title), status.short_state(), markdown_cell(status.why()));
    }
  }
  return out;
}

/// A lead picture, and the result of its row.
std::string lead_text(const RowStatus& status, std::size_t picture, const PicturePlace& pictures) {
  const std::string image = picture_of(status, picture, pictures);
  if (image.empty()) return {};
  const std::string why = status.why();
  return fmt::format("{}\n[{}](#{}): {}. **{}**{}{}\n\n", image, status.row.id, anchor_of(status.row.id),
                     status.row.title, status.short_state(), why.empty() ? "." : ": " + why,
                     why.empty() || why.ends_with('.') ? "" : ".");
}

std::string paper_page(const std::vector<RowStatus>& rows, const Paper& paper, const PicturePlace& pictures,
                       const std::string& opening) {
  const Counts counts = counts_of(rows, paper.id);
  std::string out = fmt::format("# Reproduction of {}\n\n", paper.title);
  if (!paper.paper.empty()) out += fmt::format("*{}*\n\n", paper.paper);
  if (!paper.about.empty()) out += paper.about + "\n\n";
  out += fmt::format("Of {} row{}, {}. [All papers]({})\n\n", counts.all(), counts.all() == 1 ? "" : "s",
                     counts_text(counts), opening);
  for (const LeadPicture& lead : paper.leads) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const RowStatus& s) { return s.row.id == lead.row; });
    if (found != rows.end()) out += lead_text(*found, lead.picture, pictures);
  }
  for (const RowStatus& status : rows) {
    if (paper_id_of(status.row.id) == paper.id) out += row_section(status, pictures);
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace

std::vector<ReportPage> report_pages(const std::vector<RowStatus>& rows, const std::vector<Paper>& papers,
                                     const std::filesystem::path& path) {
  const std::filesystem::path beside = path.parent_path().empty() ? "." : path.parent_path();
  const std::string folder = path.stem().string();
  const PicturePlace pictures = {beside / kPictureFolder, fmt::format("../{}", kPictureFolder)};
  std::vector<ReportPage> out = {{path, opening_page(rows, papers, folder)}};
  const std::string opening = fmt::format("../{}", path.filename().string());
  for (const Paper& paper : papers) {
    out.push_back({path.parent_path() / address_of(paper, folder), paper_page(rows, paper, pictures, opening)});
  }
  return out;
}

std::string verdict_text(const Row& row, const RowVerdict& verdict) {
  std::string out = fmt::format("{} ({} form): {}", row.id, name_of(verdict.form), name_of(verdict.state));
  if (!verdict.with.empty()) out += fmt::format(": {}", fmt::join(verdict.with, "; or "));
  out += "\n";
  for (std::size_t i = 0; i < verdict.criteria.size(); ++i) {
    const CriterionVerdict& criterion = verdict.criteria[i];
    out += fmt::format("  {}: {}", criterion.name, name_of(criterion.state));
    if (!criterion.reason.empty()) out += fmt::format(": {}", criterion.reason);
    out += "\n";
    if (!row.criteria[i].paper.empty()) out += fmt::format("    the paper: {}\n", row.criteria[i].paper);
    if (!criterion.findings.empty()) out += fmt::format("    measured: {}\n", shown_findings(criterion));
  }
  for (const CriterionVerdict& former : verdict.formers) {
    out += fmt::format("  before the change, {}: {}", former.name, name_of(former.state));
    if (!former.reason.empty()) out += fmt::format(": {}", former.reason);
    out += "\n";
    if (!former.findings.empty()) out += fmt::format("    measured: {}\n", shown_findings(former));
  }
  for (const ReportedFigure& figure : verdict.figures) {
    out += fmt::format("  {}: {}\n", figure.name, figure.measured.empty() ? figure.reason : figure.measured);
  }
  for (const Assumption& assumption : row.assumed) {
    const AssumptionVerdict* tried = tried_choice(verdict, assumption);
    if (tried == nullptr) continue;
    out += fmt::format("  with {} as {}: {}", assumption.value, assumption.other_choice(), tried->state);
    if (!tried->moved.empty()) out += fmt::format("; {}", fmt::join(tried->moved, "; "));
    out += "\n";
  }
  return out;
}

}  // namespace weir
