// What happened in a world, as values: one record per input, action, event, message on the wire and
// fault. Every record goes into a running digest; how many are kept is a choice. The digest depends
// on values only, never on addresses, so that one seed has one digest with every compiler. Source:
// DESIGN.md 6.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/time.h"

namespace ulnet::sim {

/// What a record tells; beside each, what `node`, `detail`, a, b, c and d mean. Nodes go by their
/// number (SimNode::number()); messages on the wire by a number of their own.
enum class TraceKind : std::uint8_t {
  // Of a shard; detail: the index in core::Input or core::Action.
  kInput,  ///< HeaderArrived: a type, b payload bytes, c match bits or cookie, d rx. PayloadLanded,
           ///< SendDone: a message (slot), b status, c health. PeerUp, PeerDown: a NI, b peer
           ///< number, c reset
  kCall,   ///< detail: index in ApiCall; a status, b and c what it is about (cookies)
  kAction,  ///< Send: a type, b payload bytes, c deadline (ns), d message. Land: a message, b sink
            ///< bytes, c rlen. HoldPayload, DropPayload, Reject, Cancel: a rx or message. Done: a
            ///< ticket, b status
  kEvent,   ///< a handler is called; detail: EventType; a status, b mlength, c MD, d unlinked
  // Of a node
  kNode,  ///< detail: NodeChange
  // Of the wire. `node` is where it left, a where it goes (a node number), b the message's number
  kDepart,     ///< detail: MsgType; c bytes, d when it will arrive (ns)
  kArrive,     ///< `node`: where it arrived, a whence; detail 5: c bytes of stream b
  kLost,       ///< detail: WireLoss
  kDuplicate,  ///< d: when the second one will arrive
  // Of virtual TCP; a: the other node, b: the connection's number
  kStream,  ///< detail: StreamChange; c: errno where one belongs to it
  // Of faults and loads: what an Actor wrote down; detail, a, b, c, d are its own
  kActor,  ///< `node`: kNoNode, or whom it concerns
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
  /// Of everything so far.
  std::uint64_t digest() const { return digest_; }
  /// How many records there were.
  std::uint64_t count() const { return count_; }
  /// Those that were kept, oldest first.
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
  std::vector<TraceRecord> kept_;  ///< a ring with kLast
  std::size_t oldest_ = 0;
};

/// One line, without the newline: "[   12.000345] n3  SendDone  msg 7 status 0 ok". Times count
/// from the start of the world. `name` says a node's name.
std::string to_string(const TraceRecord& record,
                      const std::function<std::string(std::uint32_t)>& name);

}  // namespace ulnet::sim
