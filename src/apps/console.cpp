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

bool print(std::string_view text) {
  static bool good = true;
  if (!good) return false;
  good = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!good) complain(fmt::format("weir: cannot write to standard output: {}", std::strerror(errno)));
  return good;
}

void complain(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fputc('\n', stderr);
}

}  // namespace weir::apps
