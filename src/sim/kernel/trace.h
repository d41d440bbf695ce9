// What happened in a world, as values: one record per input, action, event, message on the wire and
// fault. Every record goes into a running digest; TraceOptions selects which records are also kept.
// The digest depends on values only, never on addresses, so that a seed has the same digest with
// every compiler. Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lnet/base/time.h"

namespace ulnet::sim {

/// The kind of a record. The comments list what `node`, `detail`, `a`, `b`, `c` and `d` mean. A
/// node is given by SimNode::number(). Messages on the wire have numbers of their own.
enum class TraceKind : std::uint8_t {
  // Records of a shard. `detail`: the index in core::Input, or the number of an action
  // (trace_actions.h).
  kInput,   ///< HeaderArrived: `a` type, `b` payload bytes, `c` match bits or cookie, `d` rx.
            ///< PayloadLanded, SendDone: `a` message, `b` status, `c` health. PeerUp, PeerDown:
            ///< `a` NI, `b` hash of the NID. PeerDown: `c` 1 if the neighbour restarted.
  kCall,    ///< `detail`: index in ApiCall; `a` status, `b` to `d` the cookies, match bits or hash
            ///< of a NID concerned
  kAction,  ///< Send: `a` type, `b` payload bytes, `c` deadline (ns), `d` message. Land:
            ///< `a` message, `b` sink bytes, `c` rlen, `d` rx. HoldPayload, Cancel: `a` message.
            ///< DropPayload, Reject: `a` rx. CallDone: `a` ticket, `b` status.
  kEvent,   ///< a handler is called; `detail`: EventType; `a` status, `b` mlength, `c` MD,
            ///< `d` unlinked
  // Records of a node.
  kNode,  ///< `detail`: NodeChange
  // Records of the wire. `node`: the sender, `a`: the number of the receiver's node, `b`: the
  // message's number.
  kDepart,     ///< `detail`: MsgType; `c` bytes, `d` when the message will arrive (ns)
  kArrive,     ///< `node`: the receiver, `a`: the sender; `detail` 5: `c` bytes of stream `b`
  kLost,       ///< `detail`: WireLoss
  kDuplicate,  ///< a second copy; `d` when it will arrive
  // Records of virtual TCP. `a`: the other node, `b`: the connection's number.
  kStream,  ///< `detail`: StreamChange; `c` errno, or 0
  // Records of an Actor, which chooses `detail` and `a` to `d`.
  kActor,  ///< `node`: the node concerned, or kNoNode
};
inline constexpr std::uint32_t kNoNode = ~0U;

struct TraceRecord {
  Instant at{};
  TraceKind kind = TraceKind::kInput;
  std::uint8_t detail = 0;
  std::uint32_t node = kNoNode;
  std::uint64_t a = 0, b = 0, c = 0, d = 0;
  bool operator==(const TraceRecord&) const = default;
};

struct TraceOptions {
  enum class Keep : std::uint8_t { kDigest, kLast, kAll } keep = Keep::kDigest;
  std::size_t last = 4096;  ///< with kLast
};

class Trace {
 public:
  explicit Trace(const TraceOptions& options = {}) : options_(options) {}

  void add(const TraceRecord& record) {
    mix(static_cast<std::uint64_t>(record.at.time_since_epoch().count()));
    mix(static_cast<std::uint64_t>(record.kind) << 40 |
        static_cast<std::uint64_t>(record.detail) << 32 | record.node);
    mix(record.a);
    mix(record.b);
    mix(record.c);
    mix(record.d);
    ++count_;
    if (options_.keep != TraceOptions::Keep::kDigest) store(record);
  }
  /// The digest of all records so far.
  std::uint64_t digest() const { return digest_; }
  /// The number of all records so far, kept or not.
  std::uint64_t count() const { return count_; }
  /// Calls `fn` for the records that were kept, oldest first.
  void for_each(const std::function<void(const TraceRecord&)>& fn) const;

 private:
  void mix(std::uint64_t value) {
    digest_ = (digest_ ^ value) * 0x9e3779b97f4a7c15ULL;
    digest_ ^= digest_ >> 32;
  }
  void store(const TraceRecord& record);

  TraceOptions options_;
  std::uint64_t digest_ = 0xcbf29ce484222325ULL;
  std::uint64_t count_ = 0;
  std::vector<TraceRecord> kept_;  ///< with kLast a ring
  std::size_t oldest_ = 0;
};

}  // namespace ulnet::sim
