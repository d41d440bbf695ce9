// LNet's calls about nets, NIDs and peers, and simulated failures, on live nodes. Source:
// spec/core-semantics.md 15.
#include <gmock/gmock.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "lnet/node/node_fixture.h"

namespace ulnet::node {
namespace {

class OtherCalls : public TwoNodes {};
INSTANTIATE_TEST_SUITE_P(Modes, OtherCalls, testing::Values(Mode::kInline, Mode::kShared),
                         mode_name);

TEST_P(OtherCalls, NetsAndNidsOfTheNode) {  // spec/core-semantics.md 15
  EXPECT_TRUE(a_->has_local_net(kNet));
  EXPECT_TRUE(a_->has_local_net(NetId::loopback()));
  EXPECT_FALSE(a_->has_local_net({NetType::kTcp, 7}));
  EXPECT_TRUE(a_->is_peer_local(id_b_.nid));
  EXPECT_FALSE(a_->is_peer_local(*Nid::parse("10.0.0.1@o2ib")));
  EXPECT_EQ(a_->local_primary_nid().value(), id_a_.nid);
  const auto nids = a_->local_nids().value();
  ASSERT_EQ(nids.size(), 2U);
  EXPECT_EQ(nids[0].nid, Nid::loopback());
  EXPECT_EQ(nids[1].nid, id_a_.nid);
  EXPECT_TRUE(nids[1].up);
  EXPECT_EQ(a_->primary_nid(id_b_.nid).value(), id_b_.nid);

  ASSERT_TRUE(a_->change(DelNi{kNet}));
  EXPECT_FALSE(a_->has_local_net(kNet));
  EXPECT_EQ(a_->local_primary_nid().error().code, -ENOENT);
}

/// Node b with a second NID on the same net.
class PeersOfServices : public OtherCalls {
 protected:
  void SetUp() override {
    OtherCalls::SetUp();
    ASSERT_TRUE(b_->add_networks("tcp(" + own_address(20) + ")"));
    second_ = b_->local_nids().value().at(2).nid;
  }
  /// Calls `fn`, which waits, while the other node runs.
  template <class Fn>
  auto while_b_moves(Fn&& fn) {
    std::atomic<bool> over{false};
    std::thread other([&] {
      while (!over) b_->progress(std::chrono::milliseconds(1));
    });
    auto result = fn();
    over = true;
    other.join();
    return result;
  }
  /// Waits, while both nodes run, until a knows all that it can learn about the peer. Returns the
  /// errors that occurred.
  std::set<int> until_discovered(const Nid& nid) {
    std::set<int> seen;
    const bool over = until([&] {
      const auto known = a_->peer_discovered(nid);
      if (!known) seen.insert(known.error().code);
      return known.has_value();
    });
    EXPECT_TRUE(over);
    return seen;
  }
  Nid second_;
};
INSTANTIATE_TEST_SUITE_P(Modes, PeersOfServices, testing::Values(Mode::kInline), mode_name);

TEST_P(PeersOfServices, APrimaryNidReportedToAServiceStays) {  // spec/core-semantics.md 15
  EXPECT_EQ(a_->primary_nid(second_).value(), second_) << "the node does not know the peer yet";
  EXPECT_THAT(until_discovered(second_), testing::IsSubsetOf({-EALREADY, -ENETRESET}));
  EXPECT_EQ(a_->primary_nid(id_b_.nid).value(), second_);
  const auto found = while_b_moves([&] { return a_->discover(id_b_.nid, true); });
  ASSERT_TRUE(found) << found.error().reason;
  EXPECT_EQ(found->primary, second_);
  EXPECT_EQ(peers_of(*a_).at(0).state_bits, 1048849U);
}

TEST_P(PeersOfServices, WithoutLocksDiscoveryIsWaitedFor) {  // spec/core-semantics.md 15
  EXPECT_EQ(a_->params().at("lock_prim_nid"), "1");
  ASSERT_TRUE(a_->change(SetParams{{{"lock_prim_nid", "0"}}}));
  EXPECT_EQ(while_b_moves([&] { return a_->primary_nid(second_).value(); }), id_b_.nid);
  EXPECT_EQ(a_->primary_nid(*Nid::parse("10.0.0.1@tcp7")).value(), *Nid::parse("10.0.0.1@tcp7"))
      << "it cannot be reached";
}

// spec/core-semantics.md 15; spec/upstream-tests.md 40
TEST_P(PeersOfServices, DeclaredPeersAreMergedWithWhatTheyAdvertise) {
  const Nid elsewhere = *Nid::parse("10.0.0.7@tcp7");
  const std::vector<Nid> nids{second_, elsewhere};
  ASSERT_TRUE(a_->add_peer(nids));
  EXPECT_EQ(peers_of(*a_).at(0).state_bits, 1048577U);
  const auto seen = until_discovered(second_);
  EXPECT_TRUE(seen.contains(-EAGAIN)) << "the first call starts the discovery";
  const core::PeerShow peer = peers_of(*a_).at(0);
  EXPECT_EQ(peer.primary, second_);
  ASSERT_EQ(peer.nis.size(), 2U);
  EXPECT_EQ(peer.nis[1].nid, id_b_.nid) << "this peer does not report its other NID";
}

// spec/core-semantics.md 2.4; spec/upstream-tests.md 213, F
TEST_P(OtherCalls, TheNearestNidIsUsedAndOfEqualOnesTheFirst) {
  const Nid far = *Nid::parse("10.0.0.1@tcp7"), near = *Nid::parse(own_address(40) + "@tcp");
  const auto which = [&](std::vector<Nid> nids) { return a_->which_nid(nids).value(); };
  EXPECT_EQ(which({id_b_.nid, near}), 0U);
  EXPECT_EQ(which({near, id_b_.nid}), 0U);
  EXPECT_EQ(which({far, near}), 1U);
  EXPECT_EQ(which({near, id_a_.nid}), 1U) << "this node";
  EXPECT_EQ(which({id_a_.nid, Nid::loopback()}), 1U);
  EXPECT_EQ(a_->which_nid({{far}}).error().code, -EHOSTUNREACH);
}

TEST_P(OtherCalls, DiscoveryIsASetting) {  // spec/core-semantics.md 15
  ASSERT_TRUE(a_->change(SetGlobals{{{"discovery", 1}}}));
  EXPECT_TRUE(a_->discovery_on());
  ASSERT_TRUE(a_->change(SetGlobals{{{"discovery", 0}}}));
  EXPECT_FALSE(a_->discovery_on());
}

TEST_P(OtherCalls, SubscribersAreNotifiedWhenNidsComeAndGo) {  // spec/core-semantics.md 15
  unsigned notices = 0;
  const auto changed = [&] {
    const std::lock_guard lock(bell_.mutex);
    ++notices;
    bell_.rung.notify_all();
  };
  ASSERT_TRUE(a_->on_local_nids(changed));
  ASSERT_TRUE(a_->add_networks("tcp6(" + own_address(30) + ")"));
  EXPECT_TRUE(until([&] { return notices == 1; }));
  ASSERT_TRUE(a_->change(DelNi{{NetType::kTcp, 6}}));
  EXPECT_TRUE(until([&] { return notices == 2; }));
  ASSERT_TRUE(a_->on_local_nids({}));
  ASSERT_TRUE(a_->add_networks("tcp6(" + own_address(31) + ")"));
  a_->stop({});  // by then all notices have been delivered
  EXPECT_EQ(notices, 2U);
}

TEST_P(OtherCalls, AFailureMayBeSimulated) {  // spec/core-semantics.md 15
  std::vector<char> bytes(8);
  Recorder sent(bell_);
  const MdHandle md =
      a_->md_bind(spec({bytes.data(), bytes.size()}, sent), UnlinkMode::kRetain).value();
  const auto puts = [&] {
    const auto done = a_->put(put(md, id_b_, AckRequest::kNoAck));
    return done ? 0 : done.error().code;
  };
  ASSERT_TRUE(a_->simulate_failure(id_b_.nid, 1));
  EXPECT_EQ(puts(), -EIO);
  EXPECT_EQ(puts(), 0) << "the failure hits one message only";
  ASSERT_TRUE(a_->simulate_failure(Nid::any(), -1));
  EXPECT_EQ(puts(), -EIO);
  EXPECT_EQ(a_->ping({.target = id_b_}).error().code, -EIO);
  ASSERT_TRUE(a_->simulate_failure(Nid::any(), 0));
  EXPECT_EQ(puts(), 0);
  stop_both();
}

TEST_P(OtherCalls, KnownPeersAreLogged) {  // spec/core-semantics.md 15
  struct Lines {
    std::mutex mutex;
    std::string all;
  } lines;
  NodeOptions given = options();
  given.log = [](void* context, int level, const char* line) {
    auto& to = *static_cast<Lines*>(context);
    const std::lock_guard lock(to.mutex);
    to.all += std::to_string(level) + " " + line + "\n";
  };
  given.log_context = &lines;
  auto node = start(given).value();
  ASSERT_TRUE(node->add_networks("tcp(" + own_address(32) + ")"));
  const auto logged_about = [&](const Nid& nid) {
    node->debug_peer(nid);
    const std::lock_guard lock(lines.mutex);
    return std::exchange(lines.all, {});
  };
  EXPECT_NE(logged_about(id_b_.nid).find("1 peer " + id_b_.nid.to_string() +
                                         ": the node does not know it"),
            std::string::npos);
  std::vector<char> bytes(8);
  Recorder sent(bell_);
  const MdHandle md =
      node->md_bind(spec({bytes.data(), bytes.size()}, sent), UnlinkMode::kRetain).value();
  ASSERT_TRUE(node->put(put(md, id_b_, AckRequest::kNoAck)));
  EXPECT_NE(logged_about(id_b_.nid).find("at " + id_b_.nid.to_string() + ": "), std::string::npos);
  node->stop({});
}

}  // namespace
}  // namespace ulnet::node
