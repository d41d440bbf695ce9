// Decides which shard answers an API call, and merges the answers when all shards answer it.
// Source: spec/core-semantics.md 3, 7, 13.2, DESIGN.md 3.
#include "lnet/core/contract/call_fanout.h"

#include <algorithm>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "lnet/base/assert.h"
#include "lnet/core/contract/cookie.h"

namespace ulnet::core {

namespace {

// ---- which shard answers

/// Every shard answers the call.
struct EveryShard {
  operator std::optional<std::uint32_t>() const { return {}; }
};

/// The shard that answers a call, or EveryShard. A call without an overload here does not compile.
struct Where {
  const Placement& placement;
  const std::uint32_t caller;
  using Shard = std::uint32_t;

  Shard of_cookie(std::uint64_t cookie) const {
    const std::uint32_t shard = shard_of_cookie(cookie);
    return shard < placement.shards() ? shard : caller;
  }
  Shard owner_of(Portal portal) const {
    return portal.index < limits::kPortals ? placement.owner_of(portal) : caller;
  }

  Shard operator()(const call::Put& call) const { return of_cookie(call.request.md.cookie); }
  Shard operator()(const call::Get& call) const { return of_cookie(call.request.md.cookie); }
  Shard operator()(const call::MeAttach& call) const {
    if (call.portal.index >= limits::kPortals) return caller;
    return placement.of_entry(call.portal, call.match_id, call.ignore, call.position,
                              call.local.value_or(caller));
  }
  Shard operator()(const call::ClaimPortal& call) const { return owner_of(call.portal); }
  Shard operator()(const call::MdAttach& call) const { return of_cookie(call.me.cookie); }
  Shard operator()(const call::MdBind&) const { return caller; }
  Shard operator()(const call::MdUnlink& call) const { return of_cookie(call.md.cookie); }
  Shard operator()(const call::SetLazy& call) const { return owner_of(call.portal); }
  Shard operator()(const call::ClearLazy& call) const { return owner_of(call.portal); }
  Shard operator()(const call::SetPeerNiHealth& call) const { return placement.of(call.nid); }
  Shard operator()(const call::ExplainPath& call) const {
    return std::min(call.cpt.value_or(placement.of(call.to)), placement.shards() - 1);
  }

  // The control shard sends the node's pings, owns the health of NIs and knows who the peers are.
  Shard operator()(const call::Ping&) const { return kControlShard; }
  Shard operator()(const call::Discover&) const { return kControlShard; }
  Shard operator()(const call::GetId&) const { return kControlShard; }
  Shard operator()(const call::Dist&) const { return kControlShard; }
  Shard operator()(const call::IsPeerLocal&) const { return kControlShard; }
  Shard operator()(const call::HasLocalNet&) const { return kControlShard; }
  Shard operator()(const call::LocalPrimaryNid&) const { return kControlShard; }
  Shard operator()(const call::PrimaryNid&) const { return kControlShard; }
  Shard operator()(const call::FetchNids&) const { return kControlShard; }
  Shard operator()(const call::PeerDiscoveryStatus&) const { return kControlShard; }
  Shard operator()(const call::SetNiHealth&) const { return kControlShard; }
  Shard operator()(const call::PeerAdd&) const { return kControlShard; }
  Shard operator()(const call::DeclarePeer&) const { return kControlShard; }
  Shard operator()(const call::PeerDiscovered&) const { return kControlShard; }
  Shard operator()(const call::SetPeerState&) const { return kControlShard; }
  Shard operator()(const call::ShowRoutes&) const { return kControlShard; }
  Shard operator()(const call::NidsOfNoPeer&) const { return kControlShard; }
  Shard operator()(const call::NextPeers&) const { return kControlShard; }
  Shard operator()(const call::NextPeerNis& call) const { return call.shard; }

  // The owner shard of the peer NI reports to the control shard if the peer NI is a gateway's.
  Shard operator()(const call::NotifyPeer& call) const { return placement.of(call.nid); }

  EveryShard operator()(const call::GetCounters&) const { return {}; }
  EveryShard operator()(const call::Show&) const { return {}; }
  EveryShard operator()(const call::ResetStats&) const { return {}; }
  EveryShard operator()(const call::ResetMinima&) const { return {}; }
  EveryShard operator()(const call::Fail&) const { return {}; }
  EveryShard operator()(const call::Shutdown&) const { return {}; }
  EveryShard operator()(const call::PeerDel&) const { return {}; }
  EveryShard operator()(const call::FaultAdd&) const { return {}; }
  EveryShard operator()(const call::FaultDel&) const { return {}; }
  EveryShard operator()(const call::FaultReset&) const { return {}; }
  EveryShard operator()(const call::FaultShow&) const { return {}; }
  EveryShard operator()(const call::ShowRecovery&) const { return {}; }
  EveryShard operator()(const call::SetPeersHealth&) const { return {}; }
  EveryShard operator()(const call::ShowRouting&) const { return {}; }
};
template <class Call>
concept AnsweredByOne = !std::same_as<std::invoke_result_t<const Where&, const Call&>, EveryShard>;

// ---- how answers are merged

void add(LatencySamples& into, const LatencySamples& from) {
  if (from.samples == 0) return;
  const std::uint64_t sum = into.samples * into.avg_nsec + from.samples * from.avg_nsec;
  into.min_nsec = into.samples == 0 ? from.min_nsec : std::min(into.min_nsec, from.min_nsec);
  into.max_nsec = std::max(into.max_nsec, from.max_nsec);
  into.samples += from.samples;
  into.avg_nsec = sum / into.samples;
}

void add(TrafficStats& into, const TrafficStats& from) {
  add(kTypeCounts, into.sent, from.sent);
  add(kTypeCounts, into.received, from.received);
  add(kTypeCounts, into.dropped, from.dropped);
  add(into.put_egress, from.put_egress);
  add(into.get_rtt, from.get_rtt);
  add(into.put_ack, from.put_ack);
}

/// The shards share the NI's credits, so they are added. The NI's health is that of the control
/// shard, which answers first. `base_refs`: the references that each shard counts without any
/// message.
void add(NiStats& into, const NiStats& from, std::uint32_t base_refs) {
  add(into.traffic, from.traffic);
  into.bytes.sent += from.bytes.sent;
  into.bytes.received += from.bytes.received;
  into.fatal_error = into.fatal_error || from.fatal_error;
  add(kNiErrors, into.errors, from.errors);
  into.credits_max += from.credits_max;
  into.credits += from.credits;
  into.credits_min += from.credits_min;
  into.refs += from.refs - base_refs;
}

/// The shard of a peer NI has its credits, health and counters (`own`: `from` is of that shard).
/// Other shards may show the peer NI too: the control shard shows its state, the shard of an MD
/// shows the times that it has measured, a previous owner shard shows the peer NI until it has
/// removed it. From the rows of these other shards the sum takes only the traffic. From the row of
/// the control shard, which answers first, it also takes the state of gateways' NIDs.
void add(PeerNiShow& into, const PeerNiShow& from, bool own) {
  const TrafficStats before = into.traffic;
  const char* const state_before = into.state;
  if (own) into = from;
  if (std::string_view(into.state) == "NA") into.state = state_before;
  add(into.traffic, own ? before : from.traffic);
}

void add(const Placement& placement, std::vector<PeerShow>& into, std::vector<PeerShow>&& from,
         std::uint32_t shard) {
  for (PeerShow& peer : from) {
    const auto known = std::find_if(into.begin(), into.end(), [&](const PeerShow& other) {
      return other.primary == peer.primary;
    });
    if (known == into.end()) {
      into.push_back(std::move(peer));
      continue;
    }
    for (PeerNiShow& ni : peer.nis) {
      const auto same = std::find_if(known->nis.begin(), known->nis.end(),
                                     [&](const PeerNiShow& other) { return other.nid == ni.nid; });
      if (same == known->nis.end())
        known->nis.push_back(std::move(ni));
      else
        add(*same, ni, placement.of(ni.nid) == shard);
    }
  }
}

struct Merge {
  const Placement& placement;
  ApiCall& whole;
  ApiCall& from;
  const std::uint32_t shard;

  void operator()(call::Show& into) const {
    auto& answer = std::get<call::Show>(from.body);
    for (std::size_t i = 0; i < std::min(into.nis.size(), answer.nis.size()); ++i)
      add(into.nis[i].stats, answer.nis[i].stats, into.nis[i].nid.is_loopback() ? 2 : 1);
    add(placement, into.peers, std::move(answer.peers), shard);
    add(kGlobalStats, into.statistics, answer.statistics);
    add(kLateMessages, into.late, answer.late);
    into.kept.answers += answer.kept.answers;
    into.kept.most_answers += answer.kept.most_answers;
    into.kept.buffer_bytes += answer.kept.buffer_bytes;
    into.ping_sequence = std::max(into.ping_sequence, answer.ping_sequence);
    for (std::size_t i = 0; i < into.drops.size(); ++i)
      into.drops[i].count += answer.drops[i].count;
  }
  void operator()(call::GetCounters& into) const {
    add(kGlobalStats, into.statistics, std::get<call::GetCounters>(from.body).statistics);
  }
  /// The control shard, which answers first, says whether there is such a peer. Each shard says
  /// whether it has messages under way with that peer.
  void operator()(call::PeerDel&) const {
    if (from.status == 0 || (whole.status != 0 && whole.status != -ENOENT)) return;
    whole.status = from.status;
    whole.reason = from.reason;
  }
  /// All shards have the same rules in the same order; each has counted its own messages.
  void operator()(call::FaultShow& into) const {
    const auto& answer = std::get<call::FaultShow>(from.body);
    for (std::size_t i = 0; i < std::min(into.rows.size(), answer.rows.size()); ++i) {
      into.rows[i].hits += answer.rows[i].hits;
      add(kTypeCounts, into.rows[i].matched, answer.rows[i].matched);
    }
  }
  void operator()(call::ShowRecovery& into) const {
    const auto& more = std::get<call::ShowRecovery>(from.body).nids;
    into.nids.insert(into.nids.end(), more.begin(), more.end());
  }
  /// The state is that of the control shard, which answers first.
  void operator()(call::ShowRouting& into) const {
    const auto& more = std::get<call::ShowRouting>(from.body).pools;
    into.pools.insert(into.pools.end(), more.begin(), more.end());
  }
  // The answer is the same in all shards.
  void operator()(call::FaultAdd&) const {}
  void operator()(call::FaultDel&) const {}
  void operator()(call::FaultReset&) const {}
  void operator()(call::ResetStats&) const {}
  void operator()(call::ResetMinima&) const {}
  void operator()(call::Fail&) const {}
  void operator()(call::Shutdown&) const {}
  void operator()(call::SetPeersHealth&) const {}
  template <AnsweredByOne Call>
  void operator()(Call&) const {
    ULNET_ASSERT(false);
  }
};

}  // namespace

std::optional<std::uint32_t> shard_of(const Placement& placement, const ApiCall& call,
                                      std::uint32_t caller) {
  return std::visit(
      [&](const auto& body) -> std::optional<std::uint32_t> {
        return Where{placement, caller}(body);
      },
      call.body);
}

void merge(const Placement& placement, ApiCall& into, ApiCall&& from, std::uint32_t shard) {
  std::visit(Merge{placement, into, from, shard}, into.body);
}

}  // namespace ulnet::core
