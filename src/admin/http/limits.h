// How much one client, or all clients together, can request of a listener.
#pragma once

#include <chrono>
#include <cstddef>

namespace ulnet::http::limits {

inline constexpr std::size_t kHeadBytes = 32U << 10;  ///< request line and headers
inline constexpr std::size_t kPathBytes = 256;

/// From a request's first byte to its last. The connection of a slower client is closed.
inline constexpr std::chrono::milliseconds kReadTime{5000};
/// Replaces kReadTime and Times::idle while other connections wait for a thread.
inline constexpr std::chrono::milliseconds kCrowdedTime{250};

/// The size of a piece of an answer that is made while it is sent (Pieces).
inline constexpr std::size_t kPieceBytes = 8U << 10;
/// Bytes of an answer that wait to be sent together.
inline constexpr std::size_t kSendBytes = 16U << 10;

// Connections that are accepted and wait for a thread. More connections stay in the listen queue.
inline constexpr std::size_t kWaiting = 512;
inline constexpr int kBacklog = 256;
inline constexpr std::chrono::seconds kThreadIdleTime{10};  ///< after this an unused thread ends

}  // namespace ulnet::http::limits
