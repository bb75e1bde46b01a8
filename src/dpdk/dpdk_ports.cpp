// SPDX-License-Identifier: Apache-2.0
#include "dpdk/dpdk_ports.h"

#include <rte_config.h>

#include <linux/if.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <rte_version.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "units/int128.h"

namespace weir {
namespace {

constexpr std::size_t kBurst = 64;
constexpr std::uint16_t kRing = 1'024;  // descriptors of each queue

Packet packet_of(rte_mbuf* buffer) {
  auto* bytes = rte_pktmbuf_mtod(buffer, std::byte*);
  return {buffer, bytes, buffer->pkt_len, static_cast<std::uint32_t>(buffer->buf_len - buffer->data_off)};
}

rte_mbuf* buffer_of(const Packet& packet) {
  auto* buffer = static_cast<rte_mbuf*>(packet.handle);
  buffer->data_len = static_cast<std::uint16_t>(packet.length);
  buffer->pkt_len = packet.length;
  return buffer;
}

class DpdkPool final : public PacketPool {
 public:
  explicit DpdkPool(rte_mempool* of_control) : of_control_(of_control) {}
  Packet allocate() override {
    rte_mbuf* buffer = rte_pktmbuf_alloc(of_control_);
    return buffer == nullptr ? Packet() : packet_of(buffer);
  }
  void release(const Packet& packet) override { rte_pktmbuf_free(static_cast<rte_mbuf*>(packet.handle)); }

 private:
  rte_mempool* of_control_;
};

/// The interface of an af_packet device, "net_af_packet0,iface=veth0"; empty for other devices.
std::string interface_of(const std::string& device) {
  constexpr std::string_view kKey = ",iface=";
  if (!device.starts_with("net_af_packet")) return {};
  const std::size_t at = device.find(kKey);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kKey.size();
  return device.substr(begin, device.find(',', begin) - begin);
}

/// A socket to ask the kernel about interfaces; below zero: there is none.
int any_socket() {
  static const int number = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  return number;
}

ifreq request_for(const std::string& interface) {
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

/// Whether an interface is up and has a carrier. One that does not exist has none.
bool runs(const std::string& interface) {
  if (any_socket() < 0) return true;  // nothing is known
  ifreq request = request_for(interface);
  if (ioctl(any_socket(), SIOCGIFFLAGS, &request) < 0) return false;
  constexpr int kBoth = IFF_UP | IFF_RUNNING;
  return (request.ifr_flags & kBoth) == kBoth;
}

class DpdkPort final : public PacketPort {
 public:
  DpdkPort(std::uint16_t number, const std::string& device) : number_(number), interface_(interface_of(device)) {}

  std::size_t receive(std::span<Packet> out) override {
    std::array<rte_mbuf*, kBurst> buffers;
    const auto most = static_cast<std::uint16_t>(std::min(out.size(), buffers.size()));
    const std::uint16_t count = rte_eth_rx_burst(number_, 0, buffers.data(), most);
    std::size_t given = 0;
    for (std::uint16_t i = 0; i < count; ++i) {
      // A frame in several buffers is longer than one of them: longer than the configured maximum.
      if (buffers[i]->nb_segs != 1) {
        rte_pktmbuf_free(buffers[i]);
        ++too_long_;
        continue;
      }
      out[given++] = packet_of(buffers[i]);
    }
    return given;
  }
  std::size_t send(std::span<const Packet> packets) override {
    std::array<rte_mbuf*, kBurst> buffers;
    const std::size_t most = std::min(packets.size(), buffers.size());
    for (std::size_t i = 0; i < most; ++i) buffers[i] = buffer_of(packets[i]);
    return rte_eth_tx_burst(number_, 0, buffers.data(), static_cast<std::uint16_t>(most));
  }
  /// The driver af_packet does not observe the link of its interface, so the kernel is asked.
  bool is_up() override {
    if (!interface_.empty()) return runs(interface_);
    rte_eth_link link{};
    return rte_eth_link_get_nowait(number_, &link) < 0 || link.link_status == RTE_ETH_LINK_UP;
  }
  [[nodiscard]] std::uint16_t number() const { return number_; }
  [[nodiscard]] std::uint64_t too_long() const { return too_long_; }

 private:
  std::uint16_t number_;
  std::string interface_;  // of the kernel; empty: another device
  std::uint64_t too_long_ = 0;
};

std::runtime_error failure(const std::string& what, int error) {
  return std::runtime_error(what + ": " + rte_strerror(error < 0 ? -error : error));
}

/// The kernel drops frames that exceed the MTU of an interface, and writes to its log for each of them, which takes
/// long enough to stop a loop.
void refuse_long_frames(const DpdkOptions& options) {
  constexpr std::size_t kEthernet = 14;
  constexpr std::size_t kTag = 4;
  for (std::size_t i = 0; i < std::min(options.devices.size(), options.longest_frames.size()); ++i) {
    const std::string& device = options.devices[i];
    const std::size_t longest = options.longest_frames[i];
    if (longest > options.packet_bytes) {
      throw std::runtime_error("frames of \"" + device + "\" have up to " + std::to_string(longest) +
                               " bytes, but packet buffers have " + std::to_string(options.packet_bytes));
    }
    const std::string interface = interface_of(device);
    ifreq request = request_for(interface);
    if (interface.empty() || any_socket() < 0 || ioctl(any_socket(), SIOCGIFMTU, &request) < 0) continue;
    if (static_cast<std::size_t>(request.ifr_mtu) + kEthernet + kTag >= longest) continue;
    throw std::runtime_error("the interface of \"" + device + "\" has an MTU of " + std::to_string(request.ifr_mtu) +
                             " bytes, expected at least " + std::to_string(longest - kEthernet - kTag) +
                             ": frames have up to " + std::to_string(longest) + " bytes (\"ip link set " + interface +
                             " mtu N\", or a smaller host.payload)");
  }
}

/// "net_ring" devices and their like take their name and arguments apart.
std::uint16_t attach(const std::string& device) {
  if (const int error = rte_dev_probe(device.c_str()); error < 0) {
    throw failure("DPDK cannot open the device \"" + device + "\"", error);
  }
  std::uint16_t number = 0;
  const std::string name = device.substr(0, device.find(','));
  if (const int error = rte_eth_dev_get_port_by_name(name.c_str(), &number); error < 0) {
    throw failure("DPDK opened \"" + device + "\", but it is not an Ethernet port", error);
  }
  return number;
}

void start(std::uint16_t number, const std::string& device, rte_mempool* packets) {
  const rte_eth_conf configuration{};  // one queue, no offloads
  if (const int error = rte_eth_dev_configure(number, 1, 1, &configuration); error < 0) {
    throw failure("DPDK cannot configure \"" + device + "\"", error);
  }
  std::uint16_t receive_ring = kRing;
  std::uint16_t send_ring = kRing;
  if (const int error = rte_eth_dev_adjust_nb_rx_tx_desc(number, &receive_ring, &send_ring); error < 0) {
    throw failure("DPDK cannot size the rings of \"" + device + "\"", error);
  }
  const auto socket = static_cast<unsigned>(std::max(0, rte_eth_dev_socket_id(number)));
  if (const int error = rte_eth_rx_queue_setup(number, 0, receive_ring, socket, nullptr, packets); error < 0) {
    throw failure("DPDK cannot set up the receive queue of \"" + device + "\"", error);
  }
  if (const int error = rte_eth_tx_queue_setup(number, 0, send_ring, socket, nullptr); error < 0) {
    throw failure("DPDK cannot set up the send queue of \"" + device + "\"", error);
  }
  rte_eth_fc_conf pauses{};
  if (rte_eth_dev_flow_ctrl_get(number, &pauses) == 0) {
    pauses.mode = RTE_ETH_FC_NONE;
    pauses.mac_ctrl_frame_fwd = 1;
    if (const int error = rte_eth_dev_flow_ctrl_set(number, &pauses); error < 0) {
      throw failure("\"" + device + "\" does not deliver pause frames", error);
    }
  }
  if (const int error = rte_eth_dev_start(number); error < 0) {
    throw failure("DPDK cannot start \"" + device + "\"", error);
  }
  // Frames to other addresses than the port's own. A device without it receives everything anyway.
  static_cast<void>(rte_eth_promiscuous_enable(number));
}

/// Whether the driver of a device moves packets by the processor, so that a buffer may cross a page.
bool is_of_software(const std::string& device) {
  constexpr std::array<std::string_view, 3> kDrivers = {"net_null", "net_af_packet", "net_ring"};
  return std::any_of(kDrivers.begin(), kDrivers.end(),
                     [&device](std::string_view driver) { return device.starts_with(driver); });
}

/// As rte_pktmbuf_pool_create(), but buffers may cross pages. That function, without huge pages, begins each buffer at
/// the same place of a page of its own, so that all of them share a few sets of the cache.
rte_mempool* new_dense_pool(const std::string& name, unsigned packets, unsigned cache, std::uint16_t room) {
  rte_mempool* pool =
      rte_mempool_create_empty(name.c_str(), packets, static_cast<unsigned>(sizeof(rte_mbuf)) + room, cache,
                               sizeof(rte_pktmbuf_pool_private), SOCKET_ID_ANY, RTE_MEMPOOL_F_NO_IOVA_CONTIG);
  if (pool == nullptr) return nullptr;
  rte_pktmbuf_pool_private of_packets{};
  of_packets.mbuf_data_room_size = room;
  int error = rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), nullptr);
  if (error == 0) {
    rte_pktmbuf_pool_init(pool, &of_packets);
    error = rte_mempool_populate_default(pool);
  }
  if (error < 0) {
    rte_mempool_free(pool);
    rte_errno = -error;
    return nullptr;
  }
  rte_mempool_obj_iter(pool, rte_pktmbuf_init, nullptr);
  return pool;
}

rte_mempool* new_pool(const std::string& name, std::size_t packets, std::size_t packet_bytes, bool may_be_dense) {
  constexpr unsigned kCache = 256;
  const auto count = static_cast<unsigned>(packets);
  const auto room = static_cast<std::uint16_t>(packet_bytes + RTE_PKTMBUF_HEADROOM);
  rte_mempool* pool = may_be_dense ? new_dense_pool(name, count, kCache, room)
                                   : rte_pktmbuf_pool_create(name.c_str(), count, kCache, 0, room, SOCKET_ID_ANY);
  if (pool == nullptr) {
    throw failure("DPDK has no memory for " + std::to_string(packets) + " packets", rte_errno);
  }
  return pool;
}

/// The first core on which this process may run.
int first_core() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 0;
  int core = 0;
  while (core < CPU_SETSIZE - 1 && !CPU_ISSET(core, &cores)) ++core;
  return core;
}

// In memory of its own without huge pages. --in-memory would exclude -m, and without -m DPDK takes only 64 MB.
void start_environment(const DpdkOptions& options) {
  constexpr std::size_t kOfBuffer = 512;  // beside its packet: headroom, header, the pool's own
  constexpr std::size_t kMegabyte = std::size_t{1} << 20;
  constexpr std::size_t kElse = 64;
  // Without huge pages a pool may let no buffer cross a page.
  constexpr std::size_t kPage = 4'096;
  const std::size_t each = options.packet_bytes + kOfBuffer;
  const std::size_t of_buffer = each > kPage / 2 ? (each + kPage - 1) / kPage * kPage : each;
  const std::size_t bytes = options.pools * (options.packets + options.control_packets) * of_buffer;
  std::vector<std::string> arguments = {"weir",        "--no-huge",
                                        "--no-pci",    "--no-telemetry",
                                        "--no-shconf", "--log-level=error",
                                        "-l",          std::to_string(first_core()),
                                        "-m",          std::to_string(bytes / kMegabyte + kElse)};
  const bool has_pci = std::any_of(options.devices.begin(), options.devices.end(),
                                   [](const std::string& device) { return device.find(':') != std::string::npos; });
  if (has_pci) arguments.erase(std::find(arguments.begin(), arguments.end(), "--no-pci"));
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  if (rte_eal_init(static_cast<int>(pointers.size()), pointers.data()) < 0) {
    throw failure("DPDK's environment does not start", rte_errno);
  }
}

}  // namespace

struct DpdkPorts::State {
  struct Pool {
    rte_mempool* of_received = nullptr;
    rte_mempool* of_control = nullptr;
    std::unique_ptr<DpdkPool> pool;
  };
  std::vector<Pool> pools;
  std::vector<std::unique_ptr<DpdkPort>> ports;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    for (const auto& port : ports) {
      static_cast<void>(rte_eth_dev_stop(port->number()));
      static_cast<void>(rte_eth_dev_close(port->number()));
    }
    for (const Pool& pool : pools) {
      rte_mempool_free(pool.of_received);
      rte_mempool_free(pool.of_control);
    }
    static_cast<void>(rte_eal_cleanup());
  }
};

DpdkPorts::DpdkPorts(const DpdkOptions& options) {
  refuse_long_frames(options);
  start_environment(options);
  state_ = std::make_unique<State>();
  const bool dense = std::all_of(options.devices.begin(), options.devices.end(), is_of_software);
  for (std::size_t i = 0; i < options.pools; ++i) {
    State::Pool& pool = state_->pools.emplace_back();
    pool.of_received = new_pool("received" + std::to_string(i), options.packets, options.packet_bytes, dense);
    pool.of_control = new_pool("control" + std::to_string(i), options.control_packets, options.packet_bytes, dense);
    pool.pool = std::make_unique<DpdkPool>(pool.of_control);
  }
  for (std::size_t i = 0; i < options.devices.size(); ++i) {
    const std::size_t pool = i < options.pool_of_device.size() ? options.pool_of_device[i] : 0;
    const std::uint16_t number = attach(options.devices[i]);
    state_->ports.push_back(std::make_unique<DpdkPort>(number, options.devices[i]));
    start(number, options.devices[i], state_->pools.at(pool).of_received);
  }
}

DpdkPorts::~DpdkPorts() = default;

std::size_t DpdkPorts::ports() const {
  return state_->ports.size();
}

PacketPort& DpdkPorts::port(std::size_t number) {
  return *state_->ports[number];
}

PacketPool& DpdkPorts::packets(std::size_t pool) {
  return *state_->pools[pool].pool;
}

MacAddress DpdkPorts::mac(std::size_t number) const {
  rte_ether_addr address{};
  static_cast<void>(rte_eth_macaddr_get(state_->ports[number]->number(), &address));
  MacAddress out;
  std::copy(std::begin(address.addr_bytes), std::end(address.addr_bytes), out.octets.begin());
  return out;
}

DeviceCounters DpdkPorts::counters(std::size_t number) const {
  const DpdkPort& port = *state_->ports[number];
  rte_eth_stats statistics{};
  static_cast<void>(rte_eth_stats_get(port.number(), &statistics));
  return {.missed = statistics.imissed,
          .no_buffer = statistics.rx_nombuf,
          .bad = statistics.ierrors + port.too_long(),
          .not_sent = statistics.oerrors};
}

std::size_t DpdkPorts::packets_in_use() const {
  std::size_t out = 0;
  for (const State::Pool& pool : state_->pools) {
    out += rte_mempool_in_use_count(pool.of_received) + rte_mempool_in_use_count(pool.of_control);
  }
  return out;
}

DpdkThread::DpdkThread() : is_registered_(rte_lcore_id() == LCORE_ID_ANY && rte_thread_register() == 0) {}

DpdkThread::~DpdkThread() {
  if (is_registered_) rte_thread_unregister();
}

std::string dpdk_version() {
  return std::to_string(RTE_VER_YEAR) + "." + std::to_string(RTE_VER_MONTH) + "." + std::to_string(RTE_VER_MINOR);
}

std::int64_t picoseconds_of(std::uint64_t count, std::uint64_t frequency) {
  constexpr std::int64_t kPicoseconds = 1'000'000'000'000;
  return static_cast<std::int64_t>(static_cast<Int128>(count) * kPicoseconds / static_cast<Int128>(frequency));
}

TscClock::TscClock() : start_(rte_rdtsc()), frequency_(rte_get_tsc_hz()) {}

Time TscClock::now() const {
  return Time::picoseconds(picoseconds_of(rte_rdtsc() - start_, frequency_));
}

}  // namespace weir
