// Which of a peer's connections carries a message. The engine calls fit() for each of them, and
// lighter() between those that fit equally. Source: spec/wire-socklnd.md 5.2.
#pragma once

#include <cstdint>

#include "lnet/wire/ksock_hello.h"

namespace ulnet::lnd::sock {

enum class Fit : std::uint8_t { kNever, kFallback, kPreferred };

/// The kinds of message for which the tables differ.
enum class Cargo : std::uint8_t {
  kSmall,         ///< an LNet message of less than min_bulk bytes, headers included
  kBulk,          ///< an LNet message of min_bulk bytes or more
  kNoop,          ///< a zero-copy ACK or a keepalive
  kNoopMayBlock,  ///< a zero-copy ACK with nonblk_zcack=0
};

/// How well a connection of `type` (in this node's view) that speaks `version` suits `cargo`.
constexpr Fit fit(std::uint32_t version, wire::ConnType type, Cargo cargo) {
  using wire::ConnType;
  if (version <= 2) {
    // NOOPs count as small messages, whether or not they may block.
    const bool small = cargo != Cargo::kBulk;
    switch (type) {
      case ConnType::kControl:
        return small ? Fit::kPreferred : Fit::kFallback;
      case ConnType::kBulkOut:
        return small ? Fit::kFallback : Fit::kPreferred;
      case ConnType::kBulkIn:
        return Fit::kFallback;
      case ConnType::kAny:
        return Fit::kPreferred;
      case ConnType::kNone:
        return Fit::kNever;
    }
    return Fit::kNever;
  }
  switch (cargo) {
    case Cargo::kSmall:
      return type == ConnType::kControl   ? Fit::kPreferred
             : type == ConnType::kBulkOut ? Fit::kFallback
                                          : Fit::kNever;
    case Cargo::kBulk:
      return type == ConnType::kControl   ? Fit::kFallback
             : type == ConnType::kBulkOut ? Fit::kPreferred
                                          : Fit::kNever;
    case Cargo::kNoop:
      return type == ConnType::kBulkIn ? Fit::kPreferred : Fit::kNever;
    case Cargo::kNoopMayBlock:
      return type == ConnType::kControl                                ? Fit::kPreferred
             : type == ConnType::kBulkOut || type == ConnType::kBulkIn ? Fit::kFallback
                                                                       : Fit::kNever;
  }
  return Fit::kNever;
}

/// The load of a connection. If several connections fit equally, the one with the fewest queued
/// bytes carries the message. If several have equally few and `round_robin` is set, the least
/// recently used one does.
struct Load {
  std::uint64_t queued = 0;  ///< bytes
  std::uint64_t used = 0;    ///< Conn::used
};
/// True if `a` is to be chosen rather than `b`.
constexpr bool lighter(const Load& a, const Load& b, bool round_robin) {
  if (a.queued != b.queued) return a.queued < b.queued;
  return round_robin && a.used < b.used;
}

}  // namespace ulnet::lnd::sock
