#include <algorithm>
#include <utility>

#include "sim/scenario/draw_parts.h"

namespace ulnet::sim {
namespace {

/// With this limit the handlers of all events of one MD end within the virtual time of a world.
constexpr Duration kLongestHandler = std::chrono::seconds(1);

}  // namespace

void draw_settings(Dice& dice, NodeSetup& setup) {
  core::Globals& globals = setup.globals;
  globals.transaction_timeout = dice.one_of({5, 10, 50, 150});
  globals.retry_count = dice.one_of({0, 1, 2, 3});
  globals.health_sensitivity = dice.one_of({0, 1, 100});
  globals.discovery = dice.often(15) ? 0 : 1;
  lnd::sock::SockTunables& sock = setup.sock;
  sock.min_bulk = dice.one_of({0, 1024, 65536});
  sock.enable_csum = dice.one_of({0, 0, 1});
  sock.zc_request = dice.one_of({0, 0, 1});
  sock.zc_min_payload = dice.one_of({2048, 16384});
  sock.nonblk_zcack = dice.one_of({0, 1});
  sock.keepalive = dice.one_of({-1, 1, 30});
  sock.min_reconnectms = dice.one_of({10, 1000});
  sock.max_reconnectms = dice.one_of({1000, 60000});
  sock.round_robin = dice.one_of({0, 1});
  sock.nconnds = dice.one_of({1, 4});
  setup.handler_delay = dice.often(30) ? dice.spread(10) : Duration{};
}

void draw_bounds(Dice& dice, NodeSetup& setup) {
  lnd::sock::SockTunables& sock = setup.sock;
  if (dice.often(20)) sock.accept = lnd::sock::Accept::kAll;
  if (dice.often(20)) sock.accept_pending = 8;
  if (dice.often(20)) sock.accept_open = dice.one_of({9, 18, 40});
  if (dice.often(20)) sock.accept_open_per_address = dice.one_of({9, 15});
  if (dice.often(20))
    setup.hold_memory = static_cast<std::uint64_t>(dice.one_of({2048, 65536, 1 << 20}));
  if (dice.often(20))
    setup.no_memory_ppm = static_cast<std::uint32_t>(dice.one_of({20'000, 300'000}));
  if (dice.often(20)) sock.peer_address_check = lnd::sock::AddressCheck::kEnforce;
  setup.globals.drop_asym_route = dice.one_of({0, 1});
  if (dice.often(20)) setup.globals.max_answers = static_cast<std::uint32_t>(dice.one_of({8, 32}));
}

void draw_descriptors(Dice& dice, Scenario& scenario) {
  if (scenario.nothing_fails || !dice.often(5)) return;
  for (NodeSetup& node : scenario.nodes)
    if (dice.often(50))
      node.no_descriptor_ppm = static_cast<std::uint32_t>(dice.one_of({20'000, 300'000}));
}

void draw_announced_memory(Dice& dice, Scenario& scenario) {
  if (!dice.often(10)) return;
  for (NodeSetup& node : scenario.nodes) node.announces_memory = true;
}

void draw_idle_peers(Dice& dice, Scenario& scenario) {
  for (NodeSetup& node : scenario.nodes) {
    node.globals.peer_idle_timeout = dice.one_of({1, 5});
    node.globals.transaction_timeout = 5;
    node.globals.retry_count = std::min(node.globals.retry_count, 3);
  }
  LoadSpec few;
  few.from = {0};
  few.to = {1};
  few.every = std::chrono::seconds(1);
  few.count = 20;
  few.min_bytes = few.max_bytes = 100;
  scenario.loads.push_back(std::move(few));
  scenario.lasts = std::max<Duration>(scenario.lasts, std::chrono::seconds(22));
}

void draw_peer_limits(Dice& dice, Scenario& scenario) {
  const auto count = [&](FaultKind kind) {
    return std::ranges::count(scenario.acts, kind, &Act::fault);
  };
  if (count(FaultKind::kNonsense) == 0) return;
  auto nids = static_cast<std::size_t>(count(FaultKind::kNiAdd));
  for (const NodeSetup& node : scenario.nodes) nids += node.nis.size();
  for (const OldNodeSetup& old : scenario.old_nodes) nids += old.nids.size() + old.more_nids.size();
  for (NodeSetup& node : scenario.nodes)
    if (dice.often(90)) node.globals.max_peers = static_cast<std::int32_t>(nids * node.partitions);
}

void draw_slow_handlers(Dice& dice, Scenario& scenario) {
  if (scenario.nothing_fails || !dice.often(8)) return;
  for (NodeSetup& node : scenario.nodes)
    if (dice.often(40)) node.handler_delay = std::min<Duration>(dice.spread(21), kLongestHandler);
}

}  // namespace ulnet::sim
