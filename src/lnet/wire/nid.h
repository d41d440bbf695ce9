// The two layouts of a NID on the wire. Nid, NetId and ProcessId have their text forms as members
// (ulnet/nid.hpp), which nid_text.cc implements. Source: spec/wire-lnet.md 1.2 to 1.4.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "lnet/base/bytes.h"
#include "lnet/wire/decode_error.h"
#include "ulnet/nid.hpp"

namespace ulnet::wire {

inline constexpr std::size_t kNid4Bytes = 8;
inline constexpr std::size_t kNid16Bytes = 20;
/// The largest value of `size` with which a NID fits the 20 bytes.
inline constexpr std::uint8_t kNidSizeMax = 12;

/// The NID of a legacy 64-bit value; nothing if it has bits set that no legacy NID has. Every value
/// with type 255 becomes the canonical "any" (spec/wire-lnet.md 1.2, 1.4).
constexpr std::optional<Nid> nid_from_legacy(std::uint64_t nid4) {
  if (nid4 >> 48 < 0xff) return Nid::from_nid4(nid4);
  if (nid4 >> 48 == 0xff || nid4 == ~0ULL) return Nid::any();
  return std::nullopt;
}

/// The NID in 20 raw bytes; nothing if its size does not fit. Bytes behind the address are set to
/// zero, so that equal NIDs have equal bytes (spec/wire-lnet.md 1.3).
constexpr std::optional<Nid> nid_from_raw(const std::array<std::uint8_t, kNid16Bytes>& raw) {
  Nid nid = std::bit_cast<Nid>(raw);
  if (nid.is_any()) return Nid::any();
  if (nid.size > kNidSizeMax) return std::nullopt;
  for (std::size_t i = nid.size + 4U; i < nid.addr.size(); ++i) nid.addr[i] = 0;
  return nid;
}

/// True if the NID fits a legacy field.
constexpr bool fits_legacy(const Nid& nid) { return nid.is_small() || nid.is_any(); }

/// Reads 8 bytes in the reader's byte order. kTruncated, kBadNid.
inline Decoded<Nid> read_nid4(Reader& in) {
  const std::uint64_t nid4 = in.u64();
  if (!in.ok()) return refuse(DecodeError::kTruncated);
  const std::optional<Nid> nid = nid_from_legacy(nid4);
  if (!nid) return refuse(DecodeError::kBadNid);
  return *nid;
}
/// Reads 20 bytes, for which the byte order does not matter. kTruncated, kBadNid.
inline Decoded<Nid> read_nid16(Reader& in) {
  const auto raw = in.raw<kNid16Bytes>();
  if (!in.ok()) return refuse(DecodeError::kTruncated);
  const std::optional<Nid> nid = nid_from_raw(raw);
  if (!nid) return refuse(DecodeError::kBadNid);
  return *nid;
}

/// Writes 8 bytes in the writer's byte order. A large NID is a programmer error: it has no legacy
/// form.
inline void write_nid4(Writer& out, const Nid& nid) {
  ULNET_ASSERT(fits_legacy(nid));
  out.u64(nid.to_nid4());
}
inline void write_nid16(Writer& out, const Nid& nid) { out.bytes(&nid, sizeof nid); }

}  // namespace ulnet::wire
