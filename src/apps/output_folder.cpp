#include "apps/output_folder.h"

#include <fmt/format.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>

#include "results/csv.h"
#include "results/hpcc_export.h"

namespace weir::apps {

std::vector<std::string> folder_names(const std::vector<std::string>& variants) {
  std::vector<std::string> out;
  std::set<std::string> taken;
  for (const std::string& variant : variants) {
    std::string safe;
    for (const char c : variant) {
      const bool good =
          std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || (c == '.' && !safe.empty());
      safe += good ? c : '_';
    }
    if (safe.empty()) safe = "run";
    std::string name = safe;
    for (int number = 2; !taken.insert(name).second; ++number) name = fmt::format("{}-{}", safe, number);
    out.push_back(name);
  }
  return out;
}

std::vector<std::string> write_run(const RunRecord& record, const std::filesystem::path& folder) {
  std::vector<std::string> errors = write_csv(record, folder);
  // A folder that cannot be written to needs to be said once.
  if (!errors.empty()) return errors;
  if (auto error = write_hpcc_fct(record, folder / "fct.txt")) errors.push_back(std::move(*error));
  const std::filesystem::path path = folder / "configuration.toml";
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << record.effective_configuration;
  stream.close();
  if (!stream) errors.push_back(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  return errors;
}

}  // namespace weir::apps
