// What an administrator does to a running node: the recorded errors of lnetctl, changes under
// traffic, stopping. Source: spec/cli-lnetctl.md 3, 7, 11; spec/multirail.md 2.1.
#include <algorithm>
#include <atomic>
#include <thread>

#include "lnet/catalog/known_drivers.h"
#include "lnet/node/node_fixture.h"
#include "lnet/os/machine_memory.h"

namespace ulnet::node {
namespace {

class NodeAdmin : public TwoNodes {};

INSTANTIATE_TEST_SUITE_P(Modes, NodeAdmin, testing::Values(Mode::kInline, Mode::kShared),
                         mode_name);

conf::NiItem interface(const std::string& name) {
  conf::NiItem item;
  item.interface = name;
  return item;
}

// spec/cli-lnetctl.md 3.2, 7; spec/multirail.md 2.1
TEST_P(NodeAdmin, NetAddRefusesInTheRecordedWords) {
  const NetId tcp9{NetType::kTcp, 9};
  EXPECT_EQ(said(a_->change(AddNi{kNet, interface(address_a_)})),
            "-17 " + address_a_ + " on net tcp is there already");
  EXPECT_EQ(said(a_->change(AddNi{kNet, interface("nosuch9")})),
            "-100 there is no interface 'nosuch9'");
  EXPECT_EQ(said(a_->change(AddNi{tcp9, interface("nosuch9")})),
            "-100 there is no interface 'nosuch9'");
  EXPECT_EQ(said(a_->change(AddNi{{NetType::kO2ib, 0}, interface("eth0")})),
            "-22 LND type not supported");
  EXPECT_EQ(said(a_->change(AddNi{NetId::loopback(), interface("eth0")})),
            "-19 setting @lo not allowed");
  auto item = interface(address_a_);
  item.cpts = {limits::kMaxCpts};
  EXPECT_EQ(said(a_->change(AddNi{tcp9, item})),
            "-34 invalid CPT value " + std::to_string(limits::kMaxCpts) +
                ": the last CPU partition is " + std::to_string(a_->cpt_table().count() - 1));
  item = interface(address_a_);
  item.lnd_tunables["conns_per_peer"] = 300;
  EXPECT_EQ(said(a_->change(AddNi{tcp9, item})),
            "-22 invalid conns-per-peer value (valid range 0-127)");
  item = interface(address_a_);
  item.tunables.peer_timeout = -5;
  EXPECT_EQ(a_->change(AddNi{tcp9, item}).error().code, -EINVAL);
  EXPECT_EQ(a_->state().nis.size(), 2u) << "a refusal leaves nothing behind";
}

/// Makes the changes together; returns what each ended with.
std::string made(Node& node, std::vector<conf::Change> changes) {
  std::string results;
  for (const Result<void>& result : node.change_all(changes))
    results += (results.empty() ? "" : ",") + said(result);
  return results;
}

TEST_P(NodeAdmin, ChangesMadeTogetherComeIntoForceTogether) {
  const std::uint64_t before = a_->state().generation;
  const std::size_t nis = a_->state().nis.size();
  std::vector<conf::Change> changes;
  for (std::uint16_t net = 5; net < 9; ++net)
    changes.emplace_back(AddNi{{NetType::kTcp, net}, interface(own_address(net))});
  changes.emplace_back(AddNi{{NetType::kTcp, 5}, interface(own_address(5))});
  changes.emplace_back(SetGlobals{{{"numa_range", 7}}});
  changes.emplace_back(DelNi{{NetType::kTcp, 8}});
  EXPECT_EQ(made(*a_, std::move(changes)),
            "0,0,0,0,-17 " + own_address(5) + " on net tcp5 is there already,0,0");
  EXPECT_EQ(a_->state().generation, before + 1) << "one snapshot";
  EXPECT_EQ(a_->state().nis.size(), nis + 3);
  EXPECT_EQ(a_->state().globals.numa_range, 7);
  PingRequest ping{.target = {*Nid::parse(own_address(6) + "@tcp6"), Pid::lustre()},
                   .source = Nid::any(),
                   .timeout = std::chrono::seconds(20)};
  const auto reply = a_->ping(ping);
  EXPECT_TRUE(reply) << reply.error().reason;
}

core::udsp::Rule rule(std::string_view src) {
  return core::udsp::parse_rule({.src = src, .priority = 3}).value();
}

// Policies are part of the snapshot. Each change starts from the policies before it, and a change
// that fails leaves them as they are.
TEST_P(NodeAdmin, SelectionPoliciesAreChangedTogetherWithTheNets) {  // spec/multirail.md 10.2
  const std::uint64_t before = a_->state().generation;
  EXPECT_EQ(made(*a_, {AddPolicy{rule("tcp5")}, AddPolicy{rule("tcp6")},
                       AddNi{{NetType::kTcp, 5}, interface(own_address(5))},
                       AddPolicy{rule("tcp6")}, DelPolicy{0}}),
            "0,0,0,-114 the rule is there already,0");
  EXPECT_EQ(a_->state().generation, before + 1) << "one snapshot";
  ASSERT_EQ(a_->state().udsp->entries().size(), 1U);
  EXPECT_EQ(a_->state().udsp->entries()[0].rule, rule("tcp6"));
}

// The address of a deleted NI is free when the next NI needs it.
TEST_P(NodeAdmin, DeletionsComeBeforeAdditionsInOneChange) {
  const AddNi add{{NetType::kTcp, 5}, interface(own_address(5))};
  ASSERT_EQ(said(a_->change(add)), "0");
  const std::uint64_t before = a_->state().generation;
  EXPECT_EQ(made(*a_, {DelNi{add.net}, add}), "0,0");
  EXPECT_EQ(a_->state().generation, before + 2);
  EXPECT_EQ(made(*a_, {}), "");
  EXPECT_EQ(a_->state().generation, before + 2) << "nothing was changed";
}

// The lines and numbers are those of production nodes
// (tests/data/text/peer_errors.txt).
// spec/multirail.md 4.8: `lnet unconfigure` and `configure`.
TEST_P(NodeAdmin, AReplacingNodeContinuesThePingNumber) {
  EXPECT_EQ(totals(*a_).ping_sequence, 2U) << "without an NI, and with one";
  a_->stop(std::chrono::seconds(0));
  const auto next = Node::start(options(), machine_of(partitions_), totals(*a_).ping_sequence);
  ASSERT_TRUE(next) << next.error().reason;
  EXPECT_EQ(totals(**next).ping_sequence, 3U);
}

TEST_P(NodeAdmin, TheLogSaysWhichInterfacesComeAndGo) {
  LogLines log;
  NodeOptions logged = options();
  logged.log = LogLines::keep;
  logged.log_context = &log;
  auto node = start(logged);
  ASSERT_TRUE(node) << node.error().reason;
  const std::string own = own_address(3), other = own_address(4);
  ASSERT_EQ(said((*node)->change(AddNi{kNet, interface(own)})), "0");
  auto tuned = interface(other);
  tuned.tunables.peer_credits = 16;
  tuned.tunables.credits = 512;
  tuned.tunables.peer_timeout = 60;
  ASSERT_EQ(said((*node)->change(AddNi{{NetType::kTcp, 7}, tuned})), "0");
  EXPECT_EQ(log.with("Added LNI " + own + "@tcp [8/256/0/180] on "), 1u);
  EXPECT_EQ(log.with("Added LNI " + other + "@tcp7 [16/512/0/60] on "), 1u);
  EXPECT_EQ(log.with("Accept trust, port " + port_), 1u) << "once for all";
  EXPECT_EQ(said((*node)->change(DelNi{.nid = *Nid::parse(own + "@tcp")})), "0");
  EXPECT_EQ(log.with("Removed LNI " + own + "@tcp"), 1u);
  (*node)->stop({});
  EXPECT_EQ(log.with("Removed LNI " + other + "@tcp7"), 1u);
  EXPECT_EQ(log.with("@lo"), 0u);
}

TEST_P(NodeAdmin, ALinkLocalAddressIsRefusedWithItsReason) {
  const auto refused = a_->change(AddNi{kNet, interface("fe80::1%lo")});
  ASSERT_FALSE(refused);
  EXPECT_GT(refused.error().reason.size(), std::string("cannot add LNet NI").size())
      << refused.error().reason;
}

// spec/cli-lnetctl.md 3.3, 7; spec/multirail.md 2.1
TEST_P(NodeAdmin, NetDelRefusesInTheRecordedWordsAndTakesTheNetWithItsLastNi) {
  EXPECT_EQ(said(a_->change(DelNi{{NetType::kTcp, 7}})), "-22 cannot del network");
  EXPECT_EQ(said(a_->change(DelNi{kNet, "nosuch1"})), "-19 cannot del LNet NI");
  EXPECT_EQ(said(a_->change(DelNi{NetId::loopback()})), "-19 setting @lo not allowed");
  EXPECT_EQ(said(a_->change(DelNi{.nid = *Nid::parse("10.0.0.1@tcp7")})), "-22 cannot del network");
  EXPECT_EQ(said(a_->change(DelNi{.nid = *Nid::parse("10.0.0.1@tcp")})), "-19 cannot del LNet NI");
  EXPECT_EQ(said(a_->change(DelNi{kNet, address_a_})), "0");
  EXPECT_EQ(said(a_->change(DelNi{kNet})), "-22 cannot del network");
  EXPECT_EQ(a_->get_id(1, true).error().code, -ENOENT);
  EXPECT_EQ(said(a_->change(AddNi{kNet, interface(address_a_)})), "0") << "and it can come back";
  EXPECT_EQ(said(a_->change(DelNi{.nid = id_a_.nid})), "0");
}

// Case 17 of the field: the node imports its own export.
TEST_P(NodeAdmin, AnExistingNiKeepsItsCpts) {
  conf::NiItem item = interface(own_address(5));
  ASSERT_EQ(said(a_->change(AddNi{kNet, item})), "0");
  const auto nis = a_->state().nis;
  const auto ni = std::ranges::find(nis, *Nid::parse(own_address(5) + "@tcp"), &NiShow::nid);
  ASSERT_NE(ni, nis.end());
  item.cpts = ni->cpts;
  const std::string there = "-17 " + own_address(5) + " on net tcp is there already";
  EXPECT_EQ(said(a_->change(AddNi{kNet, item})), there);
}

TEST_P(NodeAdmin, AnNiCanBeNamedByItsNid) {  // spec/cli-lnetctl.md 3.2
  conf::NiItem item;
  item.nid = *Nid::parse(own_address(5) + "@tcp4");
  ASSERT_EQ(said(a_->change(AddNi{NetId::any(), item})), "0");
  EXPECT_EQ(said(a_->change(AddNi{NetId::any(), item})),
            "-17 " + item.nid->to_string() + " is there already");
  const auto state = a_->state();
  ASSERT_EQ(state.nis.size(), 3u);
  EXPECT_EQ(state.nis[2].nid, *item.nid);
  EXPECT_EQ(state.nis[2].net, (NetId{NetType::kTcp, 4}));
}

// spec/cli-lnetctl.md 11.2; spec/multirail.md 6
TEST_P(NodeAdmin, StateShowsTheNisWithTheirTunables) {
  auto item = interface(own_address(6));
  item.tunables.credits = 32;
  item.tunables.peer_credits = 4;
  item.lnd_tunables["conns_per_peer"] = 2;
  ASSERT_EQ(said(a_->change(AddNi{{NetType::kTcp, 2}, item})), "0");
  const auto state = a_->state();
  ASSERT_EQ(state.nis.size(), 3u);
  EXPECT_TRUE(state.nis[0].nid.is_loopback());
  EXPECT_EQ(state.nis[0].tunables, (core::NetTunables{0, 0, 0, 0}));
  EXPECT_TRUE(state.nis[0].lnd_tunables.empty());
  EXPECT_EQ(state.nis[1].nid, id_a_.nid);
  EXPECT_EQ(state.nis[1].tunables, core::NetTunables{});
  EXPECT_EQ(state.nis[1].interface, address_a_);
  EXPECT_EQ(state.nis[1].accept_note, "trust");
  EXPECT_EQ(state.nis[1].lnd_timeout, 50);
  EXPECT_TRUE(state.nis[1].up);
  EXPECT_EQ(state.nis[2].tunables.credits, 32);
  EXPECT_EQ(state.nis[2].tunables.peer_credits, 4);
  EXPECT_EQ(state.nis[2].lnd_tunables, (conf::LndTunables{{"conns_per_peer", 2}, {"tos", -1}}));
  EXPECT_EQ(state.nis[2].lnd_tunables.size(), lnd::ni_tunables(NetType::kTcp).size())
      << "the driver has all";
  EXPECT_EQ(state.lnd_timeout, 49);
}

TEST_P(NodeAdmin, TheSecondNiOfANetKeepsTheTunablesOfTheFirst) {  // spec/cli-lnetctl.md 3.2
  auto item = interface(own_address(7));
  item.tunables.credits = 32;
  ASSERT_EQ(said(a_->change(AddNi{kNet, item})), "0");
  const auto state = a_->state();
  ASSERT_EQ(state.nis.size(), 3u);
  EXPECT_EQ(state.nis[2].tunables, core::NetTunables{});
}

// spec/cli-lnetctl.md 3.5; spec/multirail.md 6
TEST_P(NodeAdmin, TheLndTimeoutFollowsItsSettingThenTheGlobals) {
  const auto timeout = [&] { return a_->state().nis[1].lnd_timeout; };
  EXPECT_EQ(said(a_->change(SetNi{.net = kNet, .lnd_timeout = 20})), "0");
  EXPECT_EQ(timeout(), 20);
  EXPECT_EQ(said(a_->change(SetGlobals{{{"transaction_timeout", 31}}})), "0");
  EXPECT_EQ(timeout(), 20);
  EXPECT_EQ(said(a_->change(SetNi{.net = kNet, .lnd_timeout = 0})), "0");
  EXPECT_EQ(timeout(), 10);
  EXPECT_EQ(said(a_->change(SetGlobals{{{"retry_count", 4}}})), "0");
  EXPECT_EQ(timeout(), 6);
  EXPECT_EQ(a_->state().lnd_timeout, 6);
  EXPECT_FALSE(a_->change(SetNi{.net = NetId{NetType::kO2ib, 0}, .lnd_timeout = 5}));
  EXPECT_FALSE(a_->change(SetNi{.net = kNet, .lnd_timeout = -1}));
}

// spec/cli-lnetctl.md 3.5; spec/multirail.md 5.1
TEST_P(NodeAdmin, NiSetChangesHealthAndIgnoresUnknownNis) {
  EXPECT_EQ(said(a_->change(SetNi{*Nid::parse("10.99.0.200@tcp"), 500, {}})), "0");
  EXPECT_EQ(said(a_->change(SetNi{id_a_.nid, 500, {}})), "0");
  EXPECT_EQ(a_->state().nis[1].stats.health_value, 500);
  EXPECT_EQ(said(a_->change(SetNi{std::nullopt, 5000, {}})), "0");
  EXPECT_EQ(a_->state().nis[1].stats.health_value, 1000);
  EXPECT_EQ(said(a_->change(SetNi{id_a_.nid, std::nullopt, {{"conns_per_peer", 3}}})), "0");
  EXPECT_EQ(a_->state().nis[1].lnd_tunables.at("conns_per_peer"), 3);
  EXPECT_FALSE(a_->change(SetNi{id_a_.nid, std::nullopt, {{"conns_per_peer", 300}}}));
  EXPECT_EQ(said(a_->change(SetNi{id_a_.nid, std::nullopt, {{"tos", 8}}})),
            "-22 'tos' cannot be changed while an NI runs");
  EXPECT_EQ(said(a_->change(SetNi{std::nullopt, std::nullopt, {{"conns_per_peer", 4}}})), "0")
      << "lo does not have it";
  EXPECT_EQ(a_->state().nis[1].lnd_tunables.at("conns_per_peer"), 4);
  EXPECT_EQ(said(a_->change(SetNi{a_->state().nis[0].nid, std::nullopt, {{"conns_per_peer", 3}}})),
            "-22 an NI of net lo has no tunable 'conns_per_peer'");
}

// spec/cli-lnetctl.md 11.3; spec/multirail.md 12
TEST_P(NodeAdmin, ParametersThatCountOnlyAtStartSaySo) {
  EXPECT_EQ(a_->change(SetParams{{{"accept_port", "77"}}}).error().code, -EBUSY);
  EXPECT_EQ(a_->change(SetParams{{{"no_such", "1"}}}).error().code, -ENOENT);
  EXPECT_EQ(a_->change(SetParams{{{"keepalive", "soon"}}}).error().code, -EINVAL);
  EXPECT_EQ(said(a_->change(SetParams{{{"keepalive", "44"}}})), "0");
  EXPECT_EQ(a_->params().at("keepalive"), "44");
  EXPECT_EQ(said(a_->change(SetParams{{{"lnet_retry_count", "1"}}})), "0");
  EXPECT_EQ(a_->state().globals.retry_count, 1);
  EXPECT_EQ(said(a_->change(SetGlobals{{{"retry_count", 3}}})), "0");
  EXPECT_EQ(a_->params().at("lnet_retry_count"), "3");
}

// spec/multirail.md 10.2: rules belong to the node, and apply to nets and peers that are created
// later
TEST_P(NodeAdmin, SelectionPoliciesAreKeptWhileNetsComeAndGo) {
  EXPECT_TRUE(a_->state().udsp->entries().empty());
  EXPECT_EQ(said(a_->change(AddPolicy{rule("tcp[0-9]")})), "0");
  const auto before = a_->state().udsp;
  EXPECT_EQ(said(a_->change(AddNi{{NetType::kTcp, 9}, interface(address_a_)})), "0");
  EXPECT_EQ(said(a_->change(SetGlobals{{{"retry_count", 1}}})), "0");
  EXPECT_EQ(a_->state().udsp, before) << "the same list, not a copy";
  EXPECT_EQ(before->entries()[0].rule, rule("tcp[0-9]"));
  const core::udsp::Rule none;
  EXPECT_EQ(a_->change(SetPolicies{{rule("tcp1"), none}}).error().code, -EINVAL);
  EXPECT_EQ(a_->state().udsp, before) << "a change that fails changes nothing";
  EXPECT_EQ(said(a_->change(SetPolicies{{rule("tcp1"), rule("tcp2")}})), "0");
  EXPECT_EQ(a_->state().udsp->entries().size(), 2U);
  EXPECT_TRUE(a_->stop({}));
  EXPECT_EQ(said(a_->change(DelPolicy{0})), "-108 the node is stopped");
}

TEST_P(NodeAdmin, PartitionsAndTheirRotor) {  // spec/core-semantics.md 7.3, 13.2
  const std::uint32_t count = a_->cpt_table().count();
  EXPECT_TRUE(a_->cpt_table().complete());
  const Nid peer = *Nid::parse("10.9.8.7@tcp");
  EXPECT_EQ(a_->cpt_of_nid(peer), cpt::cpt_of_nid(peer, count));
  EXPECT_EQ(a_->state().nis.at(0).cpts.size(), count);
  EXPECT_EQ(said(a_->change(SetParams{{{"portal_rotor", "off"}}})), "0");
  EXPECT_EQ(a_->params().at("portal_rotor"), "OFF");
  EXPECT_EQ(a_->state().globals.portal_rotor, core::PortalRotor::kOff);
  EXPECT_EQ(a_->change(SetParams{{{"portal_rotor", "spin"}}}).error().code, -EINVAL);
}

TEST_P(NodeAdmin, TheMemoryBudgetIsAQuarterOfTheMachinesUnlessGiven) {
  EXPECT_EQ(a_->state().memory_budget, memory_budget_bytes(0));
  ASSERT_EQ(said(a_->change(SetParams{{{"memory_budget", "32"}}})), "0");
  ASSERT_EQ(a_->state().memory.size(), kMemoryParts);
  EXPECT_STREQ(a_->state().memory[0].part, "held");
  EXPECT_EQ(a_->state().memory[0].share, 8U << 20);
}

TEST_P(NodeAdmin, ThreadsReportHowLongTheyWorkWithoutAPause) {
  if (a_->polled()) {
    EXPECT_TRUE(a_->state().threads.empty()) << "the threads belong to the user";
    return;
  }
  ASSERT_EQ(said(a_->change(SetParams{{{"long_cycle_ms", "0"}}})), "0");
  PingRequest request;
  request.target = id_b_;
  ASSERT_TRUE(a_->ping(request));
  const auto shown = [&](const std::string& kind, bool all) {
    for (const lnd::ThreadDuty& thread : a_->state().threads)
      if (thread.thread.starts_with(kind) && (thread.duty.long_cycles != 0) == all) return true;
    return false;
  };
  while (!shown("tcp ", true)) std::this_thread::yield();
  EXPECT_TRUE(shown("timekeeper", true) || shown("timekeeper", false));
}

TEST_P(NodeAdmin, NetsComeAndGoWhileMessagesFlow) {
  std::vector<std::byte> bytes(2000), near_sink(2000), far_sink(2000);
  Recorder received(bell_);
  target(*b_, iovec{near_sink.data(), near_sink.size()}, received, kOpPut | kManageRemote, 1);
  target(*b_, iovec{far_sink.data(), far_sink.size()}, received, kOpPut | kManageRemote, 2);
  // B is reachable on a second net; A's NI there is deleted and added again meanwhile.
  const NetId second{NetType::kTcp, 3};
  ASSERT_EQ(said(b_->change(AddNi{second, interface(own_address(8))})), "0");
  ASSERT_EQ(said(a_->change(AddNi{second, interface(own_address(9))})), "0");
  const ProcessId far = b_->get_id(2, false).value();
  std::atomic<bool> done{false};
  std::atomic<unsigned> begun{0}, ended{0};
  Recorder sent(bell_);
  sent.then = [&](const Event& e) { ended += e.type == EventType::kSend; };
  const auto md = a_->md_bind(spec(iovec{bytes.data(), bytes.size()}, sent), UnlinkMode::kRetain);
  std::thread sender([&] {
    while (!done) {
      if (begun - ended > 64) {
        std::this_thread::yield();
      } else {
        const bool to_far = begun % 2 != 0;
        EXPECT_TRUE(a_->put(put(*md, to_far ? far : id_b_, AckRequest::kNoAck, to_far ? 2 : 1)));
        ++begun;
      }
      if (polled()) {
        a_->progress(std::chrono::nanoseconds(0));
        b_->progress(std::chrono::nanoseconds(0));
      }
    }
  });
  for (int round = 0; round < 5; ++round) {
    for (const unsigned seen = ended; ended < seen + 50;) std::this_thread::yield();
    EXPECT_EQ(said(a_->change(DelNi{second})), "0");
    EXPECT_EQ(said(a_->change(AddNi{second, interface(own_address(9))})), "0");
  }
  done = true;
  sender.join();
  EXPECT_TRUE(until([&] { return ended == begun; })) << ended << " of " << begun;
  EXPECT_TRUE(a_->md_unlink(*md));
  EXPECT_TRUE(sent.ended());
  stop_both();
}

TEST_P(NodeAdmin, PeersAreDeletedWhileMessagesFlow) {  // spec/multirail.md 2.2
  std::vector<std::byte> bytes(2000), sink(2000);
  Recorder received(bell_), sent(bell_);
  target(*b_, iovec{sink.data(), sink.size()}, received, kOpPut | kManageRemote);
  const auto md = a_->md_bind(spec(iovec{bytes.data(), bytes.size()}, sent), UnlinkMode::kRetain);
  constexpr unsigned kMessages = 300;
  for (unsigned i = 0; i < kMessages; ++i) {
    ASSERT_TRUE(a_->put(put(*md, id_b_, AckRequest::kAck)));
    const auto gone = a_->change(DelPeer{id_b_.nid, {}, false});
    EXPECT_TRUE(gone || gone.error().code == -EBUSY || gone.error().code == -ENOENT)
        << gone.error().reason;
  }
  EXPECT_TRUE(until([&] { return sent.count(EventType::kAck) == kMessages; }));
  // The ACK of the last message may come before the node knows that the message was sent.
  auto gone = a_->change(DelPeer{id_b_.nid, {}, false});
  for (; !gone && gone.error().code == -EBUSY; gone = a_->change(DelPeer{id_b_.nid, {}, false}))
    if (polled()) a_->progress(std::chrono::milliseconds(1));
  EXPECT_EQ(said(gone), "0");
  EXPECT_TRUE(peers_of(*a_).empty());
  EXPECT_EQ(a_->change(DelPeer{id_b_.nid, {}, false}).error().code, -ENOENT);

  ASSERT_TRUE(a_->put(put(*md, id_b_, AckRequest::kAck)));
  EXPECT_TRUE(until([&] { return sent.count(EventType::kAck) == kMessages + 1; }));
  EXPECT_EQ(peers_of(*a_).size(), 1U);
  EXPECT_TRUE(a_->md_unlink(*md));
  stop_both();
  EXPECT_EQ(a_->change(DelPeer{id_b_.nid, {}, false}).error().code, -ESHUTDOWN);
}

TEST_P(NodeAdmin, StoppingUnderTrafficEndsEveryOperation) {
  std::vector<std::byte> bytes(100000), sink(100000);
  Recorder received(bell_), sent(bell_);
  target(*b_, iovec{sink.data(), sink.size()}, received, kOpPut | kManageRemote);
  const auto md = a_->md_bind(spec(iovec{bytes.data(), bytes.size()}, sent), UnlinkMode::kRetain);
  constexpr unsigned kMessages = 300;
  for (unsigned i = 0; i < kMessages; ++i)
    ASSERT_TRUE(a_->put(put(*md, id_b_, AckRequest::kNoAck)));
  a_->stop(std::chrono::seconds(0));
  {
    const std::lock_guard lock(bell_.mutex);
    EXPECT_EQ(sent.count(EventType::kSend), kMessages);
  }
  EXPECT_EQ(a_->put(put(*md, id_b_, AckRequest::kNoAck)).error().code, -ESHUTDOWN);
  EXPECT_TRUE(a_->md_unlink(*md));
  EXPECT_EQ(a_->change(AddNi{kNet, interface(address_a_)}).error().code, -ESHUTDOWN);
  a_->stop(std::chrono::seconds(1));
  stop_both();
}

TEST_P(NodeAdmin, ANodeWithOnlyLoopbackStarts) {  // spec/core-semantics.md 2.1
  auto alone = start(options());
  ASSERT_TRUE(alone);
  const auto state = (*alone)->state();
  ASSERT_EQ(state.nis.size(), 1u);
  EXPECT_EQ((*alone)->get_id(0, false)->nid, Nid::loopback());
}

TEST_P(NodeAdmin, TheEmbeddingEntryStartsNetsFromItsTextOrNothing) {  // spec/core-semantics.md 2.1
  auto wanted = options();
  wanted.params.erase("cpu_npartitions");  // on the machine as it is
  wanted.networks = "tcp(" + own_address(20) + "),tcp5(" + own_address(21) + ")";
  auto node = ulnet::Node::start(wanted);
  ASSERT_TRUE(node) << node.error().reason;
  EXPECT_EQ((*node)->get_id(1, false)->nid.to_string(), own_address(20) + "@tcp");
  EXPECT_EQ((*node)->get_id(2, false)->nid.to_string(), own_address(21) + "@tcp5");
  EXPECT_EQ((*node)->polled(), polled());
  const auto half = (*node)->add_networks("tcp6(" + own_address(22) + "),tcp7(nosuch9)");
  EXPECT_FALSE(half);
  EXPECT_EQ((*node)->get_id(3, false).error().code, -ENOENT)
      << "the NI that was started is stopped again";
  wanted.networks = "tcp(";
  EXPECT_EQ(ulnet::Node::start(wanted).error().code, -EINVAL);
}

TEST_P(NodeAdmin, FiveHundredNetsOnOneAddress) {
  const std::string address = own_address(30);
  for (std::uint16_t net = 1000; net < 1500; ++net)
    ASSERT_EQ(said(a_->change(AddNi{{NetType::kTcp, net}, interface(address)})), "0") << net;
  EXPECT_EQ(a_->state().nis.size(), 502u);
  std::vector<std::byte> bytes(8), sink(8);
  Recorder received(bell_), sent(bell_);
  target(*b_, iovec{sink.data(), sink.size()}, received, kOpPut);
  const auto md = a_->md_bind(spec(iovec{bytes.data(), bytes.size()}, sent), UnlinkMode::kRetain);
  ASSERT_TRUE(a_->put(put(*md, id_b_, AckRequest::kAck)));
  EXPECT_TRUE(until([&] { return sent.count(EventType::kAck) == 1; }));
  stop_both();
}

}  // namespace
}  // namespace ulnet::node
