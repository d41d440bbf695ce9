// Counters and what is shown of them, and health. spec/core-semantics.md 9, 16, 18.12,
// spec/multirail.md 5.1, 5.2, spec/cli-lnetctl.md 12.
#include "core/contract/stats.h"

#include <gmock/gmock.h>

#include <set>

#include "core/flow/pipe_fixture.h"
#include "core/path/health.h"
#include "wire/ping_info.h"

namespace ulnet::core::test {
namespace {

/// Messages between a and b: two PUTs (one with ACK), a GET, and a PUT for which b has no buffer.
struct Traffic4 : Pipe {
  Traffic4() {
    attach(b, sink, nullptr, {.options = kOpPut | kOpGet | kManageRemote});
    const MdHandle md = bind(a, source, nullptr);
    put(a, md, tcp(2), AckRequest::kAck);
    put(a, md, tcp(2));
    get(a, md, tcp(2));
    put(a, md, tcp(2), AckRequest::kNoAck, 999);
  }
  std::vector<std::byte> source = bytes(10), sink = bytes(100);
};

TEST(Stats, GlobalCounters) {  // spec/core-semantics.md 9
  Traffic4 t;
  const GlobalStats a = t.show(t.a).statistics, b = t.show(t.b).statistics;
  EXPECT_EQ(a.send_count, 4U);
  EXPECT_EQ(a.send_length, 30U);  // GET and ACK count nothing
  EXPECT_EQ(a.recv_count, 2U);
  EXPECT_EQ(a.recv_length, 10U);
  EXPECT_EQ(b.recv_count, 3U);
  EXPECT_EQ(b.recv_length, 20U);
  EXPECT_EQ(b.send_count, 2U);
  EXPECT_EQ(b.send_length, 10U);
  EXPECT_EQ(b.drop_count, 1U);
  EXPECT_EQ(b.drop_length, 10U);
  EXPECT_EQ(a.errors + b.errors, 0U);
  EXPECT_EQ(a.msgs_alloc + b.msgs_alloc, 0U);
  EXPECT_GE(a.msgs_max, 1U);
  EXPECT_EQ(a.send_count, b.recv_count + b.drop_count);  // 18.12
  EXPECT_EQ(b.send_count, a.recv_count + a.drop_count);
}

// A PUT that the driver sends at once counts with 1 ns at least: 0 would look like no sample.
TEST(Stats, NoLatencyIsZero) {
  Traffic4 t;
  const LatencySamples egress = t.show(t.a).nis.at(1).stats.traffic.put_egress;
  EXPECT_EQ(egress.samples, 3U);
  EXPECT_GE(egress.min_nsec, 1U);
  EXPECT_GE(egress.avg_nsec, 1U);
}

TEST(Stats, NisAndPeersCountByType) {  // spec/core-semantics.md 9
  Traffic4 t;
  const auto a = t.show(t.a), b = t.show(t.b);
  for (const TrafficStats& sent : {a.nis.at(1).stats.traffic, a.peers.at(0).nis.at(0).traffic}) {
    EXPECT_EQ(sent.sent.put, 3U);
    EXPECT_EQ(sent.sent.get, 1U);
    EXPECT_EQ(sent.received.ack, 1U);
    EXPECT_EQ(sent.received.reply, 1U);
  }
  EXPECT_EQ(b.nis.at(1).stats.traffic.received.sum(), 4U);
  EXPECT_EQ(b.nis.at(1).stats.traffic.dropped.put, 1U);
  EXPECT_EQ(b.peers.at(0).nis.at(0).traffic.dropped.sum(),
            0U);  // the receiver counts drops for its NI only
}

TEST(Stats, TheElevenNumbers) {  // spec/core-semantics.md 16: stats
  Traffic4 t;
  const ulnet::Counters c = t.call(t.b, call::GetCounters{}).counters;
  EXPECT_EQ(c.msgs_alloc, 0U);
  EXPECT_EQ(c.send_count, 2U);
  EXPECT_EQ(c.recv_count, 3U);
  EXPECT_EQ(c.drop_count, 1U);
  EXPECT_EQ(c.drop_length, 10U);
  EXPECT_EQ(c.route_count, 0U);
}

TEST(Stats, ResetClearsThemAll) {  // spec/core-semantics.md 16, spec/cli-lnetctl.md 12.2
  Traffic4 t;
  t.call(t.a, call::ResetStats{});
  const auto show = t.show(t.a);
  EXPECT_EQ(show.statistics.send_count, 0U);
  EXPECT_EQ(show.nis.at(1).stats.traffic.sent.sum(), 0U);
  EXPECT_EQ(show.nis.at(1).stats.traffic.get_rtt.samples, 0U);
  EXPECT_EQ(show.peers.at(0).nis.at(0).traffic.put_ack.samples, 0U);
  for (const call::DropRow& row : show.drops) EXPECT_EQ(row.count, 0U);
}

TEST(Stats, EveryDropReasonHasATextOfItsOwn) {
  std::set<std::string> texts;
  for (std::size_t i = 0; i < kDropReasons; ++i)
    texts.insert(to_string(static_cast<DropReason>(i)));
  EXPECT_EQ(texts.size(), kDropReasons);
  EXPECT_EQ(texts.count("unknown"), 0U);
}

TEST(Stats, ShowOfOnePeer) {
  Traffic4 t;
  const auto shown = t.call(t.a, call::Show{.want_nis = false, .peer = tcp(2)});
  EXPECT_TRUE(shown.nis.empty());
  EXPECT_EQ(shown.peers.size(), 1U);
  EXPECT_TRUE(t.call(t.a, call::Show{.peer = tcp(77)}).peers.empty());
}

TEST(Stats, PeersAreShownInTheOrderOfTheirCreation) {  // DESIGN.md 2: no order from a hash
  ONE_SHARD_ONLY();
  Pipe pipe;
  pipe.a.hold_sends = true;
  auto source = bytes(1);
  const MdHandle md = pipe.bind(pipe.a, source, nullptr);
  for (int i = 0; i < 200; ++i) pipe.put(pipe.a, md, tcp(static_cast<std::uint8_t>(7 * i + 3)));
  const auto peers = pipe.show(pipe.a).peers;
  ASSERT_EQ(peers.size(), 200U);
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(peers[static_cast<std::size_t>(i)].primary,
              tcp(static_cast<std::uint8_t>(7 * i + 3)));
}

// ---- health -------------------------------------------------------------------------------------

/// Node a sends a PUT that ends with this status and health.
void put_that_ends(Pipe& pipe, int status, Health health) {
  auto source = bytes(1);
  pipe.a.send_status = status;
  pipe.a.send_health = health;
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr, 1), tcp(2));
}

TEST(Health, TheTable) {  // spec/multirail.md 5.2
  using enum Health;
  const auto row = [](Health h) {
    const HealthRow& r = health_row(h);
    return std::make_tuple(r.blames_ni, r.blames_peer, r.resend);
  };
  for (const Health h :
       {kLocalInterrupt, kLocalDropped, kLocalAborted, kLocalNoRoute, kLocalTimeout})
    EXPECT_EQ(row(h), std::make_tuple(true, false, true));
  EXPECT_EQ(row(kLocalError), std::make_tuple(true, false, false));
  EXPECT_EQ(row(kRemoteDropped), std::make_tuple(false, true, true));
  EXPECT_EQ(row(kRemoteError), std::make_tuple(false, true, false));
  EXPECT_EQ(row(kRemoteTimeout), std::make_tuple(false, true, false));
  EXPECT_EQ(row(kNetworkTimeout), std::make_tuple(true, true, false));
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(kNetworkTimeout); ++i)
    names.insert(to_string(static_cast<Health>(i)));
  EXPECT_EQ(names.size(), 11U);
}

TEST(Health, LocalErrorsLowerTheNiAndSuccessRaisesIt) {  // spec/multirail.md 5.1, 5.2
  Pipe pipe;
  for (int i = 0; i < 3; ++i) put_that_ends(pipe, -EIO, Health::kLocalError);
  auto ni = pipe.show(pipe.a).nis.at(1).stats;
  EXPECT_EQ(ni.health_value, 700);
  EXPECT_EQ(ni.error, 3U);
  const GlobalStats g = pipe.show(pipe.a).statistics;
  EXPECT_EQ(g.local_error_count, 3U);
  EXPECT_EQ(g.errors, 3U);
  EXPECT_EQ(g.send_count, 0U);
  put_that_ends(pipe, 0, Health::kOk);
  EXPECT_EQ(pipe.show(pipe.a).nis.at(1).stats.health_value, 800);
  for (int i = 0; i < 5; ++i) put_that_ends(pipe, 0, Health::kOk);
  EXPECT_EQ(pipe.show(pipe.a).nis.at(1).stats.health_value, 1000);
}

TEST(Health, AtTheBottomTheNiIsDownUntilItIsBackAtTheTop) {  // spec/multirail.md 5.1
  Pipe pipe;
  pipe.a.config->globals.health_sensitivity = 500;
  pipe.configure(pipe.a);
  put_that_ends(pipe, -EIO, Health::kLocalError);
  EXPECT_TRUE(pipe.show(pipe.a).nis.at(1).stats.up);
  put_that_ends(pipe, -EIO, Health::kLocalError);
  EXPECT_FALSE(pipe.show(pipe.a).nis.at(1).stats.up);
  put_that_ends(pipe, 0, Health::kOk);
  EXPECT_FALSE(pipe.show(pipe.a).nis.at(1).stats.up);
  put_that_ends(pipe, 0, Health::kOk);
  EXPECT_TRUE(pipe.show(pipe.a).nis.at(1).stats.up);
}

TEST(Health,
     RemoteErrorsCountButLowerOnlyPeersWithSeveralNids) {  // spec/multirail.md 5.2: modifiers
  Pipe pipe;
  put_that_ends(pipe, 0, Health::kOk);  // so that the entry of the peer stays
  put_that_ends(pipe, -EIO, Health::kRemoteError);
  put_that_ends(pipe, -EIO, Health::kNetworkTimeout);
  const auto show = pipe.show(pipe.a);
  EXPECT_EQ(show.peers.at(0).nis.at(0).health_value, 1000);
  EXPECT_EQ(show.peers.at(0).nis.at(0).error, 1U);
  EXPECT_EQ(show.peers.at(0).nis.at(0).network_timeout, 1U);
  EXPECT_EQ(show.statistics.remote_error_count, 1U);
  EXPECT_EQ(show.statistics.network_timeout_count, 1U);
  EXPECT_EQ(show.nis.at(1).stats.health_value, 900);  // the network time-out lowers the NI too
}

TEST(Health, LateFailuresCountNothing) {  // spec/multirail.md 5.2: modifiers
  Pipe pipe;
  pipe.a.hold_sends = true;
  auto source = bytes(1);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr, 1), tcp(2));
  pipe.now += std::chrono::hours(1);
  pipe.finish_send(pipe.a, pipe.a.sends.at(0), -EIO, Health::kLocalError);
  const auto show = pipe.show(pipe.a);
  EXPECT_EQ(show.nis.at(1).stats.health_value, 1000);
  EXPECT_EQ(show.statistics.local_error_count, 0U);
}

TEST(Health, LoopbackHasNone) {  // spec/core-semantics.md 12
  Pipe pipe;
  pipe.a.send_status = -EIO;
  pipe.a.send_health = Health::kLocalError;
  auto source = bytes(1);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr, 1), Nid::loopback());
  EXPECT_EQ(pipe.show(pipe.a).statistics.local_error_count, 0U);
}

TEST(Health, IsSetByAdministrators) {  // spec/multirail.md 5.1
  Pipe pipe({tcp(1), tcp(11)}, {tcp(2)});
  int status = 0;
  pipe.call(pipe.a, call::SetNiHealth{Nid::any(), 0});
  EXPECT_EQ(pipe.show(pipe.a).nis.at(1).stats.health_value, 0);
  EXPECT_EQ(pipe.show(pipe.a).nis.at(2).stats.health_value, 0);
  pipe.call(pipe.a, call::SetNiHealth{tcp(11), 1000});
  EXPECT_TRUE(pipe.show(pipe.a).nis.at(2).stats.up);
  pipe.call(pipe.a, call::SetNiHealth{tcp(11), 1001}, &status);
  EXPECT_EQ(status, -EINVAL);
  pipe.call(pipe.a, call::SetNiHealth{tcp(99), 1}, &status);
  EXPECT_EQ(status, -ENOENT);
  pipe.call(pipe.a, call::SetPeerNiHealth{tcp(2), 10}, &status);
  EXPECT_EQ(status, -ENOENT);
  put_that_ends(pipe, 0, Health::kOk);
  for (const std::int32_t edge : {0, 1000}) pipe.call(pipe.a, call::SetPeerNiHealth{tcp(2), edge});
  pipe.call(pipe.a, call::SetPeerNiHealth{tcp(2), 10});
  EXPECT_EQ(pipe.show(pipe.a).peers.at(0).nis.at(0).health_value, 10);
  pipe.call(pipe.a, call::SetPeerNiHealth{tcp(2), -1}, &status);
  EXPECT_EQ(status, -EINVAL);
}

TEST(Stats, NisAreShownByNameInTheOrderOfTheConfiguration) {  // DESIGN.md 2
  Pipe pipe({tcp(1), tcp(1, 1)});
  const auto nis = pipe.show(pipe.a).nis;
  ASSERT_EQ(nis.size(), 3U);
  EXPECT_EQ(nis[0].nid, Nid::loopback());
  EXPECT_EQ(nis[1].nid, tcp(1));
  EXPECT_EQ(nis[1].id, kTcp);
  EXPECT_EQ(nis[2].nid, tcp(1, 1));
  EXPECT_EQ(nis[2].id, kTcp1);
}

TEST(Stats, WhatIsUnderWayIsCountedWhileItIs) {  // spec/core-semantics.md 9, 16
  Pipe pipe;
  pipe.a.hold_sends = true;
  auto source = bytes(10);
  const MdHandle md = pipe.bind(pipe.a, source, nullptr);
  pipe.put(pipe.a, md, tcp(2));
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);
  const auto show = pipe.show(pipe.a);
  EXPECT_EQ(show.statistics.msgs_alloc, 2U);
  EXPECT_EQ(show.statistics.rst_alloc, 1U);
  EXPECT_EQ(pipe.call(pipe.a, call::GetCounters{}).counters.msgs_alloc, 2U);
  EXPECT_EQ(show.nis.at(0).stats.refs, 2U);
  EXPECT_EQ(show.nis.at(1).stats.refs, 3U);
  EXPECT_EQ(show.nis.at(1).stats.credits, show.nis.at(1).stats.credits_max - 2);
  const PeerNiShow& peer = show.peers.at(0).nis.at(0);
  EXPECT_EQ(peer.refcount, 3U);
  EXPECT_EQ(peer.available_tx_credits, peer.max_ni_tx_credits - 2);
  EXPECT_EQ(peer.tx_q_num_of_buf, 2 * (wire::kHeaderBytesNid4 + 10));
  pipe.release_sends(pipe.a);
  EXPECT_EQ(pipe.show(pipe.a).peers.at(0).nis.at(0).tx_q_num_of_buf, 0U);
}

TEST(Stats, RouterCreditsAreThoseOfTheNetElseThePeers) {  // spec/core-semantics.md 16
  Pipe pipe;
  put_that_ends(pipe, 0, Health::kOk);
  EXPECT_EQ(pipe.show(pipe.a).peers.at(0).nis.at(0).available_rtr_credits, 8);
  pipe.a.config->nis[1].tunables.peer_buffer_credits = 1;
  pipe.configure(pipe.a);
  const PeerNiShow peer = pipe.show(pipe.a).peers.at(0).nis.at(0);
  EXPECT_EQ(peer.available_rtr_credits, 1);
  EXPECT_EQ(peer.min_rtr_credits, 1);
  pipe.a.config->nis.pop_back();
  pipe.configure(pipe.a);
  EXPECT_EQ(pipe.show(pipe.a).peers.at(0).nis.at(0).available_rtr_credits, 8)
      << "the peer is known still, its net is gone";
}

/// Two nodes with two NIDs each, which have learnt each other's NIDs: node a pings b after a push
/// that it cannot read, and then pushes its own NIDs.
struct Rails : Pipe {
  Rails() : Pipe({tcp(1), tcp(1, 1)}, {tcp(2), tcp(2, 1)}) {
    wire::LnetHeader push;
    push.dest_nid = tcp(1);
    push.src_nid = tcp(2);
    push.dest_pid = push.src_pid = Pid::lustre();
    push.part = wire::PutPart{.match_bits = wire::kPingMatchBits};
    arrive(a, push, tcp(2));
  }
  std::int32_t health_of_peer(std::size_t rail) {
    return show(a).peers.at(0).nis.at(rail).health_value;
  }
};

TEST(Health, RemoteErrorsLowerTheRailAndWhatComesRaisesIt) {  // spec/multirail.md 5.1, 5.2
  Rails rails;
  ASSERT_EQ(rails.show(rails.a).peers.at(0).nis.size(), 2U);
  for (int i = 0; i < 3; ++i) put_that_ends(rails, -EIO, Health::kRemoteError);
  EXPECT_EQ(rails.health_of_peer(0), 700);
  EXPECT_EQ(rails.health_of_peer(1), 1000);
  put_that_ends(rails, 0, Health::kOk);
  EXPECT_EQ(rails.health_of_peer(0), 700);  // a PUT that was sent does not raise the peer's health
  auto source = bytes(1), sink = bytes(8);
  rails.attach(rails.a, sink, nullptr, {.options = kOpPut | kOpGet | kManageRemote});
  const MdHandle md = rails.bind(rails.b, source, nullptr);
  rails.put(rails.b, md, tcp(1));
  EXPECT_EQ(rails.health_of_peer(0), 800);
  rails.get(rails.b, md, tcp(1));
  EXPECT_EQ(rails.health_of_peer(0), 900);
  rails.attach(rails.b, sink, nullptr);
  const MdHandle from = rails.bind(rails.a, source, nullptr);
  rails.put(rails.a, from, tcp(2), AckRequest::kAck);
  EXPECT_EQ(rails.health_of_peer(0), 1000);
}

TEST(Health, ACallToOneselfBlamesNoPeer) {  // spec/multirail.md 5.2: modifiers
  Rails rails;
  auto source = bytes(1);
  rails.a.send_status = -EIO;
  rails.a.send_health = Health::kRemoteError;
  rails.put(rails.a, rails.bind(rails.a, source, nullptr), tcp(1));
  for (const PeerShow& peer : rails.show(rails.a).peers)
    for (const PeerNiShow& ni : peer.nis) EXPECT_EQ(ni.health_value, 1000);
}

}  // namespace
}  // namespace ulnet::core::test
