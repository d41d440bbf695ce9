// Counters, their display, and health. spec/core-semantics.md 9, 16, 18.12, spec/multirail.md 5.1,
// 5.2, spec/cli-lnetctl.md 12.
#include "lnet/core/contract/stats.h"

#include <gmock/gmock.h>

#include <set>
#include <tuple>

#include "lnet/core/flow/pipe_fixture.h"
#include "lnet/core/flow/step.h"
#include "lnet/core/path/health.h"
#include "lnet/wire/ping_info.h"

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

TEST(Stats, GlobalCounters) {  // spec/cli-lnetctl.md 12.1; spec/core-semantics.md 8.12, 9
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

// A PUT that the driver sends at once counts with at least 1 ns: 0 means that there is no sample.
TEST(Stats, NoLatencyIsZero) {  // spec/cli-lnetctl.md 12.2
  Traffic4 t;
  const LatencySamples egress = t.show(t.a).nis.at(1).stats.traffic.put_egress;
  EXPECT_EQ(egress.samples, 3U);
  EXPECT_GE(egress.min_nsec, 1U);
  EXPECT_GE(egress.avg_nsec, 1U);
}

TEST(Stats, NisAndPeersCountByType) {  // spec/cli-lnetctl.md 12.2; spec/core-semantics.md 9
  Traffic4 t;
  const auto a = t.show(t.a), b = t.show(t.b);
  for (const TrafficStats& sent : {a.nis.at(1).stats.traffic, a.peers.at(0).nis.at(0).traffic}) {
    EXPECT_EQ(sent.sent.put, 3U);
    EXPECT_EQ(sent.sent.get, 1U);
    EXPECT_EQ(sent.received.ack, 1U);
    EXPECT_EQ(sent.received.reply, 1U);
  }
  EXPECT_EQ(a.nis.at(1).stats.bytes.sent, b.nis.at(1).stats.bytes.received + 10) << "one dropped";
  EXPECT_GT(a.nis.at(1).stats.bytes.sent, 0U);
  EXPECT_EQ(a.nis.at(1).stats.bytes.received, b.nis.at(1).stats.bytes.sent);
  EXPECT_EQ(b.nis.at(1).stats.traffic.received.sum(), 4U);
  EXPECT_EQ(b.nis.at(1).stats.traffic.dropped.put, 1U);
  EXPECT_EQ(b.peers.at(0).nis.at(0).traffic.dropped.sum(),
            0U);  // the receiver counts drops for its NI only
}

// spec/core-semantics.md 9
TEST(Stats, TheElevenNumbers) {  // spec/core-semantics.md 16: stats
  Traffic4 t;
  const GlobalStats c = t.call(t.b, call::GetCounters{}).statistics;
  EXPECT_EQ(c.msgs_alloc, 0U);
  EXPECT_EQ(c.send_count, 2U);
  EXPECT_EQ(c.recv_count, 3U);
  EXPECT_EQ(c.drop_count, 1U);
  EXPECT_EQ(c.drop_length, 10U);
  EXPECT_EQ(c.route_count, 0U);
}

TEST(Stats, ResetClearsThemAll) {  // spec/cli-lnetctl.md 3.12, 12.2; spec/core-semantics.md 16
  Traffic4 t;
  t.call(t.a, call::ResetStats{});
  const auto show = t.show(t.a);
  EXPECT_EQ(show.statistics.send_count, 0U);
  EXPECT_EQ(show.nis.at(1).stats.traffic.sent.sum(), 0U);
  EXPECT_EQ(show.nis.at(1).stats.bytes.sent, 0U);
  EXPECT_EQ(show.nis.at(1).stats.traffic.get_rtt.samples, 0U);
  EXPECT_EQ(show.peers.at(0).nis.at(0).traffic.put_ack.samples, 0U);
  for (const call::DropRow& row : show.drops) EXPECT_EQ(row.count, 0U);
}

TEST(Stats, ResetClearsErrorsToo) {  // spec/cli-lnetctl.md 12.2
  Pipe pipe;
  auto source = bytes(1);
  const MdHandle md = pipe.bind(pipe.a, source, nullptr);
  pipe.put(pipe.a, md, tcp(2));
  pipe.a.hold_sends = true;
  for (int i = 0; i < 3; ++i) pipe.put(pipe.a, md, tcp(2));
  EXPECT_GE(pipe.show(pipe.a).statistics.msgs_max, 3U);  // the sum over all shards
  pipe.finish_send(pipe.a, pipe.a.sends.at(0), -EIO, Health::kLocalError);
  pipe.finish_send(pipe.a, pipe.a.sends.at(1), -EIO, Health::kRemoteError);
  pipe.call(pipe.a, call::ResetStats{});
  const auto show = pipe.show(pipe.a);
  EXPECT_EQ(show.statistics.msgs_max, 1U) << "one is under way";
  EXPECT_EQ(show.nis.at(1).stats.errors.error, 0U);
  EXPECT_EQ(show.peers.at(0).nis.at(0).errors.error, 0U);
  EXPECT_EQ(show.peers.at(0).nis.at(0).traffic.sent.sum(), 0U);
}

/// All counters, in the order of the members.
std::vector<std::uint64_t> numbers(const TypeCounts& c) {
  return {c.put, c.get, c.reply, c.ack, c.hello};
}
std::vector<std::uint64_t> numbers(const TrafficStats& t) {
  std::vector<std::uint64_t> all;
  for (const TypeCounts* c : {&t.sent, &t.received, &t.dropped})
    for (const std::uint64_t n : numbers(*c)) all.push_back(n);
  for (const LatencySamples* l : {&t.put_egress, &t.get_rtt, &t.put_ack})
    all.insert(all.end(), {l->samples, l->min_nsec, l->max_nsec, l->avg_nsec});
  return all;
}
const std::vector<std::uint64_t> kNoTraffic(15 + 12, 0);

template <class Stats, std::size_t N>
std::vector<std::uint64_t> values(const std::array<CounterName<Stats>, N>& names,
                                  const Stats& stats) {
  std::vector<std::uint64_t> all;
  for (const auto& counter : names) all.push_back(stats.*counter.value);
  return all;
}

/// All fields but the credits.
auto rest_of(const NiStats& s) {
  return std::tuple(numbers(s.traffic), s.health_value, s.fatal_error, values(kNiErrors, s.errors),
                    s.ping_count, s.next_ping, s.up, s.refs, s.alive_s);
}
auto rest_of(const PeerNiShow& s) {
  return std::tuple(numbers(s.traffic), std::string(s.state), s.tx_q_num_of_buf, s.refcount,
                    s.last_heard_s, s.health_value, values(kPeerNiErrors, s.errors), s.ping_count,
                    s.next_ping);
}
auto credits_of(const NiStats& s) { return std::tuple(s.credits_max, s.credits, s.credits_min); }
auto credits_of(const PeerNiShow& s) {
  return std::tuple(s.max_ni_tx_credits, s.available_tx_credits, s.min_tx_credits,
                    s.available_rtr_credits, s.min_rtr_credits);
}

// An unused NI or peer NI shows the default values of the structs.
TEST(Stats, CountersStartAtZero) {  // spec/core-semantics.md 9, 16
  ONE_SHARD_ONLY();
  Pipe pipe;
  const auto show = pipe.show(pipe.a);
  GlobalStats statistics;  // default-initialised, as in the core, not GlobalStats{}
  NiStats untouched;
  for (const GlobalStats& all : {show.statistics, statistics})
    for (const auto& counter : kGlobalStats) EXPECT_EQ(all.*counter.value, 0U) << counter.name;
  for (const call::DropRow& row : show.drops) EXPECT_EQ(row.count, 0U);
  const auto none =
      std::tuple(kNoTraffic, 1000, false, std::vector<std::uint64_t>(6), 0, 0, true, 1U, 0);
  EXPECT_EQ(rest_of(show.nis.at(1).stats), none);
  EXPECT_EQ(rest_of(untouched), none);
  EXPECT_EQ(credits_of(show.nis[1].stats), std::tuple(256, 256, 256));
  EXPECT_EQ(credits_of(untouched), std::tuple(0, 0, 0));
}

TEST(Stats, ANewPeerHasNoCounts) {  // spec/core-semantics.md 16
  ONE_SHARD_ONLY();
  Pipe pipe;
  pipe.a.hold_sends = true;
  auto source = bytes(1);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr), tcp(2));
  PeerNiShow peer = pipe.show(pipe.a).peers.at(0).nis.at(0);
  EXPECT_EQ(credits_of(peer), std::tuple(8, 7, 7, 8, 8));
  EXPECT_EQ(peer.refcount, 2U);
  peer.traffic = {};
  peer.tx_q_num_of_buf = 0;
  --peer.refcount;
  PeerNiShow untouched;
  PeerShow nobody;
  EXPECT_EQ(rest_of(peer), rest_of(untouched)) << "but for the PUT that is under way";
  EXPECT_EQ(rest_of(untouched),
            std::tuple(kNoTraffic, "NA", 0U, 1U, -1, 1000, std::vector<std::uint64_t>(4), 0, 0));
  EXPECT_EQ(credits_of(untouched), std::tuple(0, 0, 0, 0, 0));
  EXPECT_FALSE(nobody.multi_rail);
  EXPECT_EQ(nobody.state_bits, 0U);
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
  EXPECT_TRUE(t.call(t.a, call::Show{.want_peers = false, .peer = tcp(2)}).peers.empty());
  t.put(t.a, t.bind(t.a, t.source, nullptr), Nid::loopback());
  EXPECT_TRUE(t.call(t.a, call::Show{.peer = Nid::loopback()}).peers.empty());
}

TEST(Stats, PeersAreShownInTheOrderOfTheirCreation) {  // DESIGN.md 2: no order from a hash
  ONE_SHARD_ONLY();
  Pipe pipe;
  pipe.a.hold_sends = true;
  auto source = bytes(1);
  const MdHandle md = pipe.bind(pipe.a, source, nullptr);
  std::vector<Nid> nids;
  for (int i = 0; i < 200; ++i) nids.push_back(tcp(static_cast<std::uint8_t>(7 * i + 3)));
  pipe.introduce(pipe.a, nids);
  for (const Nid& nid : nids) pipe.put(pipe.a, md, nid);
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
  pipe.put_there(pipe.a, pipe.bind(pipe.a, source, nullptr, 1), tcp(2));
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

TEST(Health, EveryFailureIsCountedInItsPlace) {  // spec/multirail.md 5.2
  using enum Health;
  using G = GlobalStats;
  struct Counted {
    Health health;
    std::uint64_t G::*global;
    std::uint64_t NiErrors::*ni = nullptr;
    std::uint64_t PeerNiErrors::*peer = nullptr;
  };
  for (const Counted& row :
       {Counted{kLocalInterrupt, &G::local_interrupt_count, &NiErrors::interrupts},
        Counted{kLocalDropped, &G::local_dropped_count, &NiErrors::dropped},
        Counted{kLocalAborted, &G::local_aborted_count, &NiErrors::aborted},
        Counted{kLocalNoRoute, &G::local_no_route_count, &NiErrors::no_route},
        Counted{kLocalTimeout, &G::local_timeout_count, &NiErrors::timeouts},
        Counted{kLocalError, &G::local_error_count, &NiErrors::error},
        Counted{kRemoteDropped, &G::remote_dropped_count, {}, &PeerNiErrors::dropped},
        Counted{kRemoteError, &G::remote_error_count, {}, &PeerNiErrors::error},
        Counted{kRemoteTimeout, &G::remote_timeout_count, {}, &PeerNiErrors::timeout},
        Counted{kNetworkTimeout, &G::network_timeout_count, {}, &PeerNiErrors::network_timeout}}) {
    SCOPED_TRACE(to_string(row.health));
    Pipe pipe;
    put_that_ends(pipe, 0, kOk);  // so that the entry of the peer stays
    for (int i = 0; i < 2; ++i) put_that_ends(pipe, -EIO, row.health);
    const auto show = pipe.show(pipe.a);
    G global = show.statistics;
    EXPECT_EQ(std::exchange(global.*row.global, 0), 2U);
    EXPECT_EQ(global.local_interrupt_count + global.local_dropped_count +
                  global.local_aborted_count + global.local_no_route_count +
                  global.local_timeout_count + global.local_error_count +
                  global.remote_dropped_count + global.remote_error_count +
                  global.remote_timeout_count + global.network_timeout_count,
              0U);
    NiErrors ni = show.nis.at(1).stats.errors;
    EXPECT_EQ(row.ni == nullptr ? 2 : std::exchange(ni.*row.ni, 0), 2U);
    EXPECT_EQ(ni.interrupts + ni.dropped + ni.aborted + ni.no_route + ni.timeouts + ni.error, 0U);
    PeerNiErrors peer = show.peers.at(0).nis.at(0).errors;
    EXPECT_EQ(row.peer == nullptr ? 2 : std::exchange(peer.*row.peer, 0), 2U);
    EXPECT_EQ(peer.dropped + peer.timeout + peer.error + peer.network_timeout, 0U);
  }
}

TEST(Health, LocalErrorsLowerTheNiAndSuccessRaisesIt) {  // spec/multirail.md 5.1, 5.2
  Pipe pipe;
  for (int i = 0; i < 3; ++i) put_that_ends(pipe, -EIO, Health::kLocalError);
  auto ni = pipe.show(pipe.a).nis.at(1).stats;
  EXPECT_EQ(ni.health_value, 700);
  EXPECT_EQ(ni.errors.error, 3U);
  const GlobalStats g = pipe.show(pipe.a).statistics;
  EXPECT_EQ(g.local_error_count, 3U);
  EXPECT_EQ(g.errors, 3U);
  EXPECT_EQ(g.send_count, 0U);
  put_that_ends(pipe, 0, Health::kOk);
  EXPECT_EQ(pipe.show(pipe.a).nis.at(1).stats.health_value, 800);
  for (int i = 0; i < 5; ++i) put_that_ends(pipe, 0, Health::kOk);
  EXPECT_EQ(pipe.show(pipe.a).nis.at(1).stats.health_value, 1000);
}

TEST(Health, AnNiWithHealth0IsDownUntilFullHealth) {  // spec/multirail.md 5.1
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
  EXPECT_EQ(show.peers.at(0).nis.at(0).errors.error, 1U);
  EXPECT_EQ(show.peers.at(0).nis.at(0).errors.network_timeout, 1U);
  EXPECT_EQ(show.statistics.remote_error_count, 1U);
  EXPECT_EQ(show.statistics.network_timeout_count, 1U);
  EXPECT_EQ(show.nis.at(1).stats.health_value, 900);  // the network time-out lowers the NI too
}

TEST(Health, LateFailuresCountNothing) {  // spec/multirail.md 5.2: modifiers
  for (const Duration late : {Duration(0), Duration(1)}) {
    Pipe pipe;
    pipe.a.hold_sends = true;
    auto source = bytes(1);
    pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr, 1), tcp(2));
    pipe.now = pipe.a.sends.at(0).deadline + late;
    pipe.finish_send(pipe.a, pipe.a.sends[0], -EIO, Health::kLocalError);
    const auto show = pipe.show(pipe.a);
    EXPECT_EQ(show.nis.at(1).stats.health_value, late.count() == 0 ? 900 : 1000);
    EXPECT_EQ(show.statistics.local_error_count, late.count() == 0 ? 1U : 0U);
    EXPECT_EQ(show.late.count, late.count() == 0 ? 0U : 1U);
    EXPECT_EQ(show.late.nsec, static_cast<std::uint64_t>(late.count()));
  }
}

TEST(Health, LoopbackHasNone) {  // spec/core-semantics.md 12; spec/multirail.md 5.2
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
  EXPECT_TRUE(pipe.show(pipe.a).nis.at(0).stats.up) << "0@lo has no health";
  EXPECT_FALSE(pipe.show(pipe.a).nis.at(1).stats.up);
  const Shard& control = *pipe.a.shards[kControlShard];
  EXPECT_EQ(control.observe().portal0.info.legacy.at(0).status, wire::NiStatus::kDown);
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

TEST(Stats, MessagesUnderWayAreCounted) {  // spec/core-semantics.md 9, 10.2.3, 16
  Pipe pipe;
  pipe.a.hold_sends = true;
  auto source = bytes(10);
  const MdHandle md = pipe.bind(pipe.a, source, nullptr);
  pipe.put(pipe.a, md, tcp(2));
  pipe.put(pipe.a, md, tcp(2), AckRequest::kAck);
  const auto show = pipe.show(pipe.a);
  EXPECT_EQ(show.statistics.msgs_alloc, 2U);
  EXPECT_EQ(show.statistics.rst_alloc, 1U);
  EXPECT_EQ(pipe.call(pipe.a, call::GetCounters{}).statistics.msgs_alloc, 2U);
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

TEST(Stats, RouterCreditsAreThoseOfTheNetElseThePeers) {  // spec/core-semantics.md 10.3.1, 16
  Pipe pipe;
  put_that_ends(pipe, 0, Health::kOk);
  EXPECT_EQ(pipe.show(pipe.a).peers.at(0).nis.at(0).available_rtr_credits, 8);
  pipe.a.config->nis[1].tunables.peer_buffer_credits = 1;
  pipe.configure(pipe.a);
  const PeerNiShow peer = pipe.show(pipe.a).peers.at(0).nis.at(0);
  EXPECT_EQ(peer.available_rtr_credits, 1);
  EXPECT_EQ(peer.min_rtr_credits, 1);
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

TEST(Health, RemoteErrorsLowerARailAndTrafficRaisesIt) {  // spec/multirail.md 5.1, 5.2
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
  const auto no_ack = AckRequest::kNoAck;
  rails.put(rails.b, md, tcp(1), no_ack, 7, 5, 0, tcp(2));
  EXPECT_EQ(rails.health_of_peer(0), 800);
  rails.get(rails.b, md, tcp(1), 7, 5, 0, tcp(2));
  EXPECT_EQ(rails.health_of_peer(0), 900);
  rails.attach(rails.b, sink, nullptr);
  const MdHandle from = rails.bind(rails.a, source, nullptr);
  rails.put_there(rails.a, from, tcp(2), AckRequest::kAck);
  EXPECT_EQ(rails.health_of_peer(0), 1000);
}

TEST(Health, ACallToThisNodeBlamesNoPeer) {  // spec/multirail.md 5.2: modifiers
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
