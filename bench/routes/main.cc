// The cost of choosing a route, on the tables of one shard: no messages, no drivers.
//
//   route_loop COUNT GATEWAYS NIDS
//       COUNT messages to a net that GATEWAYS routers lead to, each with NIDS NIDs on nets of this
//       node. Each message chooses a route and takes a credit, and ends when eight more have begun
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "lnet/core/memory/message.h"
#include "lnet/core/path/select.h"

namespace {

using namespace ulnet;
using namespace ulnet::core;

constexpr std::uint32_t kUnderWay = 8;
constexpr std::int32_t kPeerCredits = 8;
constexpr NetId kFar{NetType::kTcp, 100};

Nid address(std::uint32_t host, std::uint32_t net) {
  return Nid::small({NetType::kTcp, static_cast<std::uint16_t>(net)}, 0x0a000000U + host);
}

/// The tables of a shard once every gateway is known.
struct Tables {
  Tables(std::uint32_t gateways, std::uint32_t nids) {
    config.shards = 1;
    for (std::uint32_t net = 0; net < nids; ++net) {
      NiConfig ni;
      ni.id = {net + 1};
      ni.nid = address(1, net);
      ni.tunables.peer_credits = kPeerCredits;
      config.nis.push_back(ni);
    }
    nis.apply(config);
    auto list = std::make_shared<RouteList>();
    for (std::uint32_t i = 0; i < gateways; ++i) {
      auto peer_entry = std::make_shared<PeerEntry>();
      peer_entry->multi_rail = nids > 1;
      for (std::uint32_t net = 0; net < nids; ++net)
        peer_entry->nids.push_back(address(1000 + i, net));
      for (const Nid& nid : peer_entry->nids) {
        PeerNid& known = peers.use(nid);
        peers.set_peer_entry(known, peer_entry);
        peers.use_ni(known, kPeerCredits);
      }
      if (!list->add({kFar, peer_entry->nids.front()}, i)) std::abort();
    }
    table.apply(list, true, peers);
  }

  NodeConfig config;
  NiTable nis;
  PeerTable peers;
  RouteTable table;
};

struct UnderWay {
  PeerNi* gateway = nullptr;
  Msg msg;
};

int run(std::uint64_t count, std::uint32_t gateways, std::uint32_t nids) {
  Tables tables(gateways, nids);
  const RouteView view{tables.table, tables.peers, tables.config};
  const Nid target = address(5, kFar.num), any = Nid::any();
  SendIntent intent{target, Pid::lustre(), any, nullptr, nullptr, true};
  intent.routes = &view;
  std::array<UnderWay, kUnderWay> line;
  std::uint64_t chosen = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    UnderWay& one = line[i % kUnderWay];
    if (one.gateway != nullptr) {
      one.gateway->queued_bytes -= 100;
      one.gateway->tx.give();
      tables.peers.changed(*one.gateway->known);
    }
    const Choice choice = select(tables.nis, intent);
    if (choice.status != 0) break;
    take_turn(tables.nis, choice, &view);
    one.gateway = tables.peers.find_ni(choice.hop.nid);
    one.gateway->queued_bytes += 100;
    if (!one.gateway->tx.take(one.msg)) break;
    tables.peers.changed(*one.gateway->known);
    ++chosen;
  }
  for (UnderWay& one : line)
    if (one.gateway != nullptr) one.gateway->tx.give();
  std::printf("chosen %llu\n", static_cast<unsigned long long>(chosen));
  return chosen == count ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) {
    return static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
  };
  if (argc == 4) return run(number(1), number(2), number(3));
  std::fprintf(stderr, "usage: route_loop COUNT GATEWAYS NIDS\n");
  return 2;
}
