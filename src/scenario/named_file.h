// SPDX-License-Identifier: Apache-2.0
// Files that a scenario names: networks, flows, size tables.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "config/reader.h"

namespace weir {

/// The contents and path of a file.
struct NamedFile {
  std::string path;  ///< for messages
  std::string text;
};

/// Reads the file that the required key `key` names, relative to `directory`. Its absolute path becomes part of the
/// effective configuration, which may be read from other folders. The key `contents` identifies what the file contains:
/// a digest of it (content_digest()) becomes part of the effective configuration, and a digest that the scenario gives
/// must match. Returns nullopt, with an error, if the file cannot be read, is larger than `limit` bytes, or does not
/// match the digest.
std::optional<NamedFile> read_named_file(Reader& reader, std::string_view key, std::string_view meaning,
                                         const std::filesystem::path& directory,
                                         std::size_t limit = std::size_t{1} << 30);

}  // namespace weir
