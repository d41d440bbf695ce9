// For tests: a and b on two nets, and a router r between them.
#pragma once

#include <array>

#include "lnet/core/flow/pipe_fixture.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core::test {

constexpr NetId kNear{NetType::kTcp, 0}, kFar{NetType::kTcp, 1};
constexpr NiId kRouterNear{2};  ///< the NI of r on the near net

struct Routed : Pipe {
  explicit Routed(std::uint32_t shards = shards_of_a_node())
      : Pipe({tcp(1)}, {tcp(2, 1)}, shards), r({tcp(3), tcp(3, 1)}, 0xc, shards) {
    ends.push_back(&r);
    r.config->routing.on = r.config->routing.at_once = true;
    configure(r);
    introduce(r);
    route(a, kFar, tcp(3));
    route(b, kNear, tcp(3, 1));
  }
  /// Adds a route behind the other routes to its net.
  void route(End& end, NetId net, const Nid& gateway, std::int32_t hops = kHopsUndefined,
             std::uint32_t priority = 0) {
    auto list = std::make_shared<RouteList>(*end.config->routes);
    EXPECT_TRUE(list->add({net, gateway, hops, priority}, list->size()));
    end.config->routes = list;
    configure(end);
  }
  /// r stops routing, and the time that peers have to notice is over.
  void turn_off() {
    r.config->routing.on = false;
    configure(r);
    tick(notice_time(r.config->globals) + std::chrono::seconds(1));
  }
  /// a sends PUTs to b, each from all of `source`.
  void puts(std::vector<std::byte>& source, int count) {
    for (int i = 0; i < count; ++i) put(a, bind(a, source, nullptr, 1), tcp(2, 1));
  }
  /// Gives r these numbers of buffers, and makes its driver hold its Sends.
  void holds_with_buffers(const std::array<std::int32_t, 3>& buffers) {
    r.config->routing.buffers = buffers;
    configure(r);
    r.hold_sends = true;
  }
  void tick_for(Duration time, Duration each = std::chrono::seconds(1)) {
    for (Duration passed{}; passed < time; passed += each) tick(each);
  }
  GlobalStats counted(End& end) { return show(end).statistics; }
  /// The router credits of r for a peer NI: the present number, and the lowest.
  PeerNiShow peer_at_router(const Nid& nid) {
    for (const PeerShow& peer : show(r).peers)
      for (const PeerNiShow& ni : peer.nis)
        if (ni.nid == nid) return ni;
    return {};
  }
  /// The free buffers of a pool, over all shards of r.
  std::int32_t free_buffers(RouterPools::Kind kind) const {
    std::int32_t sum = 0;
    for (const auto& shard : r.shards) sum += shard->observe().pools[kind].gate().credits();
    return sum;
  }
  std::int32_t allocated(RouterPools::Kind kind) const {
    std::int32_t sum = 0;
    for (const auto& shard : r.shards) sum += shard->observe().pools[kind].allocated();
    return sum;
  }
  std::uint32_t messages_at_router() const {
    std::uint32_t sum = 0;
    for (const auto& shard : r.shards)
      shard->observe().messages.for_each([&](Handle, const Msg& msg) { sum += msg.routed; });
    return sum;
  }

  End r;
};

}  // namespace ulnet::core::test
