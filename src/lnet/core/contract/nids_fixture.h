// NIDs for tests.
#pragma once

#include "ulnet/nid.hpp"

namespace ulnet {

/// 10.0.0.`host`@tcp`net`.
inline Nid tcp(std::uint32_t host, std::uint16_t net = 0) {
  return Nid::small({NetType::kTcp, net}, 0x0a000000U + host);
}

}  // namespace ulnet
