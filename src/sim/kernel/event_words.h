// The names of event types in reports and traces.
#pragma once

#include <array>
#include <cstddef>

#include "ulnet/lnet.hpp"

namespace ulnet::sim {

inline constexpr std::array kEventWords = {"?", "GET", "PUT", "REPLY", "ACK", "SEND", "UNLINK"};
static_assert(kEventWords.size() == static_cast<std::size_t>(EventType::kUnlink) + 1);

inline const char* to_string(EventType type) { return kEventWords[static_cast<std::size_t>(type)]; }

}  // namespace ulnet::sim
