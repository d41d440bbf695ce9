#include "tests/lnet/recorded/routing/replay.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ulnet::capture {

using namespace core;

RoutingReplay::RoutingReplay(std::vector<Nid> own, std::uint32_t sequence, double begins)
    : Player(std::move(own), sequence), clock_(seconds_of(begins)) {}

void RoutingReplay::at(double seconds, std::function<void()> what) {
  later(seconds_of(seconds), std::move(what));
}

void RoutingReplay::later(Duration when, std::function<void()> what) {
  events_.emplace(std::max(when, clock_), std::move(what));
}

double RoutingReplay::time() const { return std::chrono::duration<double>(clock_).count(); }

void RoutingReplay::run_timers(Duration until) {
  take_sends();
  while (clock_ < until) {
    const Instant due = next_deadline(a);
    const Duration step =
        due == kNever ? until - clock_
                      : std::min(std::max(due - now, Duration{1}), Duration(until - clock_));
    tick(step);
    clock_ += step;
    take_sends();
    if (!events_.empty() && events_.begin()->first < until) return;
  }
}

void RoutingReplay::run(double until) {
  const Duration end = seconds_of(until);
  while (clock_ < end || (!events_.empty() && events_.begin()->first <= end)) {
    const Duration next = events_.empty() ? end : std::min(end, events_.begin()->first);
    if (clock_ < next) {
      run_timers(next);
      continue;
    }
    if (events_.empty() || events_.begin()->first > end) return;
    const std::function<void()> what = std::move(events_.begin()->second);
    events_.erase(events_.begin());
    what();
    take_sends();
  }
}

void RoutingReplay::take_sends() {
  while (!a.sends.empty()) {
    const Send send = a.sends.front();
    a.sends.erase(a.sends.begin());
    const auto by = std::ranges::find(a.config->nis, send.ni, &NiConfig::id);
    on_send(send, {clock_, by->nid, send.hop.nid, send.header, payload_of(send)});
  }
}

void RoutingReplay::release_to_itself(const Send& send) {
  std::vector<Send> others = std::move(a.sends);
  a.sends = {send};
  release_sends(a);
  a.sends.insert(a.sends.begin(), others.begin(), others.end());
}

void RoutingReplay::deliver(const Leg& leg) {
  arrive(a, leg.header, leg.from, ni_of(leg.to), leg.payload);
  take_sends();
}

void RoutingReplay::add_route(NetId net, const Nid& gateway, std::int32_t hops,
                              std::uint32_t priority) {
  auto list = std::make_shared<RouteList>(*a.config->routes);
  EXPECT_TRUE(list->add({net, gateway, hops, priority}, list->size()));
  a.config->routes = list;
  configure(a);
}

void RoutingReplay::del_route(NetId net, const Nid& gateway) {
  auto list = std::make_shared<RouteList>();
  for (const RouteRow& row : call(a, call::ShowRoutes{}).routes)
    if (row.route.net != net || row.route.gateway != gateway) list->add(row.route, list->size());
  a.config->routes = list;
  configure(a);
}

void RoutingReplay::set(std::int32_t Globals::*value, std::int32_t to) {
  a.config->globals.*value = to;
  configure(a);
}

void RoutingReplay::be_quick() {
  Globals& globals = a.config->globals;
  globals.alive_router_check_interval = 10;
  globals.router_ping_timeout = 5;
  globals.transaction_timeout = 10;
  configure(a);
}

RouteRow RoutingReplay::route(NetId net, const Nid& gateway) {
  for (const RouteRow& row : call(a, call::ShowRoutes{}).routes)
    if (row.route.net == net && row.route.gateway == gateway) return row;
  ADD_FAILURE() << "no route by " << gateway.to_string();
  return {};
}

GatewayRow RoutingReplay::gateway(const Nid& nid) {
  for (const GatewayRow& row : call(a, call::ShowRoutes{}).gateways)
    if (row.gateway == nid) return row;
  ADD_FAILURE() << "no gateway " << nid.to_string();
  return {};
}

PeerNiShow RoutingReplay::peer_ni(const Nid& nid) {
  if (const auto shown = peer(a, nid))
    for (const PeerNiShow& ni : shown->nis)
      if (ni.nid == nid) return ni;
  ADD_FAILURE() << "no peer NI " << nid.to_string();
  return {};
}

Texts texts_of(const std::vector<RoutingReplay::Sent>& sent, double from, double to,
               const Nid& with) {
  Texts all;
  for (const RoutingReplay::Sent& each : sent)
    if (each.at >= seconds_of(from) && each.at < seconds_of(to) &&
        (with.is_any() || each.to == with))
      all[each.way].push_back(each.text);
  return all;
}

void expect_as_recorded(const RoutingReplay& node, double from, double to, const Nid& with) {
  const Texts recorded = texts_of(node.recorded, from, to, with);
  const Texts sent = texts_of(node.sent, from, to, with);
  EXPECT_FALSE(recorded.empty());
  for (const auto& [way, texts] : recorded) {
    const auto found = sent.find(way);
    EXPECT_EQ(found == sent.end() ? std::vector<std::string>{} : found->second, texts) << way;
  }
  for (const auto& [way, texts] : sent)
    EXPECT_TRUE(recorded.contains(way)) << "sent, and not recorded: " << texts.size() << " " << way;
}

void expect_like_recorded(const RoutingReplay& node, double from, double to, std::size_t more) {
  const Texts recorded = texts_of(node.recorded, from, to), sent = texts_of(node.sent, from, to);
  for (const auto& [way, texts] : recorded) {
    const auto found = sent.find(way);
    ASSERT_NE(found, sent.end()) << "recorded, and not sent: " << way;
    EXPECT_LE(found->second.size(), texts.size() + more) << way;
    EXPECT_GE(found->second.size() + more, texts.size()) << way;
    using Kinds = std::set<std::string>;
    EXPECT_EQ(Kinds(found->second.begin(), found->second.end()), Kinds(texts.begin(), texts.end()))
        << way;
  }
  for (const auto& [way, texts] : sent)
    EXPECT_TRUE(recorded.contains(way)) << "sent, and not recorded: " << texts.size() << " " << way;
}

}  // namespace ulnet::capture
