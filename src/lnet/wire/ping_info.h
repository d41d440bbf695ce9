// Ping info: the NIDs and features that a node advertises, in the answer to a ping and in a push.
// Source: spec/wire-lnet.md 4.2 to 4.7.
#pragma once

#include <cstdint>
#include <vector>

#include "lnet/base/bytes.h"
#include "lnet/base/limits.h"
#include "lnet/wire/decode_error.h"
#include "ulnet/nid.hpp"

namespace ulnet::wire {

inline constexpr std::uint32_t kPingMagic = 0x70696e67;
inline constexpr std::uint64_t kPingMatchBits = 0x8000000000000000ULL;
/// The size of the smallest info, which has only the loopback entry. A sink for pings should have
/// at least this size.
inline constexpr std::size_t kPingInfoBytesMin = 32;

/// Feature bits (spec/wire-lnet.md 4.3). Unknown bits are kept and have no effect.
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
  NiStatus status = NiStatus::kUp;  ///< a received entry may have any value
  bool operator==(const PingEntry&) const = default;
};

struct PingInfo {
  std::uint32_t features = kPingNiStatus;
  Pid pid = Pid::lustre();
  std::uint32_t sequence = 1;  ///< grows each time the node rebuilds its info
  /// Entries with a 4-byte address, without the loopback entry. The first is the primary NID,
  /// unless kPingPrimaryLarge is set and `large` is not empty: then the first of `large` is.
  std::vector<PingEntry> legacy;
  std::vector<PingEntry> large;

  bool has(PingFeature feature) const { return (features & feature) != 0; }
  /// The primary NID; "any" if the node has no NID but 0@lo (spec/wire-lnet.md 4.5).
  Nid primary() const;
  bool operator==(const PingInfo&) const = default;
};

struct PingRefusal {
  DecodeError why = DecodeError::kTruncated;
  /// With kTruncated: the size of the whole info, for another ping with a sink of that size
  /// (spec/wire-lnet.md 4.7). Else 0.
  std::size_t needed = 0;
  bool operator==(const PingRefusal&) const = default;
};

/// Reads an info in either byte order. `max_interfaces` bounds the number of entries of each
/// form. Errors, in the order of the checks (spec/wire-lnet.md 4.4): kBadMagic, kNoNiStatus,
/// kBadCount, kNotLoopbackFirst; and kTruncated, when bytes are missing. Entries without a valid
/// NID, and metadata, are skipped.
tl::expected<PingInfo, PingRefusal> decode_ping_info(
    ByteView received, std::uint32_t max_interfaces = limits::kMaxInterfaces);

std::size_t ping_info_bytes(const PingInfo& info);
/// Writes exactly ping_info_bytes(info). Sets kPingLargeAddr if there are large entries; never
/// sets kPingMetadata. A large NID among the legacy entries is a programmer error. Order::kBig is
/// for tests: ulnet sends little-endian.
void encode_ping_info(const PingInfo& info, ByteSpan out, Order order = Order::kLittle);

}  // namespace ulnet::wire
