// LNet's programming interface in C++: match entries, memory descriptors, PUT and GET, events. It
// is an abstract class, because a real node (ulnet/node.hpp) and a simulated one implement it.
// Source: spec/core-semantics.md 2 to 7 and 15.
//
// Threads: every call may be made from any thread. It may also be made inside an event handler,
// unless its comment says that it waits: such a call returns -EDEADLK there. Handlers of one MD
// never overlap; those of different MDs may. A handler must neither block nor throw: an exception
// that leaves it ends the program (std::terminate).
//
// Errors: every call that returns a Result may fail with -ESHUTDOWN (the node is down or shutting
// down) besides the errors that it lists; `Error::reason` has the reason as text. docs/API.md
// explains how the calls work together.
#pragma once

#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ulnet/cxx20.hpp"
#include "ulnet/export.h"
#include "ulnet/nid.hpp"
#include "ulnet/result.hpp"

namespace ulnet {

class Lifetime;  // ulnet/lifetime.hpp

/// Handles of live objects. Cookie 0 names no object. A handle whose object is gone gives -ENOENT,
/// never another object.
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

/// For an ME: whether it is removed with its MD. For an MD: whether it unlinks itself when it is
/// exhausted.
enum class UnlinkMode : std::uint8_t { kRetain, kUnlink };
/// Where an ME enters its portal's list, which is searched from the head.
enum class InsertPosition : std::uint8_t {
  kBefore,  ///< at the head
  kAfter,   ///< at the tail
  kLocal,   ///< at the tail, in the table of the CPU partition that the caller runs on
};
enum class AckRequest : std::uint8_t { kNoAck, kAck };

/// MD options (spec/core-semantics.md 4.2), a bit set. An MD with any other bit is refused
/// (-EINVAL).
enum MdOption : std::uint32_t {
  kOpPut = 0x1,         ///< PUTs may write into the MD; attached MDs only
  kOpGet = 0x2,         ///< GETs may read from the MD; attached MDs only
  kManageRemote = 0x4,  ///< the initiator's offset counts, not the MD's own offset (which advances
                        ///< by each message)
  kTruncate = 0x10,     ///< a message that is too long is cut; without this option it is dropped
  kAckDisable = 0x20,   ///< no PUT is answered with an ACK, even if it asks for one
  kMaxSize = 0x80,      ///< each message gets at most `max_size` bytes; exhausted with fewer left
  kBulkHandle = 0x200,  ///< no effect: a bound MD is in the CPU partition of its caller
  kTrackResponse = 0x400,    ///< wait for the ACK or REPLY at most the transaction time-out
  kNoTrackResponse = 0x800,  ///< wait for the ACK or REPLY without a time-out
  kGniLnd = 0x1000,          ///< no effect: for a driver that ulnet does not have
  kGpuAddr = 0x2000,         ///< no effect: the memory is used like any other
  kDiscard = 0x4000,         ///< the payload may be discarded; events are as if it had come
};

inline constexpr std::int32_t kThresholdInfinite = -1;

/// What an event reports (spec/core-semantics.md 5).
enum class EventType : std::uint8_t {
  kGet = 1,  ///< at the target: the data for a GET was sent
  kPut,      ///< at the target: the data of a PUT is in memory
  kReply,    ///< at the initiator: the data of its GET is in memory
  kAck,      ///< at the initiator: the target has accepted its PUT
  kSend,     ///< at the initiator: its PUT or GET was sent, or has failed and nothing follows
  kUnlink,   ///< an idle MD was unlinked by call
};

/// What happened to an MD (spec/core-semantics.md 5). A field that says nothing about an event of
/// its type has its default value.
struct Event {
  EventType type = EventType::kUnlink;
  std::int32_t status = 0;     ///< 0 or a negative errno
  bool unlinked = false;       ///< the last event of this MD; its memory may be reused
  std::uint32_t msg_type = 0;  ///< kSend: the message's type on the wire, 1 PUT, 2 GET
  std::uint64_t sequence = 0;  ///< grows with each event of the same CPU partition
  ProcessId target;            ///< kSend: the destination; else the local NID and PID addressed
  ProcessId initiator;         ///< the sender, by its primary NID; kSend: "any" and this PID
  Nid source;                  ///< the NID the message was sent from
  Nid sender;                  ///< the neighbour the message came from
  Portal portal;               ///< kSend, kPut, kGet
  MatchBits match_bits;        ///< kSend, kPut, kGet, kAck
  std::uint32_t rlength = 0;   ///< bytes requested; kAck: as mlength
  std::uint32_t mlength = 0;   ///< bytes moved: less than rlength if the target cut the message
  /// kPut, kGet: bytes from the start of the MD to this message's data; kSend: the offset
  /// requested.
  std::uint32_t offset = 0;
  std::uint64_t hdr_data = 0;   ///< kPut, and kSend of a PUT: PutRequest::hdr_data
  MdHandle md;                  ///< the MD that the event is about
  void* md_start = nullptr;     ///< the first byte of its memory
  void* md_user_ptr = nullptr;  ///< MdSpec::user_ptr
  std::uint32_t md_options = 0;
};

/// Receives the events of MDs that name it. It must outlive each of them, that is, until the
/// event with `unlinked`; or until the node has been stopped, if the MD is not unlinked
/// afterwards.
class ULNET_EXPORT EventSink {
 public:
  virtual ~EventSink() = default;
  /// One event. Calls for one MD never overlap, and none follows the event with `unlinked`. Must
  /// neither block nor throw; `event` is valid during the call. Any thread.
  virtual void on_event(const Event& event) = 0;
  /// For sinks that count their MDs. The Lnet calls md_added() before it makes such an MD, hence
  /// before the MD's first event; it calls md_refused() if the MD could not be made. Any thread;
  /// must not block or call the Lnet.
  virtual void md_added() {}
  virtual void md_refused() {}
};

/// The specification of an MD. The call copies the array of fragments, but not their memory, which
/// stays in use until the event with `unlinked`.
struct MdSpec {
  std::span<const iovec> fragments;  ///< at most 256; together 1 MiB if bound, 4 GiB if attached
  /// Operations left. A PUT or GET that is sent or accepted counts as one, and an ACK or REPLY that
  /// comes as one more. 0: the MD is inactive.
  std::int32_t threshold = kThresholdInfinite;
  std::uint32_t max_size = 0;  ///< bytes, with kMaxSize
  std::uint32_t options = 0;   ///< MdOption bits
  void* user_ptr = nullptr;    ///< comes back in the MD's events
  EventSink* sink = nullptr;   ///< null: no events
  /// The CPU partition of the memory, or of the bulk handle's memory: NIs near it are preferred for
  /// sending (spec/multirail.md 3.2 B). -1: the node finds out where the first page lies.
  std::int32_t cpt = -1;
};

/// The arguments of put(), which reads them before it returns.
struct PutRequest {
  MdHandle md;       ///< a bound MD; all of its bytes are sent
  ProcessId target;  ///< neither NID nor PID may be "any"
  Portal portal;
  MatchBits match_bits;
  std::uint32_t offset = 0;    ///< bytes into a target MD with kManageRemote; elsewhere unused
  std::uint64_t hdr_data = 0;  ///< appears unchanged in the target's event
  AckRequest ack = AckRequest::kNoAck;
  Nid self;  ///< the source NID; any: LNet chooses
};
/// The arguments of get(), which reads them before it returns.
struct GetRequest {
  MdHandle md;       ///< a bound MD; as many bytes are fetched as it has
  ProcessId target;  ///< neither NID nor PID may be "any"
  Portal portal;
  MatchBits match_bits;
  std::uint32_t offset = 0;  ///< bytes into a target MD with kManageRemote; elsewhere unused
  Nid self;                  ///< the source NID; any: LNet chooses
};

/// How far a NID is (spec/core-semantics.md 2.4).
struct Distance {
  /// 0: a NID of this node (1 with the parameter local_nid_dist_zero=0); 1: a NID on one of its
  /// nets; more: the fewest hops of the routes to its net, and 1.
  int hops = 0;
  Nid source;  ///< the local NID that would be used
  /// Among NIDs at the same distance, the one with the smallest order is preferred: 0 for 0@lo, 1
  /// for other NIDs of this node; from 2 on, in the order of the NIs, for NIDs on their nets; then
  /// for NIDs that routes lead to.
  std::uint32_t order = 0;
};

/// A NID of this node, and whether its NI can be used now.
struct LocalNid {
  Nid nid;
  bool up = true;
};

/// The first line of LNet's `stats` file, in its order (spec/core-semantics.md 9). Counted since
/// the node started: messages, and bytes for *_length. msgs_alloc is the number of messages that
/// exist now, msgs_max the largest number there were.
struct Counters {
  std::uint64_t msgs_alloc = 0, msgs_max = 0, errors = 0, send_count = 0, recv_count = 0,
                route_count = 0, drop_count = 0, send_length = 0, recv_length = 0, route_length = 0,
                drop_length = 0;
};

/// The arguments of ping(), which reads them before it returns.
struct PingRequest {
  ProcessId target;  ///< a PID of "any" means 12345
  Nid source;        ///< the NID to ping from; any: LNet chooses
  std::chrono::nanoseconds timeout = std::chrono::seconds(1);
};
/// The peer's ping info.
struct PingReply {
  Nid primary;  ///< the peer's primary NID as this node knows it
  bool multi_rail = false;
  Pid pid;
  std::uint32_t features = 0;  ///< feature bits (spec/wire-lnet.md 4.3)
  std::vector<Nid> nids;       ///< in the order the peer listed them, without 0@lo
};

class ULNET_EXPORT Lnet {
 public:
  virtual ~Lnet() = default;

  // Identity (spec/core-semantics.md 2.3, 2.4)
  /// The `index`-th NID of this node, 0@lo first, with its PID. With `large_ok` false, IPv6 NIDs
  /// are not counted. -ENOENT: there are fewer.
  virtual Result<ProcessId> get_id(unsigned index, bool large_ok) = 0;
  /// The distance to a NID. -EHOSTUNREACH: the target is on no net of this node, and no route leads
  /// to it.
  virtual Result<Distance> dist(const Nid& target) = 0;
  /// The index of the nearest of these NIDs of one node. Among equally near ones the one with the
  /// smallest order wins, then the first. -EHOSTUNREACH: none is on a net of this node, and no
  /// route leads to one. -EINVAL: `nids` is empty.
  Result<std::size_t> which_nid(std::span<const Nid> nids) {
    if (nids.empty()) return fail(-EINVAL, "no NIDs");
    Result<std::size_t> best = fail(-EHOSTUNREACH, "none of the NIDs is on a net of this node");
    Distance nearest;
    for (std::size_t i = 0; i < nids.size(); ++i) {
      const auto found = dist(nids[i]);
      if (!found && found.error().code != -EHOSTUNREACH)
        return tl::unexpected<Error>(found.error());
      if (!found) continue;
      const bool nearer = !best || found->hops < nearest.hops ||
                          (found->hops == nearest.hops && found->order < nearest.order);
      if (!nearer) continue;
      best = i;
      nearest = *found;
    }
    return best;
  }

  // Match entries and memory descriptors (3, 4)
  /// Puts an ME on `portal`. It matches messages whose initiator's primary NID and PID are
  /// `match_id` (or any), and whose match bits equal `match` wherever `ignore` has a 0. It matches
  /// nothing before md_attach() gives it an MD. -EINVAL: no such portal. -EPERM: the portal is
  /// LNet's own (0), or its MEs are of the other kind (one kind: each for one process, with no bit
  /// ignored; the other kind: all others). -ENOMEM: too many MEs.
  virtual Result<MeHandle> me_attach(Portal portal, const ProcessId& match_id, MatchBits match,
                                     MatchBits ignore, UnlinkMode unlink,
                                     InsertPosition position) = 0;
  /// The number of CPU partitions (13.1). Constant.
  virtual std::uint32_t cpts() const { return 1; }
  /// me_attach() at kLocal as if the caller ran on a CPU of partition `cpt`: for services that
  /// put buffers at every partition. -ERANGE: no such partition; else as me_attach().
  virtual Result<MeHandle> me_attach_at(std::uint32_t cpt, Portal portal, const ProcessId& match_id,
                                        MatchBits match, MatchBits ignore, UnlinkMode unlink) {
    if (cpt != 0) return fail(-ERANGE, "invalid CPT value");
    return me_attach(portal, match_id, match, ignore, unlink, InsertPosition::kLocal);
  }
  /// Gives `me` a passive MD: for PUTs with kOpPut, for GETs with kOpGet. -EINVAL: neither option,
  /// more than 256 fragments, a fragment without memory, max_size longer than the memory, a
  /// threshold below -1. -ENOMEM: too many MDs. -ENOENT: no such ME. -EBUSY: the ME has an MD, and
  /// keeps it. Any other error also removes the ME.
  virtual Result<MdHandle> md_attach(MeHandle me, const MdSpec& md, UnlinkMode unlink) = 0;
  /// Makes an active MD: the source of PUTs, the sink of GETs. -EINVAL: kOpPut or kOpGet, more than
  /// 1 MiB, or an MD that md_attach() refuses. -ENOMEM: too many MDs.
  virtual Result<MdHandle> md_bind(const MdSpec& md, UnlinkMode unlink) = 0;
  /// Unlinks an MD. An idle MD gets its UNLINK event before this call returns, and no handler call
  /// for it is running then. Inside a handler (of any MD) this call does not wait: the UNLINK event
  /// follows when that handler has returned. A busy MD ends with the last event of its operations,
  /// which has `unlinked`. -ENOENT: no such MD, or it is being unlinked.
  virtual Result<void> md_unlink(MdHandle md) = 0;

  // Moving data (6). Success means that the operation has begun. Events of the MD report how it
  // ends, also when the target cannot be reached: then kSend with a status.
  /// Sends the bytes of an MD. -ENOENT: no such MD, or it is attached or exhausted. -EINVAL: no
  /// such portal, or a target NID or PID of "any". -EIO: simulate_failure().
  virtual Result<void> put(const PutRequest& request) = 0;
  /// Fetches bytes into an MD. Errors: as put().
  virtual Result<void> get(const GetRequest& request) = 0;

  // Portals (7.1)
  /// From now on PUTs that find no MD on the portal wait for one, without a limit of time. On a
  /// lazy portal the call does nothing. -EINVAL: no such portal.
  virtual Result<void> set_lazy_portal(Portal portal) = 0;
  /// From now on PUTs that find no MD on the portal are dropped; those that wait are dropped now.
  /// -EINVAL: no such portal.
  virtual Result<void> clear_lazy_portal(Portal portal) = 0;

  /// Pings a node and waits for its ping info, at most `timeout`. -ETIMEDOUT: no answer came.
  /// -EINVAL: a target NID of "any", or a source that is no NID of this node. -EHOSTUNREACH: the
  /// target is on no net of this node. -EPROTO: the answer is invalid. -EIO: simulate_failure().
  /// Else the driver's error, such as -ECONNREFUSED. -EDEADLK inside a handler.
  virtual Result<PingReply> ping(const PingRequest& request) = 0;

  /// Discovers the peer that has `nid` (LNetDiscover, spec/multirail.md 4.7): fetches its NIDs by a
  /// ping, and pushes this node's NIDs to it. Waits for the end of both. The reply has the peer's
  /// NIDs as this node knows them then. `force`: a known peer is discovered again, for services
  /// that believe its NIDs to be out of date; if an administrator has configured that peer, the log
  /// says that the configuration may be wrong. -EPERM: the peer is configured, and advertises other
  /// NIDs; the configured NIDs stay. -ENOENT: the peer was deleted meanwhile. -EDEADLK inside a
  /// handler. -ETIMEDOUT, -EHOSTUNREACH, -EPROTO, and the driver's errors when the peer cannot be
  /// reached: as ping().
  virtual Result<PingReply> discover(const Nid&, bool /*force*/) { return not_here(); }

  // Other calls (15). An Lnet that has no peers answers -ENOSYS or false.
  /// True if this node has an NI on the NID's net.
  virtual bool is_peer_local(const Nid& nid) { return has_local_net(nid.net()); }
  /// True if this node has an NI on this net.
  virtual bool has_local_net(NetId) { return false; }
  /// The first usable NID of this node other than 0@lo. -ENOENT: no NID is usable.
  virtual Result<Nid> local_primary_nid() { return not_here(); }
  /// The primary NID of the peer that has this NID (LNetPrimaryNID); an unknown NID becomes a new
  /// peer. With the parameter lock_prim_nid, which is the default, the NID returned stays the
  /// peer's primary NID whatever discovery finds, and this call does not wait: discovery runs in
  /// the background. With lock_prim_nid=0 this call waits for discovery. Inside a handler, and if
  /// the peer cannot be reached, it returns the primary NID known so far.
  virtual Result<Nid> primary_nid(const Nid&) { return not_here(); }
  /// All NIDs of this node, 0@lo first.
  virtual Result<std::vector<LocalNid>> local_nids() { return not_here(); }
  /// Registers a function that LNet calls, like a handler, after an NI was added or removed, or its
  /// link went up or down. It replaces the function registered before; an empty function only
  /// removes that. A call of the previous function that has begun may still be running when this
  /// call returns.
  virtual Result<void> on_local_nids(std::function<void()>) { return not_here(); }
  /// The setting `discovery`.
  virtual bool discovery_on() { return false; }
  /// Declares a peer with these NIDs (LNetAddPeer). It has multi-rail. The first is its primary
  /// NID, which never changes with the parameter lock_prim_nid (the default). Other NIDs that
  /// discovery finds are merged, and are no error. -EINVAL: no NIDs, or one that no peer can have:
  /// "any", 0@lo, a NID of this node. -E2BIG: more than max_interfaces. -EEXIST: a NID of a peer
  /// that was configured with other NIDs. -EALREADY: the first one is a NID of a peer with another,
  /// locked primary NID. After an error nothing has changed.
  virtual Result<void> add_peer(std::span<const Nid>) { return not_here(); }
  /// Success: the information on the peer is up to date (LNetPeerDiscovered). -EAGAIN: the peer is
  /// not known, and discovery begins now. -EALREADY: discovery is under way. -ENETRESET: the
  /// information is out of date, and discovery begins now. -EHOSTUNREACH: the last discovery has
  /// failed.
  virtual Result<void> peer_discovered(const Nid&) { return not_here(); }
  /// Logs this node's state of the peer that has this NID (NodeOptions::log, level 1).
  virtual void debug_peer(const Nid&) {}
  /// Fault injection (LNetFail): the next `messages` messages to or from `peer` fail: those to it
  /// with -EIO, and those from it are dropped. NID any: every peer. Each CPU partition counts its
  /// own messages. -1: all messages. 0: no more. -EINVAL: less than -1.
  virtual Result<void> simulate_failure(const Nid& /*peer*/, std::int32_t /*messages*/) {
    return not_here();
  }

  /// Runs `fn` once, like a handler, after `delay`; never, if the node stops before that.
  virtual void after(std::chrono::nanoseconds delay, std::function<void()> fn) = 0;
  /// The counters of this node; all zero when it is down.
  virtual Counters counters() = 0;
  /// Inline mode: moves bytes and runs handlers until something has happened or `wait` has passed
  /// (0: looks once). True if something happened. In other modes, and inside a handler, it does
  /// nothing and returns false.
  virtual bool progress(std::chrono::nanoseconds wait) = 0;
  /// True in inline mode: bytes move only inside progress() and calls that wait. Constant.
  virtual bool polled() const { return false; }
  /// True if the calling thread is running a handler: there, a call that waits returns -EDEADLK.
  virtual bool in_handler() const { return false; }
  /// The object that notifies descriptors and event queues when this Lnet is destroyed. Null: this
  /// Lnet outlives all of them.
  virtual std::shared_ptr<Lifetime> lifetime() { return nullptr; }

 private:
  static tl::unexpected<Error> not_here() { return fail(-ENOSYS, "this Lnet does not offer it"); }
};

}  // namespace ulnet
