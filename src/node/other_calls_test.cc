// LNet's calls about nets, NIDs and peers, and simulated failures, on live nodes. Source:
// spec/core-semantics.md 15.
#include <atomic>
#include <mutex>

#include "node/node_fixture.h"

namespace ulnet::node {
namespace {

class OtherCalls : public TwoNodes {};
INSTANTIATE_TEST_SUITE_P(Modes, OtherCalls, testing::Values(Mode::kInline, Mode::kShared),
                         mode_name);

TEST_P(OtherCalls, NetsAndNidsOfTheNode) {
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

  ASSERT_TRUE(a_->net_del(kNet, std::nullopt));
  EXPECT_FALSE(a_->has_local_net(kNet));
  EXPECT_EQ(a_->local_primary_nid().error().code, -ENOENT);
}

TEST_P(OtherCalls, DiscoveryIsASetting) {
  ASSERT_TRUE(a_->set_global("discovery", 1));
  EXPECT_TRUE(a_->discovery_on());
  ASSERT_TRUE(a_->set_global("discovery", 0));
  EXPECT_FALSE(a_->discovery_on());
}

TEST_P(OtherCalls, WhoeverAsksIsToldWhenNidsComeAndGo) {
  unsigned told = 0;
  const auto changed = [&] {
    const std::lock_guard lock(bell_.mutex);
    ++told;
    bell_.rung.notify_all();
  };
  ASSERT_TRUE(a_->on_local_nids(changed));
  ASSERT_TRUE(a_->add_networks("tcp6(" + own_address(30) + ")"));
  EXPECT_TRUE(until([&] { return told == 1; }));
  ASSERT_TRUE(a_->net_del({NetType::kTcp, 6}, std::nullopt));
  EXPECT_TRUE(until([&] { return told == 2; }));
  ASSERT_TRUE(a_->on_local_nids({}));
  ASSERT_TRUE(a_->add_networks("tcp6(" + own_address(31) + ")"));
  a_->stop({});  // all notices have been given
  EXPECT_EQ(told, 2U);
}

TEST_P(OtherCalls, AFailureMayBeSimulated) {
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
  EXPECT_EQ(puts(), 0) << "so many messages, and no more";
  ASSERT_TRUE(a_->simulate_failure(Nid::any(), -1));
  EXPECT_EQ(puts(), -EIO);
  EXPECT_EQ(a_->ping({.target = id_b_}).error().code, -EIO);
  ASSERT_TRUE(a_->simulate_failure(Nid::any(), 0));
  EXPECT_EQ(puts(), 0);
  stop_both();
}

TEST_P(OtherCalls, WhatIsKnownOfAPeerIsLogged) {
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
  const auto told_of = [&](const Nid& nid) {
    node->debug_peer(nid);
    const std::lock_guard lock(lines.mutex);
    return std::exchange(lines.all, {});
  };
  EXPECT_NE(told_of(id_b_.nid).find("1 peer " + id_b_.nid.to_string() + ": nothing is known"),
            std::string::npos);
  std::vector<char> bytes(8);
  Recorder sent(bell_);
  const MdHandle md =
      node->md_bind(spec({bytes.data(), bytes.size()}, sent), UnlinkMode::kRetain).value();
  ASSERT_TRUE(node->put(put(md, id_b_, AckRequest::kNoAck)));
  EXPECT_NE(told_of(id_b_.nid).find("at " + id_b_.nid.to_string() + ": "), std::string::npos);
  node->stop({});
}

}  // namespace
}  // namespace ulnet::node
