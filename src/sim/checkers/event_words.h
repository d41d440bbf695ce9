// The names of events in what checkers say.
#pragma once

#include <cstddef>

#include "ulnet/lnet.hpp"

namespace ulnet::sim {

inline const char* to_string(EventType type) {
  static constexpr const char* kNames[] = {"?", "GET", "PUT", "REPLY", "ACK", "SEND", "UNLINK"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace ulnet::sim
