// For tests of drivers with several partitions.
#pragma once

#include <cstdint>
#include <span>

#include "ulnet/nid.hpp"

namespace ulnet::lnd {

/// The partition is given by the last byte of the address.
inline std::uint32_t by_last_byte(const Nid& nid, std::span<const std::uint32_t> cpts) {
  return cpts[static_cast<std::uint32_t>(nid.to_nid4() & 0xff) % cpts.size()];
}

}  // namespace ulnet::lnd
