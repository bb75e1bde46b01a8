// A store that was damaged is read or refused with a StoreError. The input is what was damaged: an offset (three bytes)
// and the byte that stands there now, again and again; the first byte cuts the end of the file off when it is odd.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "results/run_record.h"
#include "store/store.h"
#include "store/test_whole_record.h"

namespace {

const std::filesystem::path& folder() {
  static const std::filesystem::path path = [] {
    const std::filesystem::path in_memory = "/dev/shm";
    std::error_code error;
    const std::filesystem::path base =
        std::filesystem::is_directory(in_memory, error) ? in_memory : std::filesystem::temp_directory_path();
    const std::filesystem::path made = base / ("weir_store_fuzz_" + std::to_string(getpid()));
    std::filesystem::create_directories(made);
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove_all(folder(), ignored);
    });
    return made;
  }();
  return path;
}

/// The bytes of a store with two runs.
const std::string& whole_store() {
  static const std::string bytes = [] {
    const std::filesystem::path path = folder() / "whole.sqlite";
    {
      weir::Store store = weir::Store::create(path, "1.2.3");
      weir::RunRecord record = weir::whole_record("a");
      store.add(record);
      record.seed += 1;
      store.add(record);
    }
    std::ifstream stream(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }();
  return bytes;
}

void use(const std::filesystem::path& path) {
  try {
    if (!weir::Store::exists(path)) return;
    const weir::Store store = weir::Store::open(path);
    (void)store.version();
    (void)store.planned();
    (void)store.missing();
    for (const weir::StoredRun& run : store.runs()) {
      try {
        (void)store.load(run.id);
      } catch (const weir::StoreError&) {
      }
    }
  } catch (const weir::StoreError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string bytes = whole_store();
  for (std::size_t at = 1; at + 3 < size; at += 4) {
    const std::size_t offset = data[at] << 16 | data[at + 1] << 8 | data[at + 2];
    bytes[offset % bytes.size()] = static_cast<char>(data[at + 3]);
  }
  if ((data[0] & 1) != 0) bytes.resize(bytes.size() * data[0] / 256);
  const std::filesystem::path path = folder() / "damaged.sqlite";
  std::ofstream(path, std::ios::binary) << bytes;
  use(path);
  return 0;
}
