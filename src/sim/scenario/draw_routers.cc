#include <algorithm>
#include <memory>
#include <utility>

#include "sim/scenario/draw_parts.h"

namespace ulnet::sim {
namespace {

NetId net_number(std::uint32_t net) { return {NetType::kTcp, static_cast<std::uint16_t>(net)}; }

/// A chain of nets, with routers between each net and the next.
class Chain {
 public:
  Chain(Dice& dice, Scenario& scenario, bool sound)
      : dice_(dice), scenario_(scenario), sound_(sound) {}

  void draw() {
    auto routers = static_cast<std::uint32_t>(1 + dice_.below(3));
    nets_ = routers > 1 && dice_.often(50) ? 3 : 2;
    if (dice_.often(20)) {
      nets_ = static_cast<std::uint32_t>(4 + dice_.below(2));
      routers = nets_ - 1 + static_cast<std::uint32_t>(dice_.below(3));
    }
    rails_ = dice_.often(30) ? 2 : 1;
    ends_ = static_cast<std::uint32_t>(scenario_.nodes.size());
    place_ends();
    for (std::uint32_t i = 0; i < routers; ++i) add_router(i, i % (nets_ - 1));
    for (std::uint32_t i = 0; i < scenario_.nodes.size(); ++i) add_routes(i);
    // A rate makes buffers and credits run out: routers have few, and a world lasts only a short
    // time.
    scenario_.interface_rate = 16ULL << (20 + dice_.below(4));
  }

 private:
  struct Router {
    NodeNumber node = 0;
    std::uint32_t first = 0;  ///< it is on this net and the next one
  };

  void place_ends() {
    for (std::uint32_t i = 0; i < ends_; ++i) {
      std::vector<NiSetup>& nis = scenario_.nodes[i].nis;
      const std::uint32_t net =
          i < 2 ? i * (nets_ - 1) : static_cast<std::uint32_t>(dice_.below(nets_));
      nis.resize(1);
      const std::uint32_t address = 0x0a000001U + (net << 16) + i;
      nis[0].nid = Nid::small(net_number(net), address);
      if (dice_.often(50)) add_rails(nis, address);
    }
  }

  /// Adds as many NIs on the net of the last one as the world's nodes may have there.
  void add_rails(std::vector<NiSetup>& nis, std::uint32_t address) const {
    for (std::uint32_t rail = 1; rail < rails_; ++rail) {
      NiSetup ni = nis.back();
      ni.nid = Nid::small(ni.nid.net(), address + (rail << 12));
      nis.push_back(ni);
    }
  }

  void add_router(std::uint32_t number, std::uint32_t first) {
    NodeSetup setup = scenario_.nodes[dice_.below(ends_)];
    setup.name = "r" + std::to_string(number);
    setup.routing.on = true;
    setup.routing.at_once = dice_.often(90);
    for (std::int32_t& buffers : setup.routing.buffers) buffers = dice_.one_of({0, 0, 1, 2, 8});
    const NiSetup like = setup.nis[0];
    setup.nis.clear();
    for (std::uint32_t net = first; net < first + 2; ++net) {
      NiSetup ni = like;
      const std::uint32_t address = 0x0ac00001U + (net << 16) + number;
      ni.nid = Nid::small(net_number(net), address);
      ni.tunables.peer_buffer_credits = dice_.one_of({0, 0, 1, 4});
      setup.nis.push_back(ni);
      add_rails(setup.nis, address);
    }
    routers_.push_back({static_cast<NodeNumber>(scenario_.nodes.size()), first});
    scenario_.nodes.push_back(std::move(setup));
  }

  bool is_on(NodeNumber node, std::uint32_t net) const {
    const std::vector<NiSetup>& nis = scenario_.nodes[node].nis;
    return std::any_of(nis.begin(), nis.end(),
                       [&](const NiSetup& ni) { return ni.nid.net() == net_number(net); });
  }

  /// Adds a node's routes to every net that it is not on, through the routers that are one net
  /// nearer to that net.
  void add_routes(NodeNumber node) {
    auto routes = std::make_shared<core::RouteList>();
    for (std::uint32_t to = 0; to < nets_; ++to) {
      if (is_on(node, to)) continue;
      for (std::uint32_t from = 0; from < nets_; ++from)
        if (is_on(node, from) && (nets_ == 2 || nearest(node, to) == from))
          add_routes(node, *routes, from, to);
    }
    scenario_.nodes[node].routes = std::move(routes);
  }
  /// Among the nets of the node, the one that is nearest to this net.
  std::uint32_t nearest(NodeNumber node, std::uint32_t to) const {
    std::uint32_t best = nets_;
    const auto distance = [&](std::uint32_t net) { return net < to ? to - net : net - to; };
    for (std::uint32_t net = 0; net < nets_; ++net)
      if (is_on(node, net) && (best == nets_ || distance(net) < distance(best))) best = net;
    return best;
  }

  void add_routes(NodeNumber node, core::RouteList& routes, std::uint32_t from, std::uint32_t to) {
    const std::uint32_t between = from < to ? from : from - 1;  // the first net of those routers
    const auto beside = static_cast<std::size_t>(std::count_if(
        routers_.begin(), routers_.end(),
        [&](const Router& each) { return each.first == from || each.first + 1 == from; }));
    for (const Router& router : routers_) {
      if (router.node == node) continue;
      const bool nearer = router.first == between;
      // A detour through another router of the same two nets, besides the direct route. With more
      // than two of these routers they could send a message round.
      const bool detour = is_router(node) && !nearer && beside == 3 && alike(node) == 2 &&
                          router.first == first_of(node) && dice_.often(50);
      if (!nearer && !detour) continue;
      if (!sound_ && dice_.often(15)) continue;  // one-sided
      core::Route route;
      route.net = net_number(to);
      const std::vector<NiSetup>& nis = scenario_.nodes[router.node].nis;
      const auto rail = rails_ == 1 ? 0 : static_cast<std::uint32_t>(dice_.below(rails_));
      route.gateway = nis[(from - router.first) * rails_ + rail].nid;
      if (dice_.often(50))
        route.hops = static_cast<std::int32_t>(from < to ? to - from : from - to);
      if (dice_.often(20)) route.hops = 1 + static_cast<std::int32_t>(dice_.below(3));
      if (dice_.often(20)) route.priority = static_cast<std::uint32_t>(dice_.below(2));
      (void)routes.add(route, dice_.below(1 + routes.size()));
    }
  }

  bool is_router(NodeNumber node) const { return node >= ends_; }
  std::uint32_t first_of(NodeNumber node) const { return routers_[node - ends_].first; }
  /// The number of routers between the same nets as this one.
  std::ptrdiff_t alike(NodeNumber node) const {
    return std::count_if(routers_.begin(), routers_.end(),
                         [&](const Router& each) { return each.first == first_of(node); });
  }

  Dice& dice_;
  Scenario& scenario_;
  const bool sound_;
  std::uint32_t nets_ = 2, ends_ = 0;
  /// NIs of a router on each of its nets; end nodes have one or the same number
  std::uint32_t rails_ = 1;
  std::vector<Router> routers_;
};

}  // namespace

void draw_routers(Dice& dice, Scenario& scenario, bool sound) {
  Chain(dice, scenario, sound).draw();
}

}  // namespace ulnet::sim
