// LNet's programming interface in C++: match entries, memory descriptors, PUT and GET, events. An
// interface, because the same services run on a real node (ulnet/node.hpp) and in the simulator.
// Source: spec/core-semantics.md 2 to 7 and 15.
//
// Threads: every call may be made from any thread, also from inside an event handler, unless it
// says that it waits; a call that waits returns -EDEADLK inside a handler. Handlers of one MD never
// overlap; those of different MDs may.
#pragma once

#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ulnet/export.h"
#include "ulnet/nid.hpp"
#include "ulnet/result.hpp"

namespace ulnet {

/// Names of live objects. 0 is none; a stale one is answered with -ENOENT, never with another
/// object.
struct MeHandle {
  std::uint64_t cookie = 0;
  explicit operator bool() const { return cookie != 0; }
  bool operator==(const MeHandle&) const = default;
};
struct MdHandle {
  std::uint64_t cookie = 0;
  explicit operator bool() const { return cookie != 0; }
  bool operator==(const MdHandle&) const = default;
};

struct Portal {
  std::uint32_t index = 0;  ///< 0 to 63; 0 is LNet's own
  bool operator==(const Portal&) const = default;
};
struct MatchBits {
  std::uint64_t value = 0;
  bool operator==(const MatchBits&) const = default;
};

enum class UnlinkMode : std::uint8_t { kRetain, kUnlink };
enum class InsertPosition : std::uint8_t {
  kBefore,
  kAfter,
  kLocal
};  ///< head; tail; tail on the caller's CPT
enum class AckRequest : std::uint8_t { kNoAck, kAck };

/// MD options (spec/core-semantics.md 4.2), a bit set.
enum MdOption : std::uint32_t {
  kOpPut = 0x1,
  kOpGet = 0x2,
  kManageRemote = 0x4,
  kTruncate = 0x10,
  kAckDisable = 0x20,
  kMaxSize = 0x80,
  kTrackResponse = 0x400,
  kNoTrackResponse = 0x800,
  kDiscard = 0x4000,
};

inline constexpr std::int32_t kThresholdInfinite = -1;

enum class EventType : std::uint8_t { kGet = 1, kPut, kReply, kAck, kSend, kUnlink };

/// What happened to an MD (spec/core-semantics.md 5).
struct Event {
  EventType type = EventType::kUnlink;
  std::int32_t status = 0;     ///< 0 or a negative errno
  bool unlinked = false;       ///< the last event of this MD; its memory may be reused
  std::uint32_t msg_type = 0;  ///< wire type, for kSend
  std::uint64_t sequence = 0;
  ProcessId target;
  ProcessId initiator;  ///< primary NID of the requester
  Nid source;           ///< the NID the message was sent from
  Nid sender;           ///< the last hop
  Portal portal;
  MatchBits match_bits;
  std::uint32_t rlength = 0;  ///< bytes asked for
  std::uint32_t mlength = 0;  ///< bytes moved
  std::uint32_t offset = 0;   ///< in the target MD
  std::uint64_t hdr_data = 0;
  MdHandle md;
  void* md_start = nullptr;
  void* md_user_ptr = nullptr;
  std::uint32_t md_options = 0;
};

/// Where the events of an MD go. on_event() must not block; calls for one MD never overlap, and
/// after the event with `unlinked` there are no more. Must outlive every MD that names it.
class ULNET_EXPORT EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const Event& event) = 0;
  /// An MD that names this sink is being made: called before its first event can come. md_refused()
  /// takes it back when the MD was not made. For sinks that count their users; any thread, must not
  /// block or call back.
  virtual void md_added() {}
  virtual void md_refused() {}
};

/// A memory descriptor as its user describes it. The fragments are copied, the memory they name is
/// not: it stays in use until the event with `unlinked`.
struct MdSpec {
  std::span<const iovec> fragments;  ///< at most 256
  std::int32_t threshold = kThresholdInfinite;
  std::uint32_t max_size = 0;  ///< with kMaxSize
  std::uint32_t options = 0;   ///< MdOption bits
  void* user_ptr = nullptr;
  EventSink* sink = nullptr;  ///< null: no events
};

struct PutRequest {
  MdHandle md;
  ProcessId target;
  Portal portal;
  MatchBits match_bits;
  std::uint32_t offset = 0;    ///< in a remotely managed target
  std::uint64_t hdr_data = 0;  ///< handed to the receiver untouched
  AckRequest ack = AckRequest::kNoAck;
  Nid self;  ///< source NID; any lets LNet choose
};
struct GetRequest {
  MdHandle md;
  ProcessId target;
  Portal portal;
  MatchBits match_bits;
  std::uint32_t offset = 0;
  Nid self;
};

struct Distance {
  int hops = 0;
  Nid source;
  std::uint32_t order = 0;
};

/// The first line of LNet's statistics (spec/core-semantics.md 9), in the order of its `stats`
/// file.
struct Counters {
  std::uint64_t msgs_alloc = 0, msgs_max = 0, errors = 0, send_count = 0, recv_count = 0,
                route_count = 0, drop_count = 0, send_length = 0, recv_length = 0, route_length = 0,
                drop_length = 0;
};

struct PingRequest {
  ProcessId target;  ///< a PID of "any" means 12345
  Nid source;        ///< any lets LNet choose
  std::chrono::nanoseconds timeout = std::chrono::seconds(1);
};
struct PingReply {
  Nid primary;
  bool multi_rail = false;
  Pid pid;
  std::uint32_t features = 0;
  std::vector<Nid> nids;  ///< without 0@lo
};

class ULNET_EXPORT Lnet {
 public:
  virtual ~Lnet() = default;

  // Identity (spec/core-semantics.md 2.3, 2.4)
  virtual Result<ProcessId> get_id(unsigned index, bool large_ok) = 0;
  virtual Result<Distance> dist(const Nid& target) = 0;

  // Match entries and memory descriptors (3, 4)
  virtual Result<MeHandle> me_attach(Portal portal, const ProcessId& match_id, MatchBits match,
                                     MatchBits ignore, UnlinkMode unlink,
                                     InsertPosition position) = 0;
  /// CPU partitions (13.1): how many there are. Constant.
  virtual std::uint32_t cpts() const { return 1; }
  /// me_attach() at kLocal as if called from a CPU of that partition: for who serves what comes in
  /// at each of them. -ERANGE: there is no such partition.
  virtual Result<MeHandle> me_attach_at(std::uint32_t cpt, Portal portal, const ProcessId& match_id,
                                        MatchBits match, MatchBits ignore, UnlinkMode unlink) {
    if (cpt != 0) return fail(-ERANGE, "invalid CPT value");
    return me_attach(portal, match_id, match, ignore, unlink, InsertPosition::kLocal);
  }
  /// On any error the ME is gone too.
  virtual Result<MdHandle> md_attach(MeHandle me, const MdSpec& md, UnlinkMode unlink) = 0;
  virtual Result<MdHandle> md_bind(const MdSpec& md, UnlinkMode unlink) = 0;
  /// An idle MD's UNLINK event is delivered before this returns, and no handler of this MD is
  /// running then. Inside a handler (of any MD) nothing is waited for: the UNLINK event follows
  /// when that handler has returned.
  virtual Result<void> md_unlink(MdHandle md) = 0;

  // Moving data (6). Success means that the operation has begun; its end comes as events.
  virtual Result<void> put(const PutRequest& request) = 0;
  virtual Result<void> get(const GetRequest& request) = 0;

  // Portals (7.1)
  virtual Result<void> set_lazy_portal(Portal portal) = 0;
  virtual Result<void> clear_lazy_portal(Portal portal) = 0;

  /// Waits. -ETIMEDOUT, -EHOSTUNREACH, ... when there is no answer.
  virtual Result<PingReply> ping(const PingRequest& request) = 0;

  /// Runs `fn` once, as a handler runs, not before `delay` has passed.
  virtual void after(std::chrono::nanoseconds delay, std::function<void()> fn) = 0;
  virtual Counters counters() = 0;
  /// Inline mode: moves bytes and runs handlers until something happened or `wait` is over.
  /// Elsewhere: waits for nothing.
  virtual bool progress(std::chrono::nanoseconds wait) = 0;
  /// True in inline mode: nothing moves outside progress().
  virtual bool polled() const { return false; }
};

}  // namespace ulnet
