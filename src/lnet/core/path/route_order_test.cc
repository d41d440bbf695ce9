// Compares the choice of a route by the order with that by a scan, which is the model: random
// routes, gateways, events and requirements. After each event both must choose the same route. Also
// tests the cost of the order: the routes that a choice compares. spec/multirail.md 3.3.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "lnet/base/rng.h"
#include "lnet/core/flow/pipe_fixture.h"
#include "lnet/core/path/select.h"
#include "lnet/core/path/select_route.h"
#include "lnet/core/udsp/policy.h"
#include "lnet/core/udsp/udsp_fixture.h"

namespace ulnet::core::test {
namespace {

NetId far_net(std::uint32_t n) { return {NetType::kTcp, static_cast<std::uint16_t>(100 + n)}; }

/// A node with NIs on some nets, and routers on these and other nets, of which one or many have
/// several NIDs. The tables change as in a shard: the code that changes a value calls
/// PeerTable::changed(), the gateways are known, and all NIDs of a peer have the same peer entry.
class World {
 public:
  explicit World(std::uint32_t seed) : random_(seed) {
    configure_nis();
    const std::uint32_t routers = 1 + below(12);
    for (std::uint32_t i = 0; i < routers; ++i) make_router(i);
    for (std::uint32_t i = 0, n = 1 + below(30); i < n; ++i) add_route();
    apply_routes();
  }

  /// A random change of the gateways, the NIs or the routes.
  void change() {
    const std::uint32_t what = below(100);
    if (what < 30) return change_queue();
    if (what < 45) return change_health();
    if (what < 55) return send_elsewhere();
    if (what < 65) return give_peer_entry();
    if (what < 75) return meet_or_forget();
    if (what < 85) return judge_gateway();
    if (what < 93) return change_ni();
    if (what < 96) return configure_nis();
    if (what < 98) return give_policies();
    add_route();
    apply_routes();
  }

  /// Chooses for random requirements by the order and by the scan, and often sends a message by the
  /// choice. False: the choices differ.
  ::testing::AssertionResult choose() {
    RemoteNet* const net = table_.find(far_net(below(kFarNets)));
    if (net == nullptr) return ::testing::AssertionSuccess();
    const Nid destination = tcp(static_cast<std::uint8_t>(1 + below(3)), net->id.num);
    const Nid except = any_nid();
    RouteQuery query{net->id, destination};
    if (below(4) == 0) query.by = any_ni();
    // A message came from this router, so the table knows it.
    if (below(4) == 0 && peers_.find(except) != nullptr) query.except = &except;
    query.memory_cpt = static_cast<std::int32_t>(below(4)) - 1;
    const RouteView view{table_, peers_, *config_};
    // The order does not handle policies that prefer routers.
    const bool preferred = udsp::prefers_some_router(*config_->udsp, destination);
    const Way in_order = preferred ? best_way(nis_, view, query, nullptr)
                                   : best_way_in_order(nis_, view, *net, query);
    const Way of_all = best_way_of_all(nis_, view, *net, query, nullptr);
    ++choices;
    if (of_all.route != nullptr) ++found;
    if (in_order.route != of_all.route || in_order.ni != of_all.ni ||
        in_order.rail != of_all.rail || in_order.gateway != of_all.gateway)
      return ::testing::AssertionFailure()
             << "by the order " << text_of(in_order) << ", by the scan " << text_of(of_all);
    if (of_all.route != nullptr && below(4) != 0) send(of_all, view);
    return ::testing::AssertionSuccess();
  }

  std::uint64_t choices = 0, found = 0;

 private:
  static constexpr std::uint32_t kFarNets = 3, kNearNets = 4;
  struct Router {
    std::vector<Nid> nids;
    PeerEntryRef peer_entry;
  };

  std::uint32_t below(std::uint32_t n) { return random_.below(n); }
  std::uint16_t near_net() { return static_cast<std::uint16_t>(below(kNearNets)); }
  static std::string text_of(const Way& way) {
    return way.route == nullptr
               ? "none"
               : way.gateway.to_string() + " at place " + std::to_string(way.route->place) +
                     " from " + way.ni->nid().to_string();
  }

  // ---- the tables

  void configure_nis() {
    std::vector<Nid> own;
    for (std::uint16_t net = 0; net < kNearNets; ++net)
      for (std::uint8_t i = 0, n = static_cast<std::uint8_t>(below(3)); i < n; ++i)
        own.push_back(tcp(i + 1, net));
    if (own.empty()) own.push_back(tcp(1));
    // A node never reuses an NiId.
    const auto udsp = config_ == nullptr ? nullptr : config_->udsp;
    config_ = config_of(own, 0xa);
    if (udsp != nullptr) config_->udsp = udsp;
    for (NiConfig& ni : config_->nis) {
      ni.tunables.peer_credits = static_cast<std::int32_t>(below(3) == 0 ? 4 : 8);
      const auto [at, is_new] = ids_.try_emplace(ni.nid, NiId{next_id_});
      if (is_new) ++next_id_;
      ni.id = at->second;
    }
    const NiTable::Changes changes = nis_.apply(*config_);
    for (const LocalNi* ni : changes.removed) ids_.erase(ni->nid());
    peers_.drop_all_rails();
  }
  void make_router(std::uint32_t i) {
    std::vector<Nid> nids;
    for (std::uint32_t n = 1 + below(4); n != 0; --n) {
      const Nid nid = tcp(static_cast<std::uint8_t>(10 + 8 * i + nids.size()), near_net());
      nids.push_back(nid);
      all_.push_back(nid);
    }
    routers_.push_back({nids, nullptr});
  }
  void add_route() {
    const std::vector<Nid>& nids = any_router().nids;
    const Nid gateway = nids[below(static_cast<std::uint32_t>(nids.size()))];
    const std::int32_t hops = below(3) == 0 ? static_cast<std::int32_t>(1 + below(2)) : -1;
    auto next = std::make_shared<RouteList>(*list_);
    if (below(6) == 0) (void)next->del(far_net(below(kFarNets)), std::nullopt);
    (void)next->add({far_net(below(kFarNets)), gateway, hops, below(4) == 0 ? 1U : 0U}, below(8));
    list_ = next;
  }
  void apply_routes() {
    table_.apply(list_, below(8) != 0, peers_);
    know_gateways();
  }
  void know_gateways() {
    for (const auto& [nid, gateway] : table_.gateways()) {
      if (peers_.find(nid) != nullptr) continue;
      const PeerEntryRef& peer_entry = router_of(nid).peer_entry;
      peers_.set_peer_entry(peers_.use(nid),
                            peer_entry != nullptr && peer_entry->has(nid) ? peer_entry : nullptr);
    }
  }

  // ---- events

  Router& any_router() { return routers_[below(static_cast<std::uint32_t>(routers_.size()))]; }
  Router& router_of(const Nid& nid) {
    return *std::ranges::find_if(routers_, [&](const Router& router) {
      return std::ranges::find(router.nids, nid) != router.nids.end();
    });
  }
  const Nid& any_nid() { return all_[below(static_cast<std::uint32_t>(all_.size()))]; }
  LocalNi* any_ni() {
    const auto& all = nis_.configured();
    return all[below(static_cast<std::uint32_t>(all.size()))];
  }
  void change_queue() {
    PeerNi* const ni = peers_.find_ni(any_nid());
    if (ni == nullptr) return;
    if (below(2) == 0) ni->queued_bytes = below(3) * 100;
    if (below(2) == 0) ni->tx = Gate(static_cast<std::int32_t>(below(3)));
    peers_.changed(*ni->known);
  }
  void change_health() {
    PeerNid* const known = peers_.find(any_nid());
    if (known == nullptr) return;
    known->health = below(2) == 0 ? kHealthMax : static_cast<std::int32_t>(below(3) * 400);
    peers_.changed(*known);
  }
  void send_elsewhere() {
    PeerNid* const known = peers_.find(any_nid());
    if (known == nullptr) return;
    known->elsewhere = static_cast<std::int32_t>(below(3));
    peers_.changed(*known);
  }
  /// A router is discovered, or loses its multi-rail flag or a NID.
  void give_peer_entry() {
    Router& router = any_router();
    std::vector<Nid> nids = router.nids;
    if (nids.size() > 1 && below(3) == 0) nids.erase(nids.begin() + below(2));
    give(router, std::move(nids), below(4) != 0);
  }
  void give(Router& router, std::vector<Nid> nids, bool multi_rail) {
    router.peer_entry = std::make_shared<const PeerEntry>(PeerEntry{std::move(nids), multi_rail});
    for (const Nid& nid : router.nids) {
      const bool has_it = router.peer_entry->has(nid);
      if (PeerNid* const known = has_it && below(2) == 0 ? &peers_.use(nid) : peers_.find(nid))
        peers_.set_peer_entry(*known, has_it ? router.peer_entry : nullptr);
    }
  }
  void meet_or_forget() {
    const Nid& nid = any_nid();
    PeerNid* const known = peers_.find(nid);
    if (known == nullptr) return;
    if (known->ni == nullptr && below(2) == 0) return (void)peers_.use_ni(*known, 8);
    if (known->ni != nullptr) peers_.erase_ni(*known->ni);
    if (below(2) == 0) forget(*known);
  }
  /// Removes the NID from its peer.
  void forget(PeerNid& known) {
    const Nid nid = known.nid;
    Router& router = router_of(nid);
    if (router.peer_entry != nullptr && router.peer_entry->has(nid)) {
      std::vector<Nid> left = router.peer_entry->nids;
      std::erase(left, nid);
      const bool multi_rail = router.peer_entry->multi_rail;
      if (left.empty())
        router.peer_entry = nullptr;
      else
        give(router, std::move(left), multi_rail);
    }
    peers_.erase(*peers_.find(nid));
    know_gateways();
  }
  void judge_gateway() {
    GatewayEntry entry{.gateway = any_nid(), .usable = below(3) != 0};
    if (below(4) == 0) entry.lost.push_back(far_net(below(kFarNets)));
    table_.take(entry);
  }
  void change_ni() {
    LocalNi* const ni = any_ni();
    if (below(2) == 0) ni->health = below(2) == 0 ? kHealthMax : 500;
    if (below(2) == 0) ni->tx = Gate(static_cast<std::int32_t>(250 + below(2)));
    if (below(4) == 0) ni->fatal = !ni->fatal;
  }
  void give_policies() {
    udsp::RuleList rules;
    if (below(2) == 0) (void)rules.add(udsp::rule_of({.dst = "tcp1", .priority = 1}));
    if (below(2) == 0)
      (void)rules.add(udsp::rule_of({.dst = "10.0.0.1@tcp100", .rte = any_nid().to_string()}));
    config_->udsp = std::make_shared<const udsp::RuleList>(rules);
    peers_.drop_all_rails();
  }
  /// Sends a message on this way.
  void send(const Way& way, const RouteView& view) {
    Choice choice;
    choice.ni = way.ni;
    choice.route = way.route;
    choice.rail = way.rail;
    choice.in_turn = true;
    take_turn(nis_, choice, &view);
  }

  Rng random_;
  std::shared_ptr<NodeConfig> config_;
  std::map<Nid, NiId> ids_;
  std::uint32_t next_id_ = 1;
  NiTable nis_;
  PeerTable peers_;
  RouteTable table_;
  std::shared_ptr<const RouteList> list_ = RouteList::none();
  std::vector<Router> routers_;
  std::vector<Nid> all_;
};

TEST(RouteOrder, MatchesALinearScan) {  // spec/multirail.md 3.3.2
  std::uint64_t choices = 0, found = 0;
  for (std::uint32_t seed = 1; seed <= 3000; ++seed) {
    World world(seed);
    for (int event = 0; event < 120; ++event) {
      if (event % 4 != 0) world.change();
      ASSERT_TRUE(world.choose()) << "seed " << seed << ", event " << event;
    }
    choices += world.choices;
    found += world.found;
  }
  EXPECT_GT(found, choices / 3) << "most worlds must have something to choose";
}

}  // namespace
}  // namespace ulnet::core::test
