// What the control shard knows of the gateways that routes name: whether they answer, and which
// routes can be used. Pure: lnet/core/flow/router_check.h checks them,
// lnet/core/flow/gateway_news.h tells the shards. Source: spec/multirail.md 9.3, 9.4.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "lnet/core/contract/config.h"
#include "lnet/core/contract/gateway_card.h"
#include "lnet/core/contract/route_show.h"
#include "lnet/core/memory/shard_timer.h"
#include "lnet/core/path/known_peer.h"
#include "lnet/core/path/losses.h"
#include "lnet/core/path/ni.h"
#include "lnet/wire/ping_info.h"

namespace ulnet::core {

/// What this node, as a router, has found out of the routes to a net by a gateway: whether what
/// goes by them comes back to it. flow/routing_loops.h asks.
struct RoutingLoop {
  NetId net;
  bool closed = false;     ///< a ping has come back: the route is down
  std::uint32_t ping = 0;  ///< number of the ping that is under way; 0: none is
  /// Before that no message is a reason to ask, and a route that is down is not tried again.
  Instant due = Instant::min();
};

/// The timer fires when the next check is due.
struct KnownGateway : ShardTimer {
  KnownGateway() : ShardTimer(TimerKind::kRouterCheck) {}

  /// A net on which both this node and the gateway are.
  struct Near {
    NetId net;
    bool silent = false;  ///< the gateway is thought to be dead there
    /// By which of this node's NIs it was lost there, or could not be sent a check, since its last
    /// answer.
    Losses losses;
    std::uint32_t settled = 0;  ///< number of the newest check that says nothing any more
    std::uint32_t turn = 0;     ///< which of its NIDs there was checked last

    /// It is alive there; what checks up to `number` bring is void.
    void is_well(std::uint32_t number);
  };

  Nid nid;                     ///< by which the routes name it
  std::vector<NetId> nets;     ///< that routes reach by it
  std::vector<Near> near;      ///< of the last check
  bool alive = true;           ///< rule 1
  bool tried = false;          ///< it has answered a check, or one has failed
  std::vector<NetId> flagged;  ///< without discovery: routes there are down (rule 2)
  /// Nets of the routes on which it has NIDs, which were all down by its last answer. It counts
  /// without discovery only: else the directory has what the gateway told last.
  std::vector<NetId> far_down;
  std::vector<RoutingLoop> loops;  ///< what was found out, as a router, of its routes
  Instant last_answer = Instant::min();
  Instant extra_check = Instant::min();  ///< when it was checked out of turn last
  /// Why the next check is due out of turn.
  enum class Extra : std::uint8_t {
    kNone,   ///< it is not: an interval has passed since the last check
    kHeard,  ///< only since a message came from the gateway, which was thought to be dead
    kAsked,
  };
  Extra extra = Extra::kNone;
  GatewayCard card;  ///< that the shards have been told

  Near* find(NetId net);
  /// It has answered check `number` on this net.
  void answered(NetId net, std::uint32_t number, Instant now, const wire::PingInfo& info);
  /// NI `by` could not send check `number` to it. True: another one of `ours`, the NIs on that net,
  /// may have it still, and has to ask it; else the check has failed.
  bool could_not_be_sent(NetId net, std::uint32_t number, NiId by, const LocalNet* ours);
  /// A check has failed. True: that is news.
  bool failed(NetId net, std::uint32_t number);
  /// A message came from it on the net `by`; what checks up to `number` bring is void. It came from
  /// the net `from`, through the gateway if that is another one.
  void heard(NetId by, NetId from, std::uint32_t number);
  /// The driver of NI `by` has lost it on this net, or an administrator says that it is down there
  /// (0). It is thought to be dead when all of `ours`, the NIs on that net, have lost it. True: it
  /// has to be asked.
  bool lost_by(NetId net, NiId by, const LocalNet* ours);
  /// When the gateway may be checked out of turn: at once, or a second after the last time that it
  /// was. A gateway that every answer makes alive and every failed check dead would otherwise be
  /// pinged without a pause.
  Instant next_extra_check(Instant now) const;
  /// It is up on all nets.
  void said_up(std::uint32_t number);
  RoutingLoop* find_loop(NetId net);

 private:
  void look_at_all();
};

/// Those that the routes of this node name.
struct KnownGateways {
  std::shared_ptr<const RouteList> list = RouteList::none();  ///< from which they are
  std::map<Nid, KnownGateway> by_nid;
  /// Of these more, or something else, is known than the shards have been told, perhaps.
  std::vector<Nid> news;
  std::uint32_t checks = 0;   ///< how often one was checked, or asked about a loop
  std::int32_t interval = 0;  ///< alive_router_check_interval, by which their timers run

  bool empty() const { return by_nid.empty(); }
  /// One of these NIDs, such as those of a peer, is that of a gateway.
  bool has_any(std::span<const Nid> nids) const {
    return std::ranges::any_of(nids, [&](const Nid& nid) { return by_nid.contains(nid); });
  }
  KnownGateway* find(const Nid& nid) {
    const auto found = by_nid.find(nid);
    return found == by_nid.end() ? nullptr : &found->second;
  }
  const KnownGateway* find(const Nid& nid) const {
    const auto found = by_nid.find(nid);
    return found == by_nid.end() ? nullptr : &found->second;
  }
};

/// What there is to look at, to say whether a gateway's routes can be used.
struct GatewayView {
  const KnownGateway& gateway;
  const Peer* peer = nullptr;  ///< of the directory; null: nothing is known of it
  const NiTable& nis;
  const Globals& globals;

  std::span<const Nid> nids() const {
    return peer == nullptr ? std::span(&gateway.nid, 1) : peer->nids();
  }
};
/// Why all routes by the gateway are down; kNone: they are not all.
RouteTrouble trouble_of(const GatewayView& view);
/// Why a route to `net` by the gateway is down.
RouteTrouble trouble_of(const GatewayView& view, NetId net);
/// Whether the gateway has told no NID on `net`, so that another router follows.
bool is_multi_hop(const GatewayView& view, NetId net);
/// Whether this NID of the gateway is up, as far as this node knows.
bool is_up(const GatewayView& view, const Nid& nid);
/// What the shards need to know of it.
GatewayCard card_of(const GatewayView& view);
GatewayRow row_of(const GatewayView& view, Instant now);

}  // namespace ulnet::core
