// The calls that a shard answers: one struct per call, first its arguments, then its results
// (marked "out"). A host gives a call to the shard in the input Api and reads the results after the
// step. call_among() says which shards answer which call. Source: spec/core-semantics.md 2.3, 2.4,
// 3, 4, 6, 7.1, 9, 15, 16.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "lnet/core/contract/fault.h"
#include "lnet/core/contract/path_explanation.h"
#include "lnet/core/contract/peer_entry.h"
#include "lnet/core/contract/ports.h"
#include "lnet/core/contract/route_show.h"
#include "lnet/core/contract/stats.h"

namespace ulnet::core {

namespace call {

// ---- match entries and memory descriptors (3, 4)

struct MeAttach {
  Portal portal;
  ProcessId match_id;
  MatchBits match, ignore;
  UnlinkMode unlink = UnlinkMode::kRetain;
  InsertPosition position = InsertPosition::kAfter;
  std::optional<std::uint32_t> local{};  ///< kLocal: the shard; none: that of the caller's CPU
  bool claimed = false;                  ///< ClaimPortal has succeeded
  MeHandle me{};                         ///< out
};
/// Notifies a portal's owner shard that shard `user` is going to attach its first ME on the portal.
/// The call fixes the portal's type (3). Without this call shard `user` answers MeAttach with
/// -EAGAIN.
struct ClaimPortal {
  Portal portal;
  ProcessId match_id;
  MatchBits ignore;
  std::uint32_t user = 0;
};
/// An error other than -ENOENT and -EBUSY also removes the ME.
struct MdAttach {
  MeHandle me;
  MdSpec spec;
  UnlinkMode unlink = UnlinkMode::kRetain;
  MdHandle md{};  ///< out
};
struct MdBind {
  MdSpec spec;
  UnlinkMode unlink = UnlinkMode::kRetain;
  MdHandle md{};  ///< out
};
struct MdUnlink {
  MdHandle md;
};

// ---- moving data (6)

struct Put {
  PutRequest request;
};
struct Get {
  GetRequest request;
};
/// This call waits: status 0 means that the ping has begun. It ends with Done{ticket}, with
/// status 0 or -ETIMEDOUT, -EHOSTUNREACH, -EPROTO (the peer's answer cannot be read), -ESHUTDOWN,
/// or the driver's error. In the reply `primary` and `multi_rail` come from this node's peer
/// table, the NIDs from the peer.
struct Ping {
  PingRequest request;
  std::uint64_t ticket = 0;  ///< chosen by the caller; returned in Done
  /// The shard of the caller's CPU, which issues the Done. call_among() fills it in.
  std::uint32_t caller = 0;
};

/// LNetDiscover, `lnetctl discover` (spec/multirail.md 4.7). This call waits as Ping does. It ends
/// when the discovery ends: with 0, -EIO (the peer cannot be reached), -ETIMEDOUT, -EHOSTUNREACH
/// (no route), -EPROTO, -ENOENT (the peer was deleted meanwhile), -ESHUTDOWN. The reply has the
/// peer's NIDs as this node knows them then.
struct Discover {
  Nid nid;
  bool force = false;  ///< pings a known peer too, and pushes to it
  std::uint64_t ticket = 0;
  std::uint32_t caller = 0;  ///< as in Ping
};

// ---- portals (7.1)

struct SetLazy {
  Portal portal;
};
struct ClearLazy {
  Portal portal;
};

// ---- identity and reach (2.3, 2.4, 15)

struct GetId {
  unsigned index = 0;
  bool large_ok = false;
  ProcessId id{};  ///< out
};
struct Dist {
  Nid target;
  Distance distance{};  ///< out
};
struct IsPeerLocal {
  Nid nid;
  bool local = false;  ///< out
};
struct HasLocalNet {
  NetId net;
  bool present = false;  ///< out
};
/// The first usable NID of this node other than 0@lo. -ENOENT: no NID is usable.
struct LocalPrimaryNid {
  Nid nid{};  ///< out
};
/// LNetPrimaryNID: the primary NID of the peer that has `nid`. A NID that no peer has becomes a
/// peer. With the parameter lock_prim_nid the primary NID returned here never changes, and the peer
/// is discovered later. Without it the caller has to wait for the discovery.
struct PrimaryNid {
  Nid nid;
  Nid primary{};           ///< out
  bool unsettled = false;  ///< out: Discover `nid` first, then call again
};
struct FetchNids {
  std::vector<LocalNid> nids{};  ///< out
};
struct PeerDiscoveryStatus {
  bool on = false;  ///< out
};

// ---- what is counted and shown (9, 16)

/// The numbers of the runtime file `stats`.
struct GetCounters {
  GlobalStats statistics{};  ///< out
};
struct NiRow {
  NiId id;
  Nid nid;
  NiStats stats;
};
/// How many messages were dropped or refused for one reason since the last reset.
struct DropRow {
  const char* reason = "";  ///< static text
  std::uint64_t count = 0;
};
/// What the core keeps for other nodes, within the memory budget (lnet/base/memory_budget.h).
struct KeptMemory {
  std::uint32_t answers = 0;       ///< ACKs and REPLYs that wait
  std::uint32_t most_answers = 0;  ///< the most so far; merged: the sum over the shards
  std::uint64_t buffer_bytes = 0;  ///< of a router's buffers that are allocated
};
/// All that a shard shows. NIs are in the order of the configuration, peers in that of their
/// creation.
struct Show {
  bool want_nis = true, want_peers = true;
  Nid peer{};  ///< only the peer that has this NID; any: all
  /// Only peers with these NIDs, each with all its NIDs; empty: all.
  std::vector<Nid> nids{};
  std::vector<NiRow> nis{};       ///< out
  std::vector<PeerShow> peers{};  ///< out; the loopback peer is not listed
  GlobalStats statistics{};       ///< out
  std::vector<DropRow> drops{};   ///< out: every reason, in a fixed order
  LateMessages late{};            ///< out
  KeptMemory kept{};              ///< out
  std::uint32_t ping_sequence{};  ///< out: of this node's ping info; 0: it has none yet
};
// The calls by which PeerList fetches peers a few at a time (peer_list.h).
/// The NIDs of the next peers of the directory, in the order of creation.
struct NextPeers {
  PeerPlace place{};        ///< in: where to continue; out: for the next part
  std::uint32_t most = 16;  ///< NIDs; those of one peer are not split
  std::vector<Nid> nids{};  ///< out; empty: there are no more
};
/// The NIDs, except 0@lo, of the next peer NIs of one shard.
struct NextPeerNis {
  std::uint32_t shard = 0;
  std::uint32_t slot = 0;   ///< in: where to continue; out: for the next part
  std::uint32_t most = 16;  ///< NIDs
  std::vector<Nid> nids{};  ///< out; empty: there are no more
};
/// Removes from a list the NIDs of the directory's peers.
struct NidsOfNoPeer {
  std::vector<Nid> nids;  ///< in and out
};
struct ResetStats {};
/// Sets the lowest credits seen to the present ones, as writing to the runtime files `nis` and
/// `peers` does.
struct ResetMinima {
  bool nis = true, peers = true;
};

// ---- administration

/// LNetFail (spec/core-semantics.md 15). The next `threshold` messages to or from `nid` fail: those
/// to it end with -EIO, those from it are dropped. Both count for the one threshold. NID any: every
/// NID. Threshold -1: all messages; 0: no more messages. Each shard counts its own messages.
struct Fail {
  Nid nid;
  std::int32_t threshold = 0;
};
/// `net set --health` (spec/multirail.md 5.1), 0 to 1000. NID any: all NIs but 0@lo.
struct SetNiHealth {
  Nid nid;
  std::int32_t value = 1000;
};
/// `peer set --health`, 0 to 1000. -ENOENT: no such peer NI.
struct SetPeerNiHealth {
  Nid nid;
  std::int32_t value = 1000;
};
/// `peer del` (spec/multirail.md 2.2): deletes some NIDs of a peer, or the whole peer if `nids` is
/// empty or names the primary NID. First every shard answers whether it agrees. Then the control
/// shard is called once more, with `decided`, and deletes (call_fanout.h). -ENOENT: no such peer or
/// NID. -ENODEV: `primary` is not the primary NID of its peer. -ECHILD: a NID of another peer.
/// -EBUSY: messages to or from the peer are under way. After an error nothing is deleted.
/// Connections stay, and the next message makes a new peer.
struct PeerDel {
  Nid primary;
  std::vector<Nid> nids{};
  bool force = false;  ///< deletes a locked primary NID too
  bool decided = false;
  std::vector<Nid> gone{};  ///< out: the NIDs deleted
};
/// `fault drop|delay add`. The caller has applied settled() to the rule and drawn its seed.
/// -ENOSPC: the node has limits::kFaultRules rules.
struct FaultAdd {
  FaultRule rule;
};
/// `fault drop|delay del`: deletes the rules with exactly this source and destination. An absent
/// source or destination stands for any. Messages that these rules delay are released at once.
/// -ENOENT: there is no such rule.
struct FaultDel {
  FaultRule::Kind kind = FaultRule::Kind::kDrop;
  std::optional<FaultNids> source{}, destination{};
  std::size_t gone = 0;  ///< out: the number of rules deleted
};
/// `fault drop|delay reset`: sets the counters of these rules to 0.
struct FaultReset {
  FaultRule::Kind kind = FaultRule::Kind::kDrop;
};
/// `fault show`: the rules in the order in which they are applied.
struct FaultShow {
  std::vector<FaultRow> rows{};  ///< out
};
/// `debug recovery` (spec/cli-lnetctl.md 4.10): the NIDs of this node's NIs in recovery, or of its
/// peers' NIs in recovery, in the order in which their recovery began. The NIDs of peers are listed
/// by partition.
struct ShowRecovery {
  bool local = true;
  std::vector<Nid> nids{};  ///< out
};
/// From now on the shard refuses every call with -ESHUTDOWN, except MdUnlink and calls that only
/// show something. Messages that wait for a credit fail with -ESHUTDOWN, held messages are dropped,
/// the shard's own MDs are unlinked. The shard issues Drained for each NI when no message names the
/// NI any more. MDs of users stay until they are unlinked.
struct Shutdown {};

/// `ulnetctl debug path`: which path a user's next PUT or GET would take, and why. It does not
/// advance the round robin. -EINVAL: no target, or one that is "any".
struct ExplainPath {
  Nid to;
  Nid from;  ///< the NI that the caller names; any: LNet chooses
  /// The shard where the message begins, and the partition of the message's memory. The answer is
  /// computed from the values of that shard. None: the owner shard of `to`, and memory of unknown
  /// partition.
  std::optional<std::uint32_t> cpt{};
  std::uint32_t shard = 0;       ///< out: the shard where the message begins
  bool known = false;            ///< out: that shard knows `to`
  bool multi_rail = false;       ///< out: the peer that has `to` is known to have multi-rail
  bool waits = false;            ///< out: the message waits first until the peer is discovered
  int path_status = 0;           ///< out: 0, or why there is no path: -EINVAL, -EHOSTUNREACH, ...
  const char* path_reason = "";  ///< out: why there is no path, in words
  Nid source{};                  ///< out: the NI; any: another shard, the owner of `hop`, picks it
  Nid hop{};                     ///< out: the NID that the message goes to
  Explanation why{};             ///< out
};
/// `peer add` (spec/multirail.md 2.2): makes a peer, or gives it these NIDs. If another peer keeps
/// one of the NIDs and the call succeeds, a Note says so, and both peers get the state BAD_CONFIG.
///  -EINVAL: a NID that no peer can have: any, 0@lo, one of this node's NIDs except its primary NID
///  -E2BIG: more than 128 NIDs
///  -EEXIST: a NID of another configured peer; the primary NID of a locked peer
///  -EALREADY: another NID of a locked peer
///  -EPERM: the peer is configured with the other value of `multi_rail`
///  -ENOTUNIQ: a peer without multi-rail has one NID on each net
///  -ENOENT: `only_add`, and no configured peer has `primary`
///  -ENODEV: `only_add`, and `primary` is not the primary NID of its peer
/// After an error nothing has changed. The primary NID 0@lo is accepted, and nothing changes.
struct PeerAdd {
  Nid primary;
  std::vector<Nid> nids{};
  bool multi_rail = true;
  bool lock_primary = false;
  bool only_add = false;  ///< the peer has to exist
};
/// LNetAddPeer: a service above LNet declares a peer with multi-rail that has these NIDs. The first
/// one becomes the peer's primary NID, and with the parameter lock_prim_nid it is locked. -EINVAL:
/// no NID, or a NID that no peer can have. -E2BIG: more than max_interfaces. -EEXIST: a NID of a
/// peer that is configured with other NIDs. -EALREADY: the first NID belongs to a locked peer that
/// has another primary NID.
struct DeclarePeer {
  std::vector<Nid> nids;
};
/// LNetPeerDiscovered: whether this node has discovered the peer that has `nid`. Status 0: the
/// information on the peer is up to date. -EAGAIN: its discovery begins now. -EALREADY: its
/// discovery is under way. -ENETRESET: the information is out of date, and its discovery begins
/// now. -EHOSTUNREACH: its last discovery has failed.
struct PeerDiscovered {
  Nid nid;
};
/// `peer set --state`: the state bits of the peer that has `nid` (spec/multirail.md 1.1). The bits
/// for steps that are under way cannot be set. -ENOENT: no such peer. -EINVAL: unknown bits.
struct SetPeerState {
  Nid nid;
  std::uint32_t state = 0;
};
/// `peer set --all --health`, 0 to 1000: SetPeerNiHealth of all peer NIs.
struct SetPeersHealth {
  std::int32_t value = 1000;
};

// ---- routing (spec/multirail.md 9)

/// `route show`, the runtime files `routes` and `routers`: the routes by net, in their order, and
/// their gateways.
struct ShowRoutes {
  std::vector<RouteRow> routes{};      ///< out
  std::vector<GatewayRow> gateways{};  ///< out
};
/// `routing show`, the runtime file `buffers`. Pools by shard, then from the smallest buffers.
struct ShowRouting {
  RoutingState state{};          ///< out: of the control shard
  std::vector<PoolRow> pools{};  ///< out
};
/// lnet_notify (spec/multirail.md 8): the driver of `ni`, or an administrator, reports that the
/// peer NI is up, or down. The node ignores NIDs that no peer has, a "down" that is older than the
/// last message, and a driver's "down" with auto_down=0.
struct NotifyPeer {
  Nid nid;
  bool alive = true;
  bool reset = false;            ///< sets its health to kHealthMax, and a gateway to alive
  NiId ni;                       ///< whose driver reports it; 0: an administrator
  std::int64_t seconds_ago = 0;  ///< -EINVAL: below 0
};

}  // namespace call

/// One call with its result: `status` is 0 or a negative errno, `reason` a static text that users
/// read. Its copy, move and destruction are compiled in api.cc only, because a compiler needs a
/// second for them in each source file that has them.
struct ApiCall {
  ApiCall();
  ApiCall(const ApiCall&);
  ApiCall(ApiCall&&) noexcept;
  ApiCall& operator=(const ApiCall&);
  ApiCall& operator=(ApiCall&&) noexcept;
  ~ApiCall();
  /// A constructor, because an aggregate would first be zeroed up to the size of the largest
  /// call, which costs time.
  template <class Call>
  explicit ApiCall(Call arguments) : body(std::in_place_type<Call>, std::move(arguments)) {}

  std::variant<call::Put, call::Get, call::MeAttach, call::MdAttach, call::MdBind, call::MdUnlink,
               call::Ping, call::Discover, call::SetLazy, call::ClearLazy, call::GetId, call::Dist,
               call::IsPeerLocal, call::HasLocalNet, call::LocalPrimaryNid, call::PrimaryNid,
               call::FetchNids, call::PeerDiscoveryStatus, call::GetCounters, call::Show,
               call::NextPeers, call::NextPeerNis, call::NidsOfNoPeer, call::ResetStats,
               call::ResetMinima, call::Fail, call::SetNiHealth, call::SetPeerNiHealth,
               call::Shutdown, call::ClaimPortal, call::PeerDel, call::FaultAdd, call::FaultDel,
               call::FaultReset, call::FaultShow, call::ExplainPath, call::ShowRecovery,
               call::PeerAdd, call::DeclarePeer, call::PeerDiscovered, call::SetPeerState,
               call::SetPeersHealth, call::ShowRoutes, call::ShowRouting, call::NotifyPeer>
      body;
  int status = 0;
  const char* reason = "";
};

/// Has `host` answer the call with its function answer(ApiCall&). Returns the call with its
/// results, or the error.
template <class Host, class Body>
Result<Body> ask(Host& host, Body body) {
  ApiCall call{std::move(body)};
  if (auto done = host.answer(call); !done) return tl::unexpected<Error>(std::move(done.error()));
  return std::get<Body>(std::move(call.body));
}

}  // namespace ulnet::core
