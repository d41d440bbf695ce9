// Notes in the control shard what shards report about gateways, and reports to all shards when
// routes by a gateway become usable or unusable. Source: spec/multirail.md 8, 9.3,
// spec/core-semantics.md 8.9.
#include "lnet/core/flow/gateway_news.h"

#include <algorithm>
#include <utility>

#include "lnet/core/path/select_route.h"

namespace ulnet::core {

namespace {

using What = shard_msg::GatewayNotified::What;
using Extra = KnownGateway::Extra;

/// Calls `fn` for each gateway that has the NID: routes may name one gateway by several of its
/// NIDs.
template <class Fn>
void for_each_of(Step& step, const Nid& nid, Fn&& fn) {
  KnownGateways& gateways = step.s.gateways;
  if (gateways.empty()) return;
  const Peer* peer = step.s.directory.find(nid);
  const std::span<const Nid> nids = peer == nullptr ? std::span(&nid, 1) : peer->nids();
  for (const Nid& each : nids)
    if (KnownGateway* gateway = gateways.find(each)) fn(*gateway);
}

void changed(Step& step, const KnownGateway& gateway) {
  std::vector<Nid>& news = step.s.gateways.news;
  if (std::find(news.begin(), news.end(), gateway.nid) == news.end()) news.push_back(gateway.nid);
}

void note_change(Step& step, const GatewayEntry& before, const GatewayView& view) {
  const RouteTrouble trouble = trouble_of(view);
  if (before.usable == (trouble == RouteTrouble::kNone)) return;
  step.note(before.usable ? Note::Level::kWarning : Note::Level::kInfo, Note::About::kRoute,
            before.usable ? to_string(trouble) : "the gateway can be used", view.gateway.nid);
}

}  // namespace

GatewayView view_of(const Step& step, const KnownGateway& gateway) {
  return {gateway, step.s.directory.find(gateway.nid), step.s.nis, step.config().globals};
}

void look_at_gateways(Step& step, std::span<const Nid> nids) {
  if (step.s.gateways.empty()) return;
  for (const Nid& nid : nids)
    if (const KnownGateway* gateway = step.s.gateways.find(nid)) changed(step, *gateway);
}

void report_gateways(Step& step) {
  for (const Nid& nid : std::exchange(step.s.gateways.news, {})) {
    KnownGateway* const gateway = step.s.gateways.find(nid);
    if (gateway == nullptr) continue;
    const GatewayView view = view_of(step, *gateway);
    GatewayEntry entry = gateway_entry_of(view);
    if (entry == gateway->entry) continue;
    note_change(step, gateway->entry, view);
    gateway->entry = std::move(entry);
    for (std::uint32_t shard = 0; shard < step.s.placement.shards(); ++shard)
      step.send_to_shard(shard, shard_msg::GatewayNews{gateway->entry});
  }
}

void check_soon(Step& step, const Nid& nid) {
  if (step.s.shut_down) return;
  for_each_of(step, nid, [&](KnownGateway& gateway) { check_soon(step, gateway); });
}

void check_soon(Step& step, KnownGateway& gateway, KnownGateway::Extra reason) {
  const Instant due = gateway.next_extra_check(step.now);
  const bool sooner = due < gateway.deadline();
  if (sooner) step.s.timers.arm(gateway, due);
  if (sooner || gateway.extra == Extra::kHeard) gateway.extra = reason;
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::GatewayNotified& in) {
  if (step.s.shut_down) return;
  const std::uint32_t checks = step.s.gateways.checks;
  for_each_of(step, in.nid, [&](KnownGateway& gateway) {
    const bool was_alive = gateway.alive;
    if (in.what == What::kHeard) gateway.heard(in.nid.net(), in.net, checks);
    if (in.what == What::kReset) gateway.said_up(checks);
    // The gateway may only have lost its connections, or another node may have the NID now. A
    // gateway without any result so far is being checked already.
    const NetId net = in.nid.net();
    const bool down = in.what == What::kDown;
    const bool ask =
        down ? gateway.lost_by(net, in.ni, step.s.nis.find(net)) : !was_alive && gateway.tried;
    if (ask) check_soon(step, gateway, down ? Extra::kAsked : Extra::kHeard);
    changed(step, gateway);
  });
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::GatewayNews& in) {
  step.s.routes.take(in.entry);
}

void gateway_heard(Step& step, const Nid& hop, const Nid& source) {
  const bool missed = std::ranges::any_of(step.s.routes.gateways(), [&](const auto& each) {
    return each.second.entry.misses(source.net()) && is_of_gateway(step.s.peers, each.first, hop);
  });
  if (missed)
    step.send_to_shard(kControlShard, shard_msg::GatewayNotified{hop, What::kHeard, source.net()});
}

}  // namespace ulnet::core
