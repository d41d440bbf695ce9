// Memory for the payload of messages that the core holds, so that their connections can be read on.
// All engines of a driver share it. Source: docs/SECURITY.md.
#pragma once

#include <deque>

#include "lnet/lnd/sock/engine/incoming_message.h"
#include "lnet/lnd/sock/engine/peer.h"

namespace ulnet::lnd::sock {

struct EngineParts;

class HeldPayload {
 public:
  explicit HeldPayload(EngineParts& parts) : parts_(parts) {}

  /// Stages a message that the core holds, or lets its connection wait for memory.
  void stage_or_wait(IncomingMessage& rx);
  /// Frees the memory of a message that is held no longer.
  void release(IncomingMessage& rx);
  /// As release(), but other messages of the peer do not get the memory yet.
  void give_memory(IncomingMessage& rx);
  /// Stages messages of the peer that waited for memory within its own limit.
  void stage_of(const Peer& peer);

  /// Whether messages wait for the node's memory.
  bool is_short() const { return !waiting_.empty(); }
  /// When work() must be called next.
  Instant next_deadline() const { return stage_at_; }
  /// Stages messages that wait for memory, as far as there is memory now.
  void work();

 private:
  /// Whether the payload of a held message got memory. kPeerFull, kNodeFull: it did not, because
  /// the peer or the node has reached its limit.
  enum class Staged : std::uint8_t { kYes, kPeerFull, kNodeFull };
  Staged try_stage(IncomingMessage& rx);
  bool take_memory(IncomingMessage& rx);

  EngineParts& parts_;
  /// Connections that the engine does not read because the node has no memory left for held
  /// payload. It tries to stage their messages in the order of the list: when it has given memory
  /// back, and again after a pause, since other engines give memory back too.
  std::deque<Handle> waiting_;
  Instant stage_at_ = kNever;  ///< when work() tries waiting_ next
};

}  // namespace ulnet::lnd::sock
