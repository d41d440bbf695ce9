// How much one client, or all clients together, can request of the control API, besides the limits
// of every listener (admin/http/limits.h).
#pragma once

#include <chrono>
#include <cstddef>

namespace ulnet::node::control::limits {

inline constexpr std::size_t kBodyBytes = 1U << 20;  ///< docs/CONTROL-API.md
/// The longest body of a batch from a caller that may write; the requests of any YAML document fit.
inline constexpr std::size_t kBatchBytes = 64U << 20;
/// A body of at most kFreeBodyBytes is always read. A longer body is read only for callers that may
/// write, and only when the node's memory budget has enough left for the body and its parsed form.
/// The parsed form takes kBodyMakes times as much as the body.
inline constexpr std::size_t kFreeBodyBytes = 64U << 10;
inline constexpr std::size_t kBodyMakes = 8;
inline constexpr std::size_t kPingNids = 1024;   ///< targets of one request to ping or discover
inline constexpr std::size_t kPingsAtOnce = 16;  ///< targets asked at the same time

/// The memory that an answer that is made while it is sent (pieces.h) takes besides its list. The
/// answer has pieces under way, a few peers, and the tree of one interface.
inline constexpr std::size_t kPiecesBytes = 128U << 10;
/// The memory of all such answers together, with their lists.
inline constexpr std::size_t kListsBytes = 8U << 20;

/// How many streams of events (event_streams.h) may be open, and how much each keeps for a slow
/// reader.
inline constexpr std::size_t kEventStreams = 8;
inline constexpr std::size_t kStreamBytes = 16U << 10;
/// How often a stream sends a comment to show that it is alive.
inline constexpr std::chrono::milliseconds kStreamBeat{10'000};
/// A stream ends when its reader has taken nothing for this long.
inline constexpr std::chrono::milliseconds kStreamTimeout{60'000};

inline constexpr std::size_t kThreads = 32;  ///< connections served at once on the Unix socket
/// Connections served at once on the read-only TCP port.
inline constexpr std::size_t kTcpThreads = 32;
static_assert((kThreads + kTcpThreads) * kPiecesBytes <= kListsBytes);

}  // namespace ulnet::node::control::limits
