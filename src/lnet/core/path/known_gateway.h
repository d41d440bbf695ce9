// The control shard's state of the gateways that routes name: whether they answer, and which routes
// can be used. Pure: lnet/core/flow/router_check.h sends the checks, lnet/core/flow/gateway_news.h
// notifies the shards. Source: spec/multirail.md 9.3, 9.4.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "lnet/core/contract/config.h"
#include "lnet/core/contract/gateway_entry.h"
#include "lnet/core/contract/route_show.h"
#include "lnet/core/memory/shard_timer.h"
#include "lnet/core/path/known_peer.h"
#include "lnet/core/path/losses.h"
#include "lnet/core/path/ni.h"
#include "lnet/wire/ping_info.h"

namespace ulnet::core {

/// On a router: whether messages that it sends to a net through a gateway come back to it.
/// flow/routing_loops.h sends pings to find out.
struct RoutingLoop {
  NetId net;
  bool closed = false;     ///< a ping came back: the route is down
  std::uint32_t ping = 0;  ///< number of the ping that is under way; 0: no ping is
  /// Before this time no message triggers a ping, and a route that is down is not tried again.
  Instant due = Instant::min();
};

/// The state of one gateway. The timer fires when the next check is due.
struct KnownGateway : ShardTimer {
  KnownGateway() : ShardTimer(TimerKind::kRouterCheck) {}

  /// A net on which both this node and the gateway are.
  struct Near {
    NetId net;
    bool silent = false;  ///< the gateway counts as dead on this net
    /// The NIs of this node that lost the gateway on this net, or could not send it a check, since
    /// its last answer.
    Losses losses;
    std::uint32_t settled = 0;  ///< number of the newest check whose result no longer counts
    std::uint32_t turn = 0;     ///< which of the gateway's NIDs on this net was checked last

    /// Records that the gateway is alive on this net. The results of checks up to `number` no
    /// longer count.
    void is_well(std::uint32_t number);
  };

  Nid nid;                     ///< the NID that the routes name
  std::vector<NetId> nets;     ///< the remote nets of its routes
  std::vector<Near> near;      ///< as of the last check
  bool alive = true;           ///< rule 1 of 9.3
  bool tried = false;          ///< it has answered a check, or one has failed
  std::vector<NetId> flagged;  ///< without discovery: routes to these nets are down (rule 2)
  /// Nets of its routes on which all its NIDs were down in its last answer. Used without discovery
  /// only: else the directory has the gateway's last statuses.
  std::vector<NetId> far_down;
  std::vector<RoutingLoop> loops;  ///< on a router: the state of loop detection for its routes
  Instant last_answer = Instant::min();
  Instant extra_check = Instant::min();  ///< when it was last checked out of turn
  /// Why the next check is due out of turn.
  enum class Extra : std::uint8_t {
    kNone,   ///< the check is regular: an interval has passed since the last one
    kHeard,  ///< only because a message came from the gateway, which counted as dead
    kAsked,
  };
  Extra extra = Extra::kNone;
  GatewayEntry entry;  ///< as last sent to the shards

  Near* find(NetId net);
  /// Records that the gateway has answered check `number` on this net.
  void answered(NetId net, std::uint32_t number, Instant now, const wire::PingInfo& info);
  /// Records that NI `by` could not send check `number` to the gateway. `ours`: the NIs on that
  /// net. True: another NI of `ours` has not lost the gateway and has to send a check. False: the
  /// check has failed.
  bool check_not_sent(NetId net, std::uint32_t number, NiId by, const LocalNet* ours);
  /// Records that a check has failed. Returns whether the state of the gateway has changed.
  bool failed(NetId net, std::uint32_t number);
  /// Records that a message came from the gateway on the net `by`. The results of checks up to
  /// `number` no longer count. `from` is the net of the message's source; if it differs from `by`,
  /// the gateway has forwarded the message.
  void heard(NetId by, NetId from, std::uint32_t number);
  /// Records that the driver of NI `by` has lost the gateway on this net; `by` 0: an administrator
  /// reports it down there. The gateway counts as dead when all of `ours`, the NIs on that net,
  /// have lost it. True: a check has to be sent.
  bool lost_by(NetId net, NiId by, const LocalNet* ours);
  /// The earliest time of the next check out of turn: at once, or a second after the last such
  /// check. Otherwise a gateway that alternates between an answer and a failed check would be
  /// pinged without a pause.
  Instant next_extra_check(Instant now) const;
  /// Records that an administrator or a driver reports the gateway up, on all nets.
  void said_up(std::uint32_t number);
  RoutingLoop* find_loop(NetId net);

 private:
  void look_at_all();
};

/// The gateways that the routes of this node name.
struct KnownGateways {
  std::shared_ptr<const RouteList> list = RouteList::none();  ///< the routes that name them
  std::map<Nid, KnownGateway> by_nid;
  /// Gateways whose entries in the shards may be out of date.
  std::vector<Nid> news;
  std::uint32_t checks = 0;   ///< the number of checks and loop pings so far
  std::int32_t interval = 0;  ///< alive_router_check_interval, which their timers use

  bool empty() const { return by_nid.empty(); }
  /// Whether one of these NIDs, such as those of a peer, is a gateway.
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

/// The data that decides whether a gateway's routes can be used.
struct GatewayView {
  const KnownGateway& gateway;
  const Peer* peer = nullptr;  ///< in the directory; null: the gateway is not in it
  const NiTable& nis;
  const Globals& globals;

  std::span<const Nid> nids() const {
    return peer == nullptr ? std::span(&gateway.nid, 1) : peer->nids();
  }
};
/// Why all routes by the gateway are down; kNone: not all of them are.
RouteTrouble trouble_of(const GatewayView& view);
/// Why a route to `net` by the gateway is down.
RouteTrouble trouble_of(const GatewayView& view, NetId net);
/// Whether the gateway has advertised no NID on `net`, so that another router follows.
bool is_multi_hop(const GatewayView& view, NetId net);
/// Whether this NID of the gateway is up, as far as this node knows.
bool is_up(const GatewayView& view, const Nid& nid);
/// The gateway entry for the shards.
GatewayEntry gateway_entry_of(const GatewayView& view);
GatewayRow row_of(const GatewayView& view, Instant now);

}  // namespace ulnet::core
