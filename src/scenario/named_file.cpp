// SPDX-License-Identifier: Apache-2.0
#include "scenario/named_file.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "results/digest.h"
#include "traffic/text_file.h"

namespace weir {

std::optional<NamedFile> read_named_file(Reader& reader, std::string_view key, std::string_view meaning,
                                         const std::filesystem::path& directory, std::size_t limit) {
  std::string name;
  const bool named = reader.required(key, name, meaning);
  NamedFile file;
  ReadResult<std::string> read;
  if (named) {
    file.path = (directory / name).string();
    std::error_code lost;
    const std::filesystem::path found = std::filesystem::absolute(file.path, lost);
    if (!lost) reader.settle(written(found.lexically_normal().string()));
    read = read_text_file(file.path, limit);
    for (const std::string& error : read.errors) reader.refuse(error);
  }
  std::optional<std::string> expected;
  reader.optional(
      "contents", expected,
      "digest of the file's contents; a file with other contents is refused; stored configurations contain this key");
  if (!read.value) return std::nullopt;
  const std::string digest = content_digest(*read.value);
  reader.settle(written(digest));
  if (expected && *expected != digest) {
    reader.refuse(
        *reader.value()->find("contents"),
        fmt::format("is {}, but the contents of {} have the digest {}: expected the original file, or no key contents",
                    in_quotes(*expected), file.path, digest));
    return std::nullopt;
  }
  file.text = std::move(*read.value);
  return file;
}

}  // namespace weir
