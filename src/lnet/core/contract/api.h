// The calls that a shard answers: one struct per call, first its arguments, then its results
// (marked "out"). A host gives it to the shard in the input Api and reads the results after the
// step. call_among() says which shards answer which call. Source: spec/core-semantics.md 2.3,
// 2.4, 3, 4, 6, 7.1, 9, 15, 16.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "lnet/core/contract/fault.h"
#include "lnet/core/contract/path_explanation.h"
#include "lnet/core/contract/peer_card.h"
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
/// For a portal's home: shard `user` is going to attach its first entry on the portal. Fixes the
/// portal's type (3). Without it that shard answers MeAttach with -EAGAIN.
struct ClaimPortal {
  Portal portal;
  ProcessId match_id;
  MatchBits ignore;
  std::uint32_t user = 0;
};
/// After an error other than -ENOENT and -EBUSY the ME is gone too.
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
  std::uint64_t ticket = 0;  ///< the caller's name for the ping; comes back in Done
  /// The shard of the caller's CPU, which gives the Done. call_among() fills it in.
  std::uint32_t caller = 0;
};

/// LNetDiscover, `lnetctl discover` (spec/multirail.md 4.7). This call waits as Ping does; it ends
/// when the discovery does: with -EIO (the peer cannot be reached), -ETIMEDOUT, -EHOSTUNREACH (no
/// route), -EPROTO, -ENOENT (the peer was deleted meanwhile), -ESHUTDOWN. In the reply are the
/// peer's NIDs as this node knows them then.
struct Discover {
  Nid nid;
  bool force = false;  ///< also a peer that is known is asked, and told of this node
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
/// The first NID of this node that can be used, other than 0@lo. -ENOENT: there is none.
struct LocalPrimaryNid {
  Nid nid{};  ///< out
};
/// LNetPrimaryNID: the primary NID of the peer that has `nid`. A NID that nobody has becomes a
/// peer. With the parameter lock_prim_nid the primary NID stays what is told here, and what is not
/// known of the peer is found out later; without it the caller has to wait for that.
struct PrimaryNid {
  Nid nid;
  Nid primary{};           ///< out
  bool unsettled = false;  ///< out: a Discover of `nid` comes first, then this call again
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
/// What a node keeps for others in the core, of the memory budget (lnet/base/memory_budget.h).
struct KeptMemory {
  std::uint32_t answers = 0;       ///< ACKs and REPLYs that wait
  std::uint32_t most_answers = 0;  ///< ever; of several shards the sum of what each had
  std::uint64_t buffer_bytes = 0;  ///< of a router's buffers that are allocated
};
/// All that a shard shows of itself. NIs are in the order of the configuration, peers in that of
/// their creation.
struct Show {
  bool want_nis = true, want_peers = true;
  Nid peer{};                     ///< only the peer that has this NID; any: all
  std::vector<Nid> nids{};        ///< only peers with these NIDs, of each all; empty: all
  std::vector<NiRow> nis{};       ///< out
  std::vector<PeerShow> peers{};  ///< out; the loopback peer is not listed
  GlobalStats statistics{};       ///< out
  std::vector<DropRow> drops{};   ///< out: every reason, in a fixed order
  LateMessages late{};            ///< out
  KeptMemory kept{};              ///< out
  std::uint32_t ping_sequence{};  ///< out: of this node's ping info; 0: it has none yet
};
// What a list of peers that is made in parts asks for (peer_list.h).
/// The NIDs of the next peers of the directory, in the order of creation.
struct NextPeers {
  PeerPlace place{};        ///< in: where to go on; out: for the next part
  std::uint32_t most = 16;  ///< NIDs, but no peer's are cut
  std::vector<Nid> nids{};  ///< out; empty: there are no more
};
/// The NIDs of the next peer NIs of one shard but 0@lo.
struct NextPeerNis {
  std::uint32_t shard = 0;
  std::uint32_t slot = 0;   ///< in: where to go on; out: for the next part
  std::uint32_t most = 16;  ///< NIDs
  std::vector<Nid> nids{};  ///< out; empty: there are no more
};
/// Leaves of some NIDs those that no peer of the directory has.
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

/// LNetFail (15): of the next `threshold` messages to or from `nid` (any: every NID), those to it
/// fail with -EIO, those from it are dropped. -1: all messages; 0: no more. Each shard counts its
/// own.
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
/// `peer del` (spec/multirail.md 2.2): deletes some NIDs of a peer, or the whole peer if `nids`
/// is empty or names the primary NID. First every shard says whether it agrees; then the control
/// shard, called once more with `decided`, deletes (call_fanout.h). -ENOENT: no such peer or NID.
/// -ENODEV: `primary` is not the primary NID of its peer. -ECHILD: a NID of another peer. -EBUSY:
/// messages to or from the peer are under way. After an error nothing is deleted. Connections
/// stay, and the next message makes a new entry.
struct PeerDel {
  Nid primary;
  std::vector<Nid> nids{};
  bool force = false;  ///< also a locked primary NID, which stays otherwise
  bool decided = false;
  std::vector<Nid> gone{};  ///< out: the NIDs deleted
};
/// `fault drop|delay add`. The rule is settled(), and its seed drawn. -ENOSPC: limits::kFaultRules
/// are there.
struct FaultAdd {
  FaultRule rule;
};
/// `fault drop|delay del`: the rules with exactly this source and destination; none: any. Messages
/// that they hold go on at once. -ENOENT: there is no such rule.
struct FaultDel {
  FaultRule::Kind kind = FaultRule::Kind::kDrop;
  std::optional<FaultNids> source{}, destination{};
  std::size_t gone = 0;  ///< out: how many
};
/// `fault drop|delay reset`: counters go to 0.
struct FaultReset {
  FaultRule::Kind kind = FaultRule::Kind::kDrop;
};
/// In the order in which the rules are asked.
struct FaultShow {
  std::vector<FaultRow> rows{};  ///< out
};
/// `debug recovery` (spec/cli-lnetctl.md 4.10): the NIDs of this node's NIs in recovery, or those
/// of its peers' NIs, in the order in which they became unwell; those of peers by partition.
struct ShowRecovery {
  bool local = true;
  std::vector<Nid> nids{};  ///< out
};
/// From now on the shard refuses every call with -ESHUTDOWN, but MdUnlink and those that only show
/// something. Messages that wait for a credit fail with -ESHUTDOWN, held messages are dropped, the
/// shard's own MDs are unlinked. Each NI reports Drained when no message names it any more. MDs of
/// users stay until they are unlinked.
struct Shutdown {};

/// `ulnetctl debug path`: which path a user's next PUT or GET would take, and why. Takes no turn.
/// -EINVAL: no target, or one that is "any".
struct ExplainPath {
  Nid to;
  Nid from;  ///< the NI that the caller names; any: LNet chooses
  /// The shard where the message begins, whose view it is, and the partition of its memory. None:
  /// the home of `to`, and memory of which nothing is known.
  std::optional<std::uint32_t> cpt{};
  std::uint32_t shard = 0;       ///< out: that shard
  bool known = false;            ///< out: it knows something of `to`
  bool multi_rail = false;       ///< out: the peer that has `to` is known to have multi-rail
  bool waits = false;            ///< out: the message waits first until the peer is discovered
  int path_status = 0;           ///< out: 0, or why there is no path: -EINVAL, -EHOSTUNREACH, ...
  const char* path_reason = "";  ///< out: the same in words
  Nid source{};                  ///< out: the NI; any: the home of `hop` picks it, another shard
  Nid hop{};                     ///< out: the NID that the message goes to
  Explanation why{};             ///< out
};
/// `peer add` (spec/multirail.md 2.2): a peer is made, or gets these NIDs. A NID that another peer
/// keeps although neither refuses the call is noted, and both peers have the state BAD_CONFIG.
///  -EINVAL: a NID that is no peer's: any, 0@lo, one of this node's own besides the primary one
///  -E2BIG: more than 128 NIDs
///  -EEXIST: a NID of another configured peer; the primary NID of a locked one
///  -EALREADY: another NID of a locked peer
///  -EPERM: the peer is configured with the other value of `multi_rail`
///  -ENOTUNIQ: a peer without multi-rail has one NID on each net
///  -ENOENT, -ENODEV: with `only_add`, `primary` is no configured peer's, or not its primary NID
/// After an error nothing has changed. The primary NID 0@lo is accepted, and nothing is done.
struct PeerAdd {
  Nid primary;
  std::vector<Nid> nids{};
  bool multi_rail = true;
  bool lock_primary = false;
  bool only_add = false;  ///< the peer has to be there
};
/// LNetAddPeer: a service above LNet declares a peer with multi-rail that has these NIDs, the first
/// as its primary NID, which is locked with the parameter lock_prim_nid. -EINVAL: none, or one that
/// is no peer's. -E2BIG: more than max_interfaces. -EEXIST: a NID of a peer that is configured with
/// others. -EALREADY: the first one is a NID of a locked peer that has another primary NID.
struct DeclarePeer {
  std::vector<Nid> nids;
};
/// LNetPeerDiscovered. Status 0: what is known of the peer is up to date. -EAGAIN: its discovery
/// begins now. -EALREADY: it is under way. -ENETRESET: what was known is out of date, and its
/// discovery begins now. -EHOSTUNREACH: its last discovery has failed.
struct PeerDiscovered {
  Nid nid;
};
/// `peer set --state`: the state bits of the peer that has `nid` (spec/multirail.md 1.1). Those
/// that say what is under way are not set. -ENOENT: no such peer. -EINVAL: bits that there are not.
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
/// lnet_notify (spec/multirail.md 8): the driver of `ni`, or an administrator, says that the peer
/// NI is up, or down. Ignored are NIDs that nobody has, a "down" from before the last message,
/// and one of a driver with auto_down=0.
struct NotifyPeer {
  Nid nid;
  bool alive = true;
  bool reset = false;            ///< its health is full again, and a gateway is alive
  NiId ni;                       ///< whose driver says it; 0: an administrator
  std::int64_t seconds_ago = 0;  ///< -EINVAL: below 0
};

}  // namespace call

/// One call with its result: `status` is 0 or a negative errno, `reason` a static text for people.
/// It is copied, moved and destroyed in api.cc: in each source a compiler needs a second for that.
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

}  // namespace ulnet::core
