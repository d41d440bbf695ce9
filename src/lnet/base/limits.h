// The limits of the protocol and of this program, and the relations between them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ulnet::limits {

// Protocol (spec/wire-lnet.md 2.6, spec/core-semantics.md 1)
inline constexpr std::uint32_t kMtu = 1U << 20;        ///< payload of one PUT or REPLY, bytes
inline constexpr std::uint32_t kMaxFragments = 256;    ///< fragments of one MD
inline constexpr std::uint32_t kPortals = 64;          ///< portal 0 is LNet's own
inline constexpr std::uint32_t kMaxInterfaces = 4096;  ///< NIDs in a peer's ping info, by default
/// Bytes of the smallest ping buffer that this node requests: room for 16 entries.
inline constexpr std::uint32_t kPingBufferMin = 272;
inline constexpr std::uint32_t kMaxHelloAddresses = 16;  ///< IPv4 addresses in a hello
inline constexpr std::uint32_t kMaxCpts = 256;           ///< cookies have one byte for the CPT

// Limits of ulnet alone
inline constexpr std::size_t kConfigTextMax = 16U << 20;  ///< bytes of a YAML document
inline constexpr unsigned kConfigNestingMax = 32;         ///< levels of a YAML document
inline constexpr std::size_t kParamTextMax = 4096;        ///< bytes of one module parameter
/// Bytes of payload that a driver stages for the held messages of one peer.
inline constexpr std::size_t kHoldBytesPerPeer = 1U << 20;
/// A held message with a shorter payload counts as this many bytes against kHoldBytesPerPeer.
inline constexpr std::size_t kHoldCostMin = 512;
/// A payload up to this size, in bytes, that is in memory when its header comes is copied in the
/// same step (lnet/core/contract/ports.h: CopyPayload). Copying a longer one would delay other
/// threads.
inline constexpr std::uint32_t kCopyAtOnce = 4096;
/// ACKs and REPLYs that may wait to be sent to one peer; above it the peer's requests are
/// dropped.
inline constexpr std::uint32_t kAnswersPerPeer = 1U << 16;
/// kAnswersPerPeer while at least half of the answers that a partition may keep are waiting.
inline constexpr std::uint32_t kAnswersPerPeerWhenMany = 64;
/// Memory that an answer takes while it waits, in bytes.
inline constexpr std::size_t kAnswerBytes = 512;
inline constexpr std::size_t kUdspRules = 1024;    ///< selection policies of a node
inline constexpr std::size_t kUdspTextMax = 1024;  ///< bytes of a pattern in one of them
inline constexpr std::size_t kFaultRules = 1024;   ///< fault rules of a node
/// Messages that the delay rules of a partition hold at a time; above it messages are not delayed.
inline constexpr std::size_t kFaultHeld = 1U << 16;
inline constexpr std::uint32_t kFaultSecondsMax = 1U << 30;  ///< an interval, or a latency

static_assert(kPingBufferMin == 16 + 16 * 16);
static_assert(kPortals <= 64);

}  // namespace ulnet::limits
