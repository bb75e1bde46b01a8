// SPDX-License-Identifier: Apache-2.0
// What tshark makes of a capture file, for tests.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace weir::captured {

/// Whether tshark is installed; tests that need it are skipped otherwise.
inline bool has_tshark() {
  return std::system("tshark --version >/dev/null 2>&1") == 0;
}

/// The lines that tshark prints for a file.
inline std::vector<std::string> tshark(const std::filesystem::path& file, const std::string& arguments) {
  const std::string command = "tshark -r '" + file.string() + "' " + arguments + " 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> buffer{};
  while (pipe && std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe.get()) != nullptr) {
    text += buffer.data();
  }
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A filter for frames that tshark cannot dissect.
inline constexpr const char* kMalformed = "-Y '_ws.malformed || _ws.expert.severity >= error'";

}  // namespace weir::captured
