// SPDX-License-Identifier: Apache-2.0
// Files that a scenario names: networks, flows, sizes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "config/reader.h"

namespace weir {

/// What a file holds, and where it is.
struct NamedFile {
  std::string path;  ///< for messages
  std::string text;
};

/// The file that the required key `key` names, from `directory`; its absolute path becomes part of the effective
/// configuration, which is read from other folders. The key `contents` stands for what it holds: a digest
/// of it (content_digest()) becomes part of the effective configuration, and where the scenario gives one the file must
/// have it. Nothing when the file cannot be read, is larger than `limit` bytes or is another one, which is refused.
std::optional<NamedFile> read_named_file(Reader& reader, std::string_view key, std::string_view meaning,
                                         const std::filesystem::path& directory,
                                         std::size_t limit = std::size_t{1} << 30);

}  // namespace weir
