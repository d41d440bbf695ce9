// The order of routes follows the messages, failures and configurations of a shard: after each step
// the order gives the same result as a scan. spec/multirail.md 3.3.
#include <gtest/gtest.h>

#include "lnet/base/rng.h"
#include "lnet/core/flow/pipe_fixture.h"
#include "lnet/core/flow/step.h"
#include "lnet/core/path/select_route.h"

namespace ulnet::core::test {
namespace {

constexpr NetId kBehind{NetType::kTcp, 7};
constexpr std::uint8_t kGateways = 6;  ///< on each of two nets

/// A node and its gateways, which do not exist as nodes: the test decides how each Send ends.
class Traffic {
 public:
  explicit Traffic(std::uint32_t seed)
      : random_(seed), pipe_({tcp(1), tcp(1, 1)}, {tcp(2)}), a_(pipe_.a) {
    auto list = std::make_shared<RouteList>();
    for (std::uint8_t i = 0; i < kGateways; ++i)
      for (const std::uint16_t net : {0, 1}) {
        known_.push_back(tcp(20 + i, net));
        EXPECT_TRUE(list->add({kBehind, known_.back(), kHopsUndefined, random_.below(8) == 0},
                              list->size()));
      }
    for (std::uint8_t host = 1; host <= 3; ++host) known_.push_back(tcp(host, kBehind.num));
    a_.config->routes = list;
    set_credits(2);
    pipe_.introduce(a_, known_);
    a_.hold_sends = true;
  }

  void next() {
    const std::uint32_t what = random_.below(100);
    a_.caller = random_.below(static_cast<std::uint32_t>(a_.shards.size()));
    if (what < 40) return put(tcp(static_cast<std::uint8_t>(1 + random_.below(3)), kBehind.num));
    if (what < 50) return put(any_gateway());
    if (what < 88) return end_a_send();
    if (what < 94 && !mds_.empty()) return (void)pipe_.unlink(a_, mds_[random_.below(size(mds_))]);
    if (what < 96) return set_health();
    if (what < 97) return configure_gateway();
    if (what < 98) return set_credits(static_cast<std::int32_t>(1 + random_.below(4)));
    pipe_.tick(std::chrono::seconds(random_.below(30)));
  }

  /// In each shard the order gives the same result as a scan.
  ::testing::AssertionResult orders_are_right() {
    for (const auto& shard : a_.shards) {
      auto& s = const_cast<ShardState&>(shard->observe());
      const RouteView view{s.routes, s.peers, *s.config};
      const Nid to = tcp(1, kBehind.num);
      RemoteNet& net = *s.routes.find(kBehind);
      for (const LocalNi* by :
           {static_cast<LocalNi*>(nullptr), s.nis.find(kTcp), s.nis.find(kTcp1)}) {
        const RouteQuery query{kBehind, to, by};
        const Way order = best_way_in_order(s.nis, view, net, query);
        const Way scan = best_way_of_all(s.nis, view, net, query, nullptr);
        if (order.route != scan.route)
          return ::testing::AssertionFailure()
                 << "shard " << s.index << ": by the order " << order.gateway.to_string()
                 << ", by the scan " << scan.gateway.to_string();
      }
    }
    return ::testing::AssertionSuccess();
  }

  std::size_t sent = 0, failed = 0;

 private:
  template <class List>
  static std::uint32_t size(const List& list) {
    return static_cast<std::uint32_t>(list.size());
  }
  Nid any_gateway() {
    return tcp(static_cast<std::uint8_t>(20 + random_.below(kGateways)),
               static_cast<std::uint16_t>(random_.below(2)));
  }
  void put(const Nid& to) {
    mds_.push_back(pipe_.bind(a_, source_, &events_, 1));
    (void)pipe_.put(a_, mds_.back(), to);
    ++sent;
  }
  void end_a_send() {
    if (a_.sends.empty()) return;
    const auto at = a_.sends.begin() + random_.below(size(a_.sends));
    const Send send = *at;
    a_.sends.erase(at);
    const bool well = random_.below(4) != 0;
    failed += well ? 0 : 1;
    pipe_.finish_send(a_, send, well ? 0 : -ECONNRESET,
                      well ? Health::kOk
                           : std::array{Health::kRemoteDropped, Health::kRemoteTimeout,
                                        Health::kLocalDropped}[random_.below(3)]);
  }
  void set_health() {
    int status = 0;
    call::SetPeerNiHealth set;
    set.nid = any_gateway();
    set.value = random_.below(2) == 0 ? kHealthMax : static_cast<std::int32_t>(random_.below(1000));
    pipe_.call(a_, set, &status);
  }
  /// Configures a gateway as a peer with two NIDs, both of which routes name, or deletes that peer.
  void configure_gateway() {
    const Nid primary = tcp(static_cast<std::uint8_t>(20 + random_.below(kGateways)));
    const Nid other = tcp(static_cast<std::uint8_t>(primary.address4() & 0xff), 1);
    int status = 0;
    if (random_.below(3) == 0)
      pipe_.call(a_, call::PeerDel{primary}, &status);
    else
      pipe_.call(a_, call::PeerAdd{primary, {other}}, &status);
    pipe_.introduce(a_, known_);
  }
  void set_credits(std::int32_t credits) {
    for (NiConfig& ni : a_.config->nis) ni.tunables.peer_credits = credits;
    pipe_.configure(a_);
  }

  Rng random_;
  Pipe pipe_;
  End& a_;
  std::vector<Nid> known_;
  Recorder events_;
  std::vector<std::byte> source_ = std::vector<std::byte>(100);
  std::vector<MdHandle> mds_;
};

TEST(RouteOrder, StaysRightUnderTraffic) {  // spec/multirail.md 3.3.2
  std::size_t sent = 0, failed = 0;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    Traffic traffic(seed);
    for (int step = 0; step < 150; ++step) {
      traffic.next();
      ASSERT_TRUE(traffic.orders_are_right()) << "seed " << seed << ", step " << step;
    }
    sent += traffic.sent;
    failed += traffic.failed;
  }
  EXPECT_GT(sent, 1000U);
  EXPECT_GT(failed, 100U);
}

}  // namespace
}  // namespace ulnet::core::test
