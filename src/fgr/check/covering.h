// Whether patterns of addresses match all, some or none of the addresses of another pattern.
#pragma once

#include <cstdint>
#include <span>

#include "lnet/wire/nid_range.h"

namespace ulnet::plan {

enum class Covering : std::uint8_t { kNone, kSome, kAll };

/// Returns whether the patterns together match all, some or none of the addresses of `wanted`.
/// Patterns are IPv4 patterns such as "10.128.*.*", and IPv6 prefixes. The patterns may cut
/// `wanted` into very many pieces; beyond a limit the remaining ones count as matched.
Covering covering_of(std::span<const wire::AddressPattern> patterns,
                     const wire::AddressPattern& wanted);

}  // namespace ulnet::plan
