#include "control/runtime_files.h"

#include <fmt/format.h>

#include <map>

#include "node/portal_rotor.h"

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

std::string peers_file(const NodeState& state) {
  static constexpr char kLine[] = "{:<24} {:>4} {:>5} {:>5} {:>5} {:>5} {:>5} {:>5} {:>5} {}\n";
  std::string text =
      fmt::format(kLine, "nid", "refs", "state", "last", "max", "rtr", "min", "tx", "min", "queue");
  for (const core::PeerShow& peer : state.peers) {
    if (peer.primary.is_loopback()) continue;
    for (const core::PeerNiShow& p : peer.nis)
      text += fmt::format(kLine, p.nid.to_string(), p.refcount, p.state, p.last_heard_s,
                          p.max_ni_tx_credits, p.available_rtr_credits, p.min_rtr_credits,
                          p.available_tx_credits, p.min_tx_credits, p.tx_q_num_of_buf);
  }
  return text;
}

std::string routes_file(core::RoutingState state, const core::call::ShowRoutes& shown) {
  static constexpr char kLine[] = "{:<8} {:>4} {:>8} {:>7} {}\n";
  std::string text = fmt::format("Routing {}\n", to_string(state));
  text += fmt::format(kLine, "net", "hops", "priority", "state", "router");
  for (const core::RouteRow& row : shown.routes)
    text += fmt::format(kLine, row.route.net.to_string(), row.route.hops, row.route.priority,
                        row.up() ? "up" : "down", row.route.gateway.to_string());
  return text;
}

std::string routers_file(const core::call::ShowRoutes& shown, const NodeState& state) {
  static constexpr char kLine[] = "{:<4} {:>7} {:>5} {}\n";
  std::map<Nid, std::size_t> nids;  // how many the peer has that has this one
  for (const core::PeerShow& peer : state.peers)
    for (const core::PeerNiShow& ni : peer.nis) nids.emplace(ni.nid, peer.nis.size());
  std::string text = fmt::format(kLine, "ref", "rtr_ref", "alive", "router");
  for (const core::GatewayRow& row : shown.gateways) {
    // Each NID of a peer names it, and somebody who looks at it, as seen in production.
    const auto known = nids.find(row.gateway);
    const std::size_t refs = 1 + (known == nids.end() ? 1 : known->second);
    text +=
        fmt::format(kLine, refs, row.routes, row.all_up ? "up" : "down", row.gateway.to_string());
  }
  return text;
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
