// SPDX-License-Identifier: Apache-2.0
// Reading a damaged store file returns its runs or throws a StoreError, and does nothing else. The input is a list of
// damages of four bytes each: the position (three bytes) and the new byte; an incomplete last one truncates the file.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "store/store.h"
#include "store/test_whole_record.h"

namespace {

const std::filesystem::path& folder() {
  static const std::filesystem::path made = [] {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("weir_store_fuzz." + std::to_string(::getpid()));
    std::filesystem::create_directory(path);
    std::atexit([] { std::filesystem::remove_all(folder()); });
    return path;
  }();
  return made;
}

const std::string& sound_store() {
  static const std::string bytes = [] {
    const std::filesystem::path path = weir::store_path(folder());
    weir::Store::create(path, "0.1.0").add(weir::whole_record("a"));
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }();
  return bytes;
}

std::string damaged(const std::uint8_t* data, std::size_t size) {
  std::string bytes = sound_store();
  for (; size >= 4; data += 4, size -= 4) {
    const std::size_t where = (std::size_t{data[0]} << 16 | std::size_t{data[1]} << 8 | data[2]) % bytes.size();
    bytes[where] = static_cast<char>(data[3]);
  }
  for (; size > 0; ++data, --size) bytes.resize(bytes.size() * data[0] / 255);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = damaged(data, size);
  const std::filesystem::path path = weir::store_path(folder());
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  try {
    const weir::Store store = weir::Store::open(path);
    static_cast<void>(store.version());
    static_cast<void>(store.planned());
    static_cast<void>(store.missing());
    for (const weir::StoredRun& run : store.runs()) static_cast<void>(store.load(run.id));
  } catch (const weir::StoreError&) {
    return 0;
  }
  return 0;
}
