#include "admin/server/runtime_files.h"

#include <fmt/format.h>

#include <map>

#include "lnet/node/portal_rotor.h"

namespace ulnet::node::control {

std::string stats_file(const NodeState& state) {
  const core::GlobalStats& s = state.statistics;
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {}\n", s.msgs_alloc, s.msgs_max, s.errors,
                     s.send_count, s.recv_count, s.route_count, s.drop_count, s.send_length,
                     s.recv_length, s.route_length, s.drop_length);
}

std::string nis_file(const NodeState& state) {
  static constexpr char kLine[] = "{:<24} {:>6} {:>5} {:>4} {:>4} {:>4} {:>5} {:>5} {:>5}\n";
  std::string text =
      fmt::format(kLine, "nid", "status", "alive", "refs", "peer", "rtr", "max", "tx", "min");
  for (const NiShow& ni : state.nis) {
    const bool loopback = ni.nid.is_loopback();
    const core::NetTunables tunables = loopback ? core::NetTunables{0, 0, 0, 0} : ni.tunables;
    text += fmt::format(kLine, ni.nid.to_string(), ni.up ? "up" : "down", ni.alive_s, ni.refs,
                        tunables.peer_credits, tunables.peer_buffer_credits, ni.stats.credits_max,
                        ni.stats.credits, ni.stats.credits_min);
  }
  return text;
}

void write_peers_file(Pieces& to, Node& node) {
  static constexpr char kLine[] = "{:<24} {:>4} {:>5} {:>5} {:>5} {:>5} {:>5} {:>5} {:>5} {}\n";
  to.add(fmt::format(kLine, "nid", "refs", "state", "last", "max", "rtr", "min", "tx", "min",
                     "queue"));
  bool wanted = true;
  node.for_each_peer({}, [&](const core::PeerShow& peer) {
    if (peer.primary.is_loopback()) return true;
    for (const core::PeerNiShow& p : peer.nis)
      wanted = to.add(fmt::format(kLine, p.nid.to_string(), p.refcount, p.state, p.last_heard_s,
                                  p.max_ni_tx_credits, p.available_rtr_credits, p.min_rtr_credits,
                                  p.available_tx_credits, p.min_tx_credits, p.tx_q_num_of_buf));
    return wanted;
  });
}

void write_routes_file(Pieces& to, core::RoutingState state, const core::call::ShowRoutes& shown) {
  static constexpr char kLine[] = "{:<8} {:>4} {:>8} {:>7} {}\n";
  to.add(fmt::format("Routing {}\n", to_string(state)));
  to.add(fmt::format(kLine, "net", "hops", "priority", "state", "router"));
  for (const core::RouteRow& row : shown.routes)
    if (!to.add(fmt::format(kLine, row.route.net.to_string(), row.route.hops, row.route.priority,
                            row.up() ? "up" : "down", row.route.gateway.to_string())))
      return;
}

void write_routers_file(Pieces& to, const core::call::ShowRoutes& shown, Node& node) {
  static constexpr char kLine[] = "{:<4} {:>7} {:>5} {}\n";
  std::map<Nid, std::size_t> nids;  // for each gateway, how many NIDs its peer has
  for (const core::GatewayRow& row : shown.gateways) nids.emplace(row.gateway, 1);
  node.for_each_peer({}, [&](const core::PeerShow& peer) {
    for (const core::PeerNiShow& ni : peer.nis)
      if (const auto gateway = nids.find(ni.nid); gateway != nids.end())
        gateway->second = peer.nis.size();
    return true;
  });
  to.add(fmt::format(kLine, "ref", "rtr_ref", "alive", "router"));
  // Each NID of a peer holds a reference to the peer. The reader of the file holds another one, as
  // seen in production.
  for (const core::GatewayRow& row : shown.gateways)
    if (!to.add(fmt::format(kLine, 1 + nids.at(row.gateway), row.routes, row.all_up ? "up" : "down",
                            row.gateway.to_string())))
      return;
}

std::string buffers_file(const Node::RoutingShow& shown) {
  static constexpr char kLine[] = "{:>5} {:>5} {:>7} {:>7}\n";
  std::string text = fmt::format(kLine, "pages", "count", "credits", "min");
  if (!shown.was_on) return text;
  for (const core::PoolRow& pool : shown.now.pools)
    text += fmt::format(kLine, pool.pages, pool.buffers, pool.credits, pool.min);
  return text;
}

std::string portal_rotor_file(const NodeState& state) {
  const RotorMode& mode = rotor_mode(state.globals.portal_rotor);
  return fmt::format("{{\n\tportals: all\n\trotor: {}\n\tdescription: {}\n}}\n", mode.name,
                     mode.description);
}

}  // namespace ulnet::node::control
