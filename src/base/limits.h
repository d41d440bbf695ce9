// Every limit of the program, in one place, with the relations between them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ulnet::limits {

// Protocol (spec/wire-lnet.md 2.6, spec/core-semantics.md 1)
inline constexpr std::uint32_t kMtu = 1U << 20;        ///< payload of one PUT or REPLY, bytes
inline constexpr std::uint32_t kMaxFragments = 256;    ///< fragments of one MD
inline constexpr std::uint32_t kPortals = 64;          ///< portal 0 is LNet's own
inline constexpr std::uint32_t kMaxInterfaces = 4096;  ///< NIDs accepted in a ping buffer, default
inline constexpr std::uint32_t kPingBufferMin =
    272;  ///< smallest ping buffer asked for: 16 entries
inline constexpr std::uint32_t kMaxHelloAddresses = 16;
inline constexpr std::uint32_t kMaxCpts = 256;  ///< fits the byte that names have for it

// Ours
inline constexpr std::size_t kConfigTextMax = 16U << 20;  ///< bytes of a YAML document
inline constexpr unsigned kConfigNestingMax = 32;         ///< levels of a YAML document
inline constexpr std::size_t kParamTextMax = 4096;        ///< bytes of one module parameter
inline constexpr std::size_t kHoldBytesPerPeer =
    1U << 20;  ///< payload staged for held messages, per peer
inline constexpr std::size_t kHoldCostMin =
    512;  ///< what a held message counts at least against it
inline constexpr std::uint32_t kAnswersPerPeer =
    1U << 16;  ///< ACKs and REPLYs waiting for one peer, above which its requests are dropped

static_assert(kPingBufferMin == 16 + 16 * 16);
static_assert(kPortals <= 64);

}  // namespace ulnet::limits
