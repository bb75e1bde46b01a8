// SPDX-License-Identifier: Apache-2.0
#include "reproduce/paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include "config/effective.h"
#include "config/nearest_name.h"
#include "config/reader.h"
#include "config/toml_file.h"

namespace weir {

Paper read_paper(std::string_view text, const std::string& file, const std::string& id) {
  Paper out;
  out.file = file;
  out.id = id;
  Diagnostics diagnostics(file);
  if (const auto root = parse_toml(text, diagnostics)) {
    EffectiveTable unwritten;
    Reader reader(diagnostics, &*root, root->origin, {}, unwritten);
    reader.required("title", out.title, "of the page");
    reader.optional("paper", out.paper, "title, place and year");
    reader.optional("about", out.about, "a paragraph about the paper and its rows");
    for (Reader& entry : reader.tables("lead", "a picture at the top of the page")) {
      LeadPicture lead;
      entry.required("row", lead.row, "row of the picture");
      std::size_t number = 1;
      entry.optional("picture", number, "number of the picture in its row", Range<std::size_t>{1, std::nullopt});
      lead.picture = number - 1;
      entry.finish();
      if (paper_id_of(lead.row) != id) entry.refuse(fmt::format("is of \"{}\", expected a row of {}", lead.row, id));
      out.leads.push_back(std::move(lead));
    }
    if (out.leads.size() > kMostLeads) {
      reader.refuse(fmt::format("has {} leads, expected at most {}", out.leads.size(), kMostLeads));
    }
    reader.finish();
  }
  out.errors = diagnostics.lines();
  return out;
}

std::vector<Paper> load_papers(const std::filesystem::path& folder, const std::vector<Row>& rows) {
  std::vector<Paper> out;
  for (const Row& row : rows) {
    const std::string id = paper_id_of(row.id);
    if (std::any_of(out.begin(), out.end(), [&](const Paper& paper) { return paper.id == id; })) continue;
    const std::filesystem::path path = folder / (id + ".toml");
    std::ifstream stream(path, std::ios::binary);
    if (stream) {
      out.push_back(read_paper(std::string(std::istreambuf_iterator<char>(stream), {}), path.string(), id));
    } else {
      out.push_back(
          {.file = path.string(), .id = id, .title = id, .paper = {}, .about = {}, .leads = {}, .errors = {}});
    }
  }
  return out;
}

std::vector<std::string> check_paper(const Paper& paper, const std::vector<Row>& rows) {
  std::vector<std::string> out;
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row.id);
  for (const LeadPicture& lead : paper.leads) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.id == lead.row; });
    if (row == rows.end()) {
      const std::string nearest = nearest_name(lead.row, names);
      out.push_back(fmt::format("{}: lead: unknown row \"{}\"{}", paper.file, lead.row,
                                nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest)));
    } else if (lead.picture >= row->pictures.size()) {
      out.push_back(fmt::format("{}: lead: {} has {} picture{}, not a picture {}", paper.file, lead.row,
                                row->pictures.size(), row->pictures.size() == 1 ? "" : "s", lead.picture + 1));
    }
  }
  return out;
}

std::string paper_id_of(std::string_view row_id) {
  return std::string(row_id.substr(0, row_id.find('/')));
}

}  // namespace weir
