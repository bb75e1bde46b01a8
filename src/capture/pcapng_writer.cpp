// SPDX-License-Identifier: Apache-2.0
#include "capture/pcapng_writer.h"

#include "wire/ethernet.h"

namespace weir {
namespace {

// Sections of the draft are in brackets.
constexpr std::uint32_t kSectionHeader = 0x0a0d0d0a;   // [4.1]
constexpr std::uint32_t kInterfaceDescription = 1;     // [4.2]
constexpr std::uint32_t kEnhancedPacket = 6;           // [4.3]
constexpr std::uint32_t kByteOrderMagic = 0x1a2b3c4d;  // [4.1]
constexpr std::uint16_t kLinkTypeEthernet = 1;         // with or without FCS

constexpr std::uint16_t kEndOfOptions = 0;  // [3.5]
constexpr std::uint16_t kUserApplication = 4;
constexpr std::uint16_t kInterfaceName = 2;
constexpr std::uint16_t kInterfaceSpeed = 8;
constexpr std::uint16_t kTimeResolution = 9;
constexpr std::uint16_t kFcsLength = 13;
constexpr std::uint16_t kPacketFlags = 2;

constexpr std::uint8_t kNanoseconds = 9;  // negative power of ten
constexpr std::uint32_t kOutbound = 2;

template <class Number>
void put(std::string& out, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) out += static_cast<char>(number >> (8 * i) & 0xff);
}

void pad(std::string& out) {
  while (out.size() % 4 != 0) out += '\0';
}

void put_option(std::string& out, std::uint16_t code, std::string_view value) {
  put(out, code);
  put(out, static_cast<std::uint16_t>(value.size()));
  out += value;
  pad(out);
}

template <class Number>
void put_number_option(std::string& out, std::uint16_t code, Number number) {
  std::string value;
  put(value, number);
  put_option(out, code, value);
}

void end_options(std::string& out) {
  put_option(out, kEndOfOptions, {});
}

}  // namespace

PcapngWriter::PcapngWriter(const std::filesystem::path& path, std::string_view application) : file_(path) {
  constexpr std::uint16_t kMajor = 1;
  constexpr std::uint16_t kMinor = 0;
  put(body_, kByteOrderMagic);
  put(body_, kMajor);
  put(body_, kMinor);
  put(body_, ~std::uint64_t{0});  // the section's length is not specified
  put_option(body_, kUserApplication, application);
  end_options(body_);
  write_block(kSectionHeader);
}

std::uint32_t PcapngWriter::add_interface(std::string_view name, BitRate speed, std::uint32_t snap_length) {
  put(body_, kLinkTypeEthernet);
  put(body_, std::uint16_t{0});
  put(body_, snap_length);
  put_option(body_, kInterfaceName, name);
  put_number_option(body_, kInterfaceSpeed, static_cast<std::uint64_t>(speed.bits_per_second()));
  put_number_option(body_, kTimeResolution, kNanoseconds);
  put_number_option(body_, kFcsLength, std::uint8_t{kFcsBytes});
  end_options(body_);
  write_block(kInterfaceDescription);
  return interfaces_++;
}

void PcapngWriter::add_frame(std::uint32_t interface_number, Time time, std::span<const std::byte> bytes,
                             std::size_t length) {
  constexpr std::int64_t kPicosecondsANanosecond = 1'000;
  const auto nanoseconds = static_cast<std::uint64_t>(time.picoseconds() / kPicosecondsANanosecond);
  put(body_, interface_number);
  put(body_, static_cast<std::uint32_t>(nanoseconds >> 32));
  put(body_, static_cast<std::uint32_t>(nanoseconds));
  put(body_, static_cast<std::uint32_t>(bytes.size()));
  put(body_, static_cast<std::uint32_t>(length));
  body_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  pad(body_);
  put_number_option(body_, kPacketFlags, kOutbound);
  end_options(body_);
  write_block(kEnhancedPacket);
}

void PcapngWriter::write_block(std::uint32_t type) {
  constexpr std::size_t kFrameOfBlock = 12;  // type, length, length again
  std::string head;
  const auto length = static_cast<std::uint32_t>(body_.size() + kFrameOfBlock);
  put(head, type);
  put(head, length);
  file_.write(head);
  put(body_, length);
  file_.write(body_);
  body_.clear();
}

}  // namespace weir
