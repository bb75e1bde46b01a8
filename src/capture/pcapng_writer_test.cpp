// SPDX-License-Identifier: Apache-2.0
#include "capture/pcapng_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace weir::pcapng_writer_test {
namespace {

std::string file_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string octets(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out += static_cast<char>(value);
  return out;
}

TEST(PcapngWriter, WritesEveryOctetOfASmallFile) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "weir_pcapng_writer.pcapng";
  PcapngWriter writer(path, "weir");
  EXPECT_EQ(writer.add_interface("a -> b", BitRate(100'000'000'000), 64), 0U);
  const std::array<std::byte, 3> bytes = {std::byte{1}, std::byte{2}, std::byte{3}};
  // Slightly after 2^32 + 5 ns.
  writer.add_frame(0, Time::picoseconds(4'294'967'301'999), bytes, 70);
  ASSERT_EQ(writer.commit(), std::nullopt);
  const std::string expected =
      // section header: type, length, magic, version 1.0, no section length, application, end, length
      octets({0x0a, 0x0d, 0x0d, 0x0a, 40, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0}) +
      octets(
          {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 4, 0, 4, 0, 'w', 'e', 'i', 'r', 0, 0, 0, 0, 40, 0, 0, 0}) +
      // interface: Ethernet, snap length; name, speed, resolution, FCS length, end
      octets({1, 0, 0, 0, 64, 0, 0, 0, 1, 0, 0, 0, 64, 0, 0, 0}) +
      octets({2, 0, 6, 0, 'a', ' ', '-', '>', ' ', 'b', 0, 0}) +
      octets({8, 0, 8, 0, 0x00, 0xe8, 0x76, 0x48, 0x17, 0, 0, 0, 9, 0, 1, 0, 9, 0, 0, 0, 13, 0, 1, 0, 4, 0, 0, 0}) +
      octets({0, 0, 0, 0, 64, 0, 0, 0}) +
      // packet: interface, time, kept, length, bytes and padding; outbound, end
      octets({6, 0, 0, 0, 48, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 70, 0, 0, 0, 1, 2, 3, 0}) +
      octets({2, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 48, 0, 0, 0});
  EXPECT_EQ(file_of(path), expected);
  std::filesystem::remove(path);
}

TEST(PcapngWriter, SaysThatItCannotWrite) {
  PcapngWriter writer("/nowhere/at/all.pcapng", "weir");
  writer.add_interface("a", BitRate(1), 0);
  EXPECT_EQ(writer.commit(), "/nowhere/at/all.pcapng: No such file or directory");
}

}  // namespace
}  // namespace weir::pcapng_writer_test
