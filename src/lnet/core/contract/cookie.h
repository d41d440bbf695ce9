// Cookies: the 64-bit handles of MEs and MDs for users and peers. A cookie holds kind, shard, slot
// and generation of the object, so no table is needed to find the object. The cookie of an object
// that no longer exists finds nothing. Source: spec/wire-lnet.md 2.5.
#pragma once

#include <cstdint>
#include <optional>

#include "lnet/base/slab.h"

namespace ulnet::core {

enum class CookieKind : std::uint8_t { kMd = 1, kMe = 2 };

inline constexpr unsigned kCookieSlotBits = 23;
/// The most objects of one kind in a shard.
inline constexpr std::uint32_t kCookieSlots = 1U << kCookieSlotBits;

/// From the top: 31 bits of generation, 23 of slot, 8 of shard, 2 of kind. The lowest bit of the
/// generation is left out: it is 1 as long as the object lives. A cookie is never 0 or all ones.
constexpr std::uint64_t make_cookie(CookieKind kind, std::uint32_t shard, Handle handle) {
  return static_cast<std::uint64_t>(handle.generation >> 1) << 33 |
         static_cast<std::uint64_t>(handle.slot) << 10 | (shard & 0xffU) << 2 |
         static_cast<std::uint32_t>(kind);
}
/// The shard that made the cookie; any number for a value that is no cookie.
constexpr std::uint32_t shard_of_cookie(std::uint64_t cookie) {
  return static_cast<std::uint32_t>(cookie >> 2) & 0xffU;
}
/// The handle of the object; nothing if the cookie is of another kind or shard.
constexpr std::optional<Handle> read_cookie(CookieKind kind, std::uint32_t shard,
                                            std::uint64_t cookie) {
  if ((cookie & 3) != static_cast<std::uint64_t>(kind) || (cookie >> 2 & 0xff) != (shard & 0xffU))
    return std::nullopt;
  return Handle{static_cast<std::uint32_t>(cookie >> 10) & (kCookieSlots - 1),
                static_cast<std::uint32_t>(cookie >> 33) << 1 | 1U};
}

}  // namespace ulnet::core
