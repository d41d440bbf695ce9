// The calls that a shard answers: one struct per call, arguments first, then what it fills in. A
// host wraps one in Input's Api and reads it after the step. Source:
// spec/core-semantics.md 2.3, 2.4, 3, 4, 6, 7.1, 9, 15, 16.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/ports.h"
#include "core/stats.h"

namespace ulnet::core {

namespace call {

// ---- match entries and memory descriptors (3, 4)

struct MeAttach {
  Portal portal;
  ProcessId match_id;
  MatchBits match, ignore;
  UnlinkMode unlink = UnlinkMode::kRetain;
  InsertPosition position = InsertPosition::kAfter;
  std::optional<std::uint32_t> local{};  ///< kLocal: the shard, when it is not the caller's
  bool claimed = false;                  ///< ClaimPortal was answered with 0
  MeHandle me{};                         ///< out
};
/// To a portal's home shard, before another shard attaches its first entry there: which is answered
/// with -EAGAIN otherwise. Fixes the portal's type (3).
struct ClaimPortal {
  Portal portal;
  ProcessId match_id;
  MatchBits ignore;
  std::uint32_t user = 0;  ///< the other shard
};
/// On any error the ME is gone too.
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
/// Waits: with status 0 the call goes on and ends with Done{ticket}, whose status may be
/// -ETIMEDOUT, -EHOSTUNREACH, -EPROTO (the answer makes no sense), -ESHUTDOWN, ... `primary` and
/// `multi_rail` come from the peer table, the NIDs from the answer.
struct Ping {
  PingRequest request;
  std::uint64_t ticket = 0;  ///< the caller's name for it
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
/// The first usable local NID; -ENOENT when there is none but 0@lo.
struct LocalPrimaryNid {
  Nid nid{};  ///< out
};
/// The primary NID of the peer that owns `nid`, as far as it is known here; else `nid` itself.
struct PrimaryNid {
  Nid nid;
  Nid primary{};  ///< out
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
  Counters counters{};  ///< out
};
struct NiRow {
  NiId id;
  Nid nid;
  NiStats stats;
};
/// One reason to drop or refuse and how often it was met since the last reset.
struct DropRow {
  const char* reason = "";  ///< static text
  std::uint64_t count = 0;
};
/// Everything a shard shows of itself, in the order of the configuration (NIs) and of creation
/// (peers).
struct Show {
  bool want_nis = true, want_peers = true;
  Nid peer{};                     ///< only the peer that owns this NID; any: all
  std::vector<NiRow> nis{};       ///< out
  std::vector<PeerShow> peers{};  ///< out; the loopback peer is not listed
  GlobalStats statistics{};       ///< out
  std::vector<DropRow> drops{};   ///< out: every reason, in a fixed order
};
struct ResetStats {};
/// Writing to the runtime files `nis` and `peers`: the lowest credits seen start anew.
struct ResetMinima {
  bool nis = true, peers = true;
};

// ---- administration

/// LNetFail (15): the next `threshold` messages to `nid` (any: all) fail with -EIO, those from it
/// are dropped. -1: for ever; 0: remove.
struct Fail {
  Nid nid;
  std::int32_t threshold = 0;
};
/// `net set --health` (spec/multirail.md 5.1): 0 to 1000. Any NID: all NIs but lo.
struct SetNiHealth {
  Nid nid;
  std::int32_t value = 1000;
};
struct SetPeerNiHealth {
  Nid nid;
  std::int32_t value = 1000;
};
/// `peer del` (spec/multirail.md 2.2): some NIDs of a peer, or all of it when `nids` is empty or
/// names the primary NID. Every shard says whether it can, then the control shard is asked once
/// more, with `decided` (core/among.h). -ENOENT: unknown; -ENODEV: not its primary NID; -ECHILD: a
/// NID of another peer; -EBUSY: messages to or from it are under way. Nothing is deleted on an
/// error. Connections stay, and the next message makes a new entry.
struct PeerDel {
  Nid primary;
  std::vector<Nid> nids{};
  bool decided = false;
  std::vector<Nid> gone{};  ///< out: the NIDs deleted
};
/// From here on puts, gets and pings are refused (-ESHUTDOWN); what waits fails with it, held
/// messages are dropped, the shard's own MDs go. Each NI reports Drained when nothing of the core's
/// is in flight on it. MDs of users stay until unlinked.
struct Shutdown {};

}  // namespace call

/// `status` is 0 or a negative errno, `reason` static text for people.
struct ApiCall {
  ApiCall() = default;
  /// Not an aggregate: those are zeroed to their end first, and the largest call is not small.
  template <class Call>
  explicit ApiCall(Call arguments) : body(std::in_place_type<Call>, std::move(arguments)) {}

  std::variant<call::Put, call::Get, call::MeAttach, call::MdAttach, call::MdBind, call::MdUnlink,
               call::Ping, call::SetLazy, call::ClearLazy, call::GetId, call::Dist,
               call::IsPeerLocal, call::HasLocalNet, call::LocalPrimaryNid, call::PrimaryNid,
               call::FetchNids, call::PeerDiscoveryStatus, call::GetCounters, call::Show,
               call::ResetStats, call::ResetMinima, call::Fail, call::SetNiHealth,
               call::SetPeerNiHealth, call::Shutdown, call::ClaimPortal, call::PeerDel>
      body;
  int status = 0;
  const char* reason = "";
};

}  // namespace ulnet::core
