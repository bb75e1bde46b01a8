// SPDX-License-Identifier: Apache-2.0
#include "apps/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace weir::apps {
namespace {

std::size_t width_of(int descriptor) {
  constexpr std::size_t kUsualWidth = 80;
  if (isatty(descriptor) == 0) return 0;
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualWidth;
  return size.ws_col;
}

}  // namespace

std::size_t stdout_width() {
  return width_of(STDOUT_FILENO);
}
std::size_t stderr_width() {
  return width_of(STDERR_FILENO);
}

std::string printable(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    // In UTF-8 the control characters U+0080 to U+009F take two bytes.
    const bool two = byte == 0xc2 && next >= 0x80 && next <= 0x9f;
    // U+202A to U+202E and U+2066 to U+2069 turn the direction of what follows, so that it reads as something else.
    const auto third = static_cast<unsigned char>(i + 2 < text.size() ? text[i + 2] : 0);
    const bool turns = byte == 0xe2 && ((next == 0x80 && third >= 0xaa && third <= 0xae) ||
                                        (next == 0x81 && third >= 0xa6 && third <= 0xa9));
    const bool is_control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
    if (two) {
      out += fmt::format("\\u{:04x}", next);
      ++i;
    } else if (turns) {
      out += fmt::format("\\u20{:02x}", (next == 0x80 ? 0x00 : 0x40) + (third & 0x3f));
      i += 2;
    } else if (is_control) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += text[i];
    }
  }
  return out;
}

bool print(std::string_view raw) {
  static bool good = true;
  if (!good) return false;
  const std::string text = printable(raw);
  good = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!good) print_diagnostic(fmt::format("weir: cannot write to standard output: {}", std::strerror(errno)));
  return good;
}

void print_diagnostic(std::string_view raw) {
  const std::string line = printable(raw);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fputc('\n', stderr);
}

void show_line(std::string_view raw) {
  const std::string text = "\r\x1b[K" + printable(raw);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace weir::apps
