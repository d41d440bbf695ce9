// For tests of the state of a gateway: node a, its gateway r, and b behind r.
#pragma once

#include "lnet/core/flow/routed_fixture.h"

namespace ulnet::core::test {

inline constexpr Duration kMoment = std::chrono::milliseconds(10);

/// Node a, with its state of the gateway r. The first check is over.
struct Checked : Routed {
  Checked() { tick(kMoment); }

  RouteRow route(End& end) { return call(end, call::ShowRoutes{}).routes.at(0); }
  RouteTrouble trouble() { return route(a).trouble; }
  GatewayRow gateway() { return call(a, call::ShowRoutes{}).gateways.at(0); }
  /// Whether the shards of node a send by the route.
  bool used() {
    auto source = bytes(8);
    Recorder sender;
    put(a, bind(a, source, &sender, 1), tcp(2, 1));
    return sender.events.at(0).status == 0;
  }
  void set(End& end, std::int32_t Globals::*value, std::int32_t to) {
    end.config->globals.*value = to;
    configure(end);
  }
  /// r is dead from now on: it sends nothing, and no driver reports a lost connection.
  void r_dies() { r.hold_sends = true; }
  void r_returns() {
    r.hold_sends = false;
    r.sends.clear();
  }
  static constexpr NiId kSecond{9};
  /// Gives the node another NI, kSecond, on the near net.
  void add_second_ni(End& end, const Nid& nid) {
    end.config->nis.push_back({.id = kSecond, .nid = nid});
    configure(end);
  }
  /// The driver of the node's NI has lost its connections to the peer NI.
  void loses(End& end, NiId ni, const Nid& peer) {
    input(end, PeerDown{ni, {peer, Pid::lustre()}, false});
  }
  /// a does no discovery, and its checks have had the time to find that the far NI of r is down.
  void far_goes_down_without_discovery() {
    set(a, &Globals::discovery, 0);
    r.config->nis[2].up = false;
    configure(r);
    tick_for(std::chrono::seconds(65));
  }
  std::uint32_t peer_state(End& end, const Nid& nid) {
    const Peer* peer = end.shards[kControlShard]->observe().directory.find(nid);
    return peer == nullptr ? 0 : peer->state;
  }
};

inline wire::LnetHeader get_from(const Nid& source) {
  wire::LnetHeader header;
  header.dest_nid = tcp(1);
  header.src_nid = source;
  header.dest_pid = header.src_pid = Pid::lustre();
  header.part = wire::GetPart{};
  return header;
}

}  // namespace ulnet::core::test
