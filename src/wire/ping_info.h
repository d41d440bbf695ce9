// Ping info: what a node tells about itself in the answer to a ping and in a push. Source:
// spec/wire-lnet.md 4.2 to 4.7.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/limits.h"
#include "ulnet/nid.hpp"
#include "wire/fault.h"

namespace ulnet::wire {

inline constexpr std::uint32_t kPingMagic = 0x70696e67;
inline constexpr std::uint64_t kPingMatchBits = 0x8000000000000000ULL;
/// The smallest info there is: the loopback entry alone. No sink buffer should be smaller.
inline constexpr std::size_t kPingInfoBytesMin = 32;

/// Feature bits (spec/wire-lnet.md 4.3). Unknown ones are kept and ignored.
enum PingFeature : std::uint32_t {
  kPingBase = 0x01,
  kPingNiStatus = 0x02,
  kPingRoutingDisabled = 0x04,
  kPingMultiRail = 0x08,
  kPingDiscovery = 0x10,
  kPingLargeAddr = 0x20,
  kPingPrimaryLarge = 0x40,
  kPingMetadata = 0x80,
};

enum class NiStatus : std::uint32_t { kInvalid = 0, kUp = 0x15aac0de, kDown = 0xdeadface };
/// "up", "down" or "invalid".
const char* to_string(NiStatus status);

struct PingEntry {
  Nid nid;
  NiStatus status = NiStatus::kUp;  ///< any value may come from the wire
  bool operator==(const PingEntry&) const = default;
};

struct PingInfo {
  std::uint32_t features = kPingNiStatus;
  Pid pid = Pid::lustre();
  std::uint32_t sequence = 1;  ///< grows with every rebuild
  std::vector<PingEntry>
      legacy;  ///< 4-byte addresses, without the loopback entry; the first is the primary unless...
  std::vector<PingEntry> large;  ///< ...kPingPrimaryLarge is set and there is one here

  bool has(PingFeature feature) const { return (features & feature) != 0; }
  /// The wildcard when the node has no NID but 0@lo (spec/wire-lnet.md 4.5).
  Nid primary() const;
  bool operator==(const PingInfo&) const = default;
};

struct PingRefusal {
  Fault fault = Fault::kTruncated;
  /// kTruncated: bytes that the whole info takes; ask again with a sink that large
  /// (spec/wire-lnet.md 4.7). Else 0.
  std::size_t needed = 0;
  bool operator==(const PingRefusal&) const = default;
};

/// Reads what was received, in either byte order; `max_interfaces` bounds the entries of each form.
/// In the order of spec/wire-lnet.md 4.4: kBadMagic, kNoNiStatus, kBadCount, kNotLoopbackFirst;
/// kTruncated. Entries that name no NID, and metadata, are skipped.
tl::expected<PingInfo, PingRefusal> decode_ping_info(
    ByteView received, std::uint32_t max_interfaces = limits::kMaxInterfaces);

std::size_t ping_info_bytes(const PingInfo& info);
/// Writes exactly ping_info_bytes(info). kPingLargeAddr is set when there are large entries;
/// kPingMetadata never. A large NID among the legacy ones is a programmer error. Order::kBig is for
/// tests: a real sender is little-endian.
void encode_ping_info(const PingInfo& info, ByteSpan out, Order order = Order::kLittle);

}  // namespace ulnet::wire
