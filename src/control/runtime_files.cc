#include "control/runtime_files.h"

#include <fmt/format.h>

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

std::string portal_rotor_file(const NodeState& state) {
  const RotorMode& mode = rotor_mode(state.globals.portal_rotor);
  return fmt::format("{{\n\tportals: all\n\trotor: {}\n\tdescription: {}\n}}\n", mode.name,
                     mode.description);
}

}  // namespace ulnet::node::control
