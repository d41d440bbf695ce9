// Whether patterns of addresses match all, some or none of the addresses of another pattern.
#pragma once

#include <cstdint>
#include <span>

#include "lnet/wire/nid_range.h"

namespace ulnet::plan {

enum class Covering : std::uint8_t { kNone, kSome, kAll };

/// How many of the addresses of `wanted` the patterns match together. IPv4 patterns as "10.128.*.*"
/// and IPv6 prefixes. Of more than so many pieces into which the patterns cut `wanted`, the rest
/// counts as matched.
Covering covering_of(std::span<const wire::AddressPattern> patterns,
                     const wire::AddressPattern& wanted);

}  // namespace ulnet::plan
