// SPDX-License-Identifier: Apache-2.0
// On a store with overwritten columns, runs, report and export return a status and do nothing else. The input is a list
// of damages, two bytes each: the column, and the value.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/commands.h"
#include "apps/test_damage.h"
#include "store/store.h"
#include "store/test_whole_record.h"

namespace {

using namespace weir;

const std::filesystem::path& folder() {
  static const std::filesystem::path made = [] {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("weir_damaged_results_fuzz." + std::to_string(::getpid()));
    std::filesystem::create_directories(path / "out");
    std::atexit([] { std::filesystem::remove_all(folder()); });
    Store::create(store_path(path), "0.1.0").add(whole_record("a"));
    // The output of the commands is not checked.
    if (std::freopen("/dev/null", "w", stdout) == nullptr) std::abort();
    return path;
  }();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<apps::DamagedColumn> columns = apps::columns_of(store_path(folder()));
  const std::filesystem::path damaged = store_path(folder() / "out");
  std::filesystem::copy_file(store_path(folder()), damaged, std::filesystem::copy_options::overwrite_existing);
  for (; size >= 2; data += 2, size -= 2) {
    apps::damage(damaged, columns[data[0] % columns.size()], apps::kDamages[data[1] % apps::kDamages.size()]);
  }
  const std::string results = (folder() / "out").string();
  for (const int status : {apps::runs(results), apps::report({results, "/dev/null"}),
                           apps::export_runs({.results = results, .into = (folder() / "into").string()})}) {
    if (status != apps::kDone && status != apps::kFailed && status != apps::kWrongInput) std::abort();
  }
  return 0;
}
