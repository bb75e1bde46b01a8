// SPDX-License-Identifier: Apache-2.0
// Arbitrary frames from a host and from a switch, received by a switch that runs a scheme: it survives them, its
// accounts stay consistent, and each packet is given back or sent once. The first byte selects the scheme; the rest is
// a sequence of frames, as bytes or as fields, and of steps of the clock. To build a network takes as long as to
// receive hundreds of frames, so the switch then receives variants of the sequence, which depend on the input only.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "fabric/hop_protocols.h"
#include "ports/port_loop.h"
#include "ports/testing/memory_ports.h"
#include "scenario/switch_schemes.h"
#include "whole_network.h"
#include "wire/emit.h"
#include "wire/testing/arbitrary_frame.h"
#include "wire/testing/byte_source.h"
#include "wire/testing/checksum_repair.h"

namespace weir::whole {
namespace {

using ByteString = std::vector<std::byte>;

constexpr std::size_t kHosts = 2;
constexpr BitRate kRate(10'000'000'000);

/// Fields of a frame of which a switch with a scheme may make sense.
struct Plausible {
  std::uint8_t protocol = 0;

  void apply(Frame& frame, weir::testing::ByteSource& source) const {
    const std::uint8_t how = source.octet();
    if ((how & 1u) != 0) frame.source = HostId(how / 2 % (kHosts + 1));
    if ((how & 1u) != 0) frame.destination = HostId(how / 8 % (kHosts + 1));
    if ((how & 32u) != 0) frame.protocol = protocol;
    if ((how & 64u) != 0) frame.tag = static_cast<std::uint16_t>(frame.tag % 8);
    if ((how & 128u) != 0) frame.tag_value %= 8;
    if ((how & 64u) != 0) frame.queue_pair = QueuePairId(frame.queue_pair.value % 4);
    if ((how & 128u) != 0) frame.sequence %= 4;
  }
};

struct Choice {
  const Scheme* scheme;
  Settings settings;
};

std::vector<Choice> all_choices() {
  const LinkSpec link{kRate, 1_us};
  Settings settings = lossless_network(chain({link, link, link}), 1_ms);
  settings.switches.buffer = 200'000_B;
  settings.run.frame_capacity = 512;
  std::vector<Choice> out;
  for (const Scheme* scheme : schemes_of_real_switches()) {
    out.push_back({scheme, with_scheme_in_switches(settings, {scheme, Parameters(scheme->parameters)})});
  }
  return out;
}

/// The first switch of a chain: port 0 leads to a host, port 1 to another switch.
class Receiver {
 public:
  explicit Receiver(const Choice& choice)
      : plausible_{choice.scheme->traits.protocol}, fabric_(choice.settings), packets_(2'048) {
    for (auto& port : ports_) port = std::make_unique<weir::testing::MemoryPort>(packets_);
    node_ = std::make_unique<PacketSwitch>(core(), fabric_.frames(), packets_, neighbours_,
                                           std::vector<PortAddresses>(ports_.size()));
    const HostControlProtocols to_hosts = host_control_of(choice.settings);
    node_->set_rules(PortId(0), {.to_hosts = to_hosts.from_hosts});
    node_->set_rules(PortId(1), {.to_hosts = to_hosts.all});
    std::vector<LoopPort> links;
    for (const auto& port : ports_) links.push_back({port.get(), kRate, 1_us});
    loop_ = std::make_unique<PortLoop>(*node_, packets_, links, 20);
  }

  /// Returns the number of frames delivered.
  std::uint64_t run(weir::testing::ByteSource source) {
    std::uint64_t delivered = 0;
    while (!source.empty()) {
      const std::uint8_t what = source.octet();
      weir::testing::MemoryPort& port = *ports_[what & 1u];
      const bool is_step = (what & 0x0eu) == 0;
      if (!is_step) {
        const ByteString frame = (what & 0x10u) != 0 ? raw(source, (what & 0x20u) != 0) : made(source);
        for (unsigned copy = 0; copy <= what >> 6; ++copy, ++delivered) port.deliver(frame);
      }
      ports_[1]->takes = (what & 0x80u) != 0 ? 1 : ~std::size_t{0};
      now_ += is_step ? source.number<std::uint16_t>() * 10_ns : 100_ns;
      loop_->poll(now_);
    }
    if (const std::string broken = core().broken_invariant(); !broken.empty()) fail(broken.c_str());
    return delivered;
  }

  /// To be called last.
  void check_packets() {
    loop_.reset();
    node_.reset();
    for (const auto& port : ports_) {
      for (const Packet& packet : port->arriving) packets_.release(packet);
    }
    if (packets_.in_use() != 0) fail("a packet is lost");
  }

 private:
  Switch& core() { return fabric_.switch_by(SwitchId(0)); }

  static ByteString raw(weir::testing::ByteSource& source, bool repaired) {
    ByteString bytes(source.octet());
    for (std::byte& byte : bytes) byte = std::byte{source.octet()};
    if (repaired) weir::testing::Repair(bytes, Fcs::absent, weir::testing::Repair::Zero::nothing);
    return bytes;
  }
  /// A frame with valid lengths and checksums, but for one byte that may be damaged.
  ByteString made(weir::testing::ByteSource& source) {
    weir::testing::ArbitraryFrames frames(scratch_, source);
    weir::testing::FrameToSend made = frames.make();
    plausible_.apply(scratch_[made.id], source);
    ByteString bytes(weir::testing::MemoryPool::kCapacity);
    const auto length = emit(scratch_, scratch_[made.id], made.envelope, made.payload, Fcs::absent, bytes);
    scratch_.release(made.id);
    bytes.resize(length.ok() ? *length : 0);
    const std::uint8_t damage = source.octet();
    if (damage >= 0xf0 && !bytes.empty()) bytes[source.below(bytes.size())] ^= std::byte{1};
    return bytes;
  }
  [[noreturn]] static void fail(const char* what) {
    static_cast<void>(std::fprintf(stderr, "%s\n", what));
    std::abort();
  }

  Plausible plausible_;
  Fabric fabric_;
  FramePool scratch_{4};
  weir::testing::MemoryPool packets_;
  Neighbours neighbours_{kHosts};
  std::array<std::unique_ptr<weir::testing::MemoryPort>, 2> ports_;
  std::unique_ptr<PacketSwitch> node_;
  std::unique_ptr<PortLoop> loop_;
  Time now_;
};

/// The same bytes with about one in eight changed, and some more.
class Variants {
 public:
  explicit Variants(std::span<const std::uint8_t> bytes) : bytes_(bytes.begin(), bytes.end()) {
    for (const std::uint8_t byte : bytes) state_ = (state_ ^ byte) * kPrime;  // FNV-1a
  }
  std::vector<std::uint8_t> next() {
    std::vector<std::uint8_t> out = bytes_;
    for (std::uint8_t& byte : out) {
      const std::uint64_t number = draw();
      if (number % 8 == 0) byte = static_cast<std::uint8_t>(number >> 8);
    }
    for (int i = 0; i < kMore; ++i) out.push_back(static_cast<std::uint8_t>(draw()));
    return out;
  }

 private:
  static constexpr std::uint64_t kPrime = 0x100000001b3;
  static constexpr int kMore = 256;
  std::uint64_t draw() {  // xorshift64*
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return (state_ * 0x2545f4914f6cdd1d) >> 16;
  }
  std::vector<std::uint8_t> bytes_;
  std::uint64_t state_ = 0xcbf29ce484222325;
};

/// Tells at the end how many frames there were.
struct Count {
  std::uint64_t frames = 0;
  ~Count() {
    static_cast<void>(std::fprintf(stderr, "frames received: %llu\n", static_cast<unsigned long long>(frames)));
  }
};

}  // namespace
}  // namespace weir::whole

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<weir::whole::Choice> choices = weir::whole::all_choices();
  static weir::whole::Count count;
  if (size == 0) return 0;
  constexpr std::uint64_t kFrames = 1'000;
  constexpr int kRounds = 200;  // at most, because a sequence may have few frames
  const std::span<const std::uint8_t> steps(data + 1, size - 1);
  weir::whole::Receiver receiver(choices[data[0] % choices.size()]);
  std::uint64_t received = receiver.run(weir::testing::ByteSource(steps));
  weir::whole::Variants variants(steps);
  for (int round = 0; round < kRounds && received < kFrames; ++round) {
    const std::vector<std::uint8_t> variant = variants.next();
    received += receiver.run(weir::testing::ByteSource(variant));
  }
  receiver.check_packets();
  count.frames += received;
  return 0;
}
