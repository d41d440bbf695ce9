// LNet's programming interface in C++: match entries, memory descriptors, PUT and GET, events. An
// interface, because the same services run on a real node (ulnet/node.hpp) and in the simulator.
// Source: spec/core-semantics.md 2 to 7 and 15.
//
// Threads: every call may be made from any thread, also from inside an event handler, unless it
// says that it waits; a call that waits returns -EDEADLK inside a handler. Handlers of one MD never
// overlap; those of different MDs may. A handler must neither block nor throw: an exception that
// leaves it ends the program (std::terminate).
//
// Errors: every call that returns a Result may fail with -ESHUTDOWN (the node is down or shutting
// down) besides the errors that it lists; `Error::reason` says in words what was wrong.
// docs/API.md explains what the calls mean together.
#pragma once

#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ulnet/export.h"
#include "ulnet/nid.hpp"
#include "ulnet/result.hpp"

namespace ulnet {

class Lifetime;  // ulnet/lifetime.hpp

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

/// Of an ME: whether it goes when its MD has gone. Of an MD: whether it unlinks itself when it is
/// exhausted.
enum class UnlinkMode : std::uint8_t { kRetain, kUnlink };
/// Where an ME enters its portal's list, which is searched from the head.
enum class InsertPosition : std::uint8_t {
  kBefore,  ///< at the head
  kAfter,   ///< at the tail
  kLocal,   ///< at the tail, in the table of the CPU partition that the caller runs on
};
enum class AckRequest : std::uint8_t { kNoAck, kAck };

/// MD options (spec/core-semantics.md 4.2), a bit set. With any other bit an MD is refused
/// (-EINVAL).
enum MdOption : std::uint32_t {
  kOpPut = 0x1,         ///< PUTs may land here; for attached MDs only
  kOpGet = 0x2,         ///< GETs may read from here; for attached MDs only
  kManageRemote = 0x4,  ///< the initiator's offset counts, not the MD's own, which advances by each
                        ///< message
  kTruncate = 0x10,     ///< a message longer than the room left is cut; else it is dropped
  kAckDisable = 0x20,   ///< never answer a PUT with an ACK, whatever it asks for
  kMaxSize = 0x80,  ///< at most `max_size` bytes for each message; exhausted when fewer are left
  kBulkHandle = 0x200,       ///< no effect: a bound MD is at the partition of its caller
  kTrackResponse = 0x400,    ///< expect the ACK or REPLY within the transaction time-out
  kNoTrackResponse = 0x800,  ///< wait for the ACK or REPLY without a time-out
  kGniLnd = 0x1000,          ///< no effect: for a driver that ulnet does not have
  kGpuAddr = 0x2000,         ///< no effect: the memory is used like any other
  kDiscard = 0x4000,  ///< the payload may be thrown away; events report it as if it were here
};

inline constexpr std::int32_t kThresholdInfinite = -1;

/// What an event is about (spec/core-semantics.md 5). kUnlink: an idle MD was unlinked by call.
enum class EventType : std::uint8_t {
  kGet = 1,  ///< at the target: the data of a GET have left
  kPut,      ///< at the target: the data of a PUT are in memory
  kReply,    ///< at the initiator: the data of its GET are in memory
  kAck,      ///< at the initiator: the target has taken its PUT
  kSend,     ///< at the initiator: its PUT or GET has left, or has failed and nothing follows
  kUnlink,
};

/// What happened to an MD (spec/core-semantics.md 5).
struct Event {
  EventType type = EventType::kUnlink;
  std::int32_t status = 0;     ///< 0 or a negative errno
  bool unlinked = false;       ///< the last event of this MD; its memory may be reused
  std::uint32_t msg_type = 0;  ///< wire type, for kSend
  std::uint64_t sequence = 0;  ///< grows with each event of the same CPU partition
  ProcessId target;            ///< kSend: the destination; at the target: the local NID addressed
  ProcessId initiator;         ///< primary NID of the requester
  Nid source;                  ///< the NID the message was sent from
  Nid sender;                  ///< the last hop
  Portal portal;
  MatchBits match_bits;
  std::uint32_t rlength = 0;   ///< bytes asked for
  std::uint32_t mlength = 0;   ///< bytes moved: less than rlength where the target cut them
  std::uint32_t offset = 0;    ///< bytes from the start of the target MD to this message's data
  std::uint64_t hdr_data = 0;  ///< of a PUT
  MdHandle md;
  void* md_start = nullptr;
  void* md_user_ptr = nullptr;
  std::uint32_t md_options = 0;
};

/// Where the events of an MD go. on_event() must neither block nor throw; calls for one MD never
/// overlap, and after the event with `unlinked` there are no more. Must outlive every MD that names
/// it, unless the node has been stopped and the MD is not unlinked afterwards.
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
  std::span<const iovec> fragments;  ///< at most 256; together 1 MiB if bound, 4 GiB if attached
  /// Operations left, each of which counts: a PUT or GET sent or taken, an ACK or REPLY that comes.
  /// 0: none, the MD is inactive.
  std::int32_t threshold = kThresholdInfinite;
  std::uint32_t max_size = 0;  ///< bytes, with kMaxSize
  std::uint32_t options = 0;   ///< MdOption bits
  void* user_ptr = nullptr;    ///< comes back in the MD's events
  EventSink* sink = nullptr;   ///< null: no events
};

/// What put() sends; read before it returns.
struct PutRequest {
  MdHandle md;       ///< bound; all of its bytes are sent
  ProcessId target;  ///< neither part may be "any"
  Portal portal;
  MatchBits match_bits;
  std::uint32_t offset = 0;    ///< bytes into a target with kManageRemote; elsewhere unused
  std::uint64_t hdr_data = 0;  ///< handed to the receiver untouched
  AckRequest ack = AckRequest::kNoAck;
  Nid self;  ///< source NID; any lets LNet choose
};
/// What get() asks for; read before it returns.
struct GetRequest {
  MdHandle md;       ///< bound; as many bytes are asked for as it has
  ProcessId target;  ///< neither part may be "any"
  Portal portal;
  MatchBits match_bits;
  std::uint32_t offset = 0;  ///< bytes into a target with kManageRemote; elsewhere unused
  Nid self;                  ///< source NID; any lets LNet choose
};

/// How far a NID is (spec/core-semantics.md 2.4).
struct Distance {
  int hops =
      0;       ///< 0: a NID of this node; 1: on one of its nets; more: routers in between, and one
  Nid source;  ///< the local NID that would be used
  /// Among NIDs equally far the one with the smaller order is to be preferred: 0 for 0@lo, 1 for
  /// this node, 2 and more by the NI's place in the list.
  std::uint32_t order = 0;
};

/// A NID of this node, and whether its NI can be used now.
struct LocalNid {
  Nid nid;
  bool up = true;
};

/// The first line of LNet's statistics (spec/core-semantics.md 9), in the order of its `stats`
/// file.
struct Counters {
  std::uint64_t msgs_alloc = 0, msgs_max = 0, errors = 0, send_count = 0, recv_count = 0,
                route_count = 0, drop_count = 0, send_length = 0, recv_length = 0, route_length = 0,
                drop_length = 0;
};

/// Whom ping() asks; read before it returns.
struct PingRequest {
  ProcessId target;  ///< a PID of "any" means 12345
  Nid source;        ///< any lets LNet choose
  std::chrono::nanoseconds timeout = std::chrono::seconds(1);
};
struct PingReply {
  Nid primary;  ///< as far as it is known here
  bool multi_rail = false;
  Pid pid;
  std::uint32_t features = 0;  ///< bits of the peer's answer (spec/wire-lnet.md 4.3)
  std::vector<Nid> nids;       ///< in the peer's order, without 0@lo
};

class ULNET_EXPORT Lnet {
 public:
  virtual ~Lnet() = default;

  // Identity (spec/core-semantics.md 2.3, 2.4)
  /// The `index`-th NID of this node, 0@lo first, with its PID. `large_ok` false: IPv6 NIDs are
  /// passed over. -ENOENT past the last one.
  virtual Result<ProcessId> get_id(unsigned index, bool large_ok) = 0;
  /// -EHOSTUNREACH: the target is on no net of this node.
  virtual Result<Distance> dist(const Nid& target) = 0;

  // Match entries and memory descriptors (3, 4)
  /// An ME on `portal` for messages whose initiator's primary NID and PID are `match_id` (or any)
  /// and whose match bits agree with `match` wherever `ignore` has a 0. It matches nothing before
  /// md_attach() gives it an MD. -EINVAL: no such portal. -EPERM: the portal is LNet's own (0), or
  /// its entries are of the other kind: all for one process each with no bit ignored, or all
  /// others. -ENOMEM: too many.
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
  /// A passive MD behind `me`, for PUTs with kOpPut, GETs with kOpGet. -EINVAL: neither option,
  /// more than 256 fragments, a fragment without memory, max_size longer than the memory, a
  /// threshold below -1. -ENOMEM: too many. -ENOENT: no such ME. -EBUSY: it has an MD, and keeps
  /// it; after any other error the ME is gone too.
  virtual Result<MdHandle> md_attach(MeHandle me, const MdSpec& md, UnlinkMode unlink) = 0;
  /// An active MD: the source of PUTs, the sink of GETs. -EINVAL: kOpPut or kOpGet, more than
  /// 1 MiB, and what md_attach() refuses. -ENOMEM: too many.
  virtual Result<MdHandle> md_bind(const MdSpec& md, UnlinkMode unlink) = 0;
  /// An idle MD's UNLINK event is delivered before this returns, and no handler of this MD is
  /// running then. Inside a handler (of any MD) nothing is waited for: the UNLINK event follows
  /// when that handler has returned. A busy MD ends with the last event of its operations, which
  /// has `unlinked`. -ENOENT: no such MD, or it is being unlinked.
  virtual Result<void> md_unlink(MdHandle md) = 0;

  // Moving data (6). Success means that the operation has begun; its end comes as events of the MD,
  // also when the target is never reached: kSend with a status.
  /// -ENOENT: no such MD, or it is attached or used up. -EINVAL: no such portal, or a target NID or
  /// PID of "any". -EIO: simulate_failure().
  virtual Result<void> put(const PutRequest& request) = 0;
  /// As put().
  virtual Result<void> get(const GetRequest& request) = 0;

  // Portals (7.1)
  /// From here on PUTs that find no MD wait for one, without a limit of time. -EINVAL: no such
  /// portal. Setting it twice is harmless.
  virtual Result<void> set_lazy_portal(Portal portal) = 0;
  /// What waits is dropped. -EINVAL: no such portal.
  virtual Result<void> clear_lazy_portal(Portal portal) = 0;

  /// Waits for the answer, at most `timeout`. -ETIMEDOUT: none came. -EINVAL: nobody to ping.
  /// -EHOSTUNREACH: no way there. -EPROTO: the answer makes no sense. Else the driver's error, such
  /// as -ECONNREFUSED. -EIO: simulate_failure(). -EDEADLK inside a handler.
  virtual Result<PingReply> ping(const PingRequest& request) = 0;

  // Other calls (15). Answered with -ENOSYS or false by an Lnet that has no peers.
  /// True when this node has an NI on the NID's net.
  virtual bool is_peer_local(const Nid& nid) { return has_local_net(nid.net()); }
  virtual bool has_local_net(NetId) { return false; }
  /// The first NID of this node that can be used, other than 0@lo. -ENOENT: there is none.
  virtual Result<Nid> local_primary_nid() { return not_here(); }
  /// The primary NID of the peer that has `nid`, as far as it is known here, else `nid` itself.
  /// Asks nobody and does not wait.
  virtual Result<Nid> primary_nid(const Nid&) { return not_here(); }
  /// All NIDs of this node, 0@lo first.
  virtual Result<std::vector<LocalNid>> local_nids() { return not_here(); }
  /// `changed` is called, as a handler is, after an NI was added or removed or its link came or
  /// went; in the place of the one before. An empty function ends it: a call that has begun may
  /// still be running then.
  virtual Result<void> on_local_nids(std::function<void()>) { return not_here(); }
  /// The setting `discovery`.
  virtual bool discovery_on() { return false; }
  /// Declares a peer with these NIDs, the first its primary one. -ENOSYS: not built yet.
  virtual Result<void> add_peer(std::span<const Nid>) { return no_discovery(); }
  /// Whether what is known of this peer is up to date: -EAGAIN, -EALREADY, -EHOSTUNREACH or
  /// -ENETRESET where it is not. -ENOSYS: not built yet.
  virtual Result<void> peer_discovered(const Nid&) { return no_discovery(); }
  /// Logs what is known of the peer that has this NID (NodeOptions::log, level 1).
  virtual void debug_peer(const Nid&) {}
  /// LNetFail: the next `messages` to `peer` (any: to everybody) fail with -EIO, those that come
  /// from it are dropped; each CPU partition counts its own. -1: for ever; 0: no more. -EINVAL:
  /// below -1.
  virtual Result<void> simulate_failure(const Nid& /*peer*/, std::int32_t /*messages*/) {
    return not_here();
  }

  /// Runs `fn` once, as a handler runs, not before `delay` has passed.
  virtual void after(std::chrono::nanoseconds delay, std::function<void()> fn) = 0;
  /// All zero when the node is down.
  virtual Counters counters() = 0;
  /// Inline mode: moves bytes and runs handlers until something happened or `wait` is over.
  /// Elsewhere, and inside a handler: does nothing and returns false.
  virtual bool progress(std::chrono::nanoseconds wait) = 0;
  /// True in inline mode: nothing moves outside progress(). Constant.
  virtual bool polled() const { return false; }
  /// True on a thread that is running a handler: a call that waits returns -EDEADLK there.
  virtual bool in_handler() const { return false; }
  /// By which descriptors and event queues learn that this object is gone; null: it is there longer
  /// than all of them.
  virtual std::shared_ptr<Lifetime> lifetime() { return nullptr; }

 private:
  static tl::unexpected<Error> not_here() { return fail(-ENOSYS, "this Lnet does not offer it"); }
  static tl::unexpected<Error> no_discovery() {
    return fail(-ENOSYS, "peers are not discovered or declared yet");
  }
};

}  // namespace ulnet
