// Which shard answers a call, and how the answers of several shards are merged.
// flow/partitions_test.cc has nodes of several shards. Source: spec/core-semantics.md 3, 7, 13.2,
// spec/multirail.md 2.2.
#include "lnet/core/contract/call_fanout.h"

#include <gmock/gmock.h>

#include "lnet/core/contract/nids_fixture.h"

namespace ulnet::core::test {
namespace {

using testing::ElementsAre;

constexpr std::uint32_t kShards = 4, kCaller = 2;
const Placement kPlacement = [] {
  NodeConfig config;
  config.shards = kShards;
  return Placement(config);
}();

/// The first NID of a peer in this shard.
Nid peer(std::uint32_t shard) {
  std::uint32_t host = 1;
  while (kPlacement.of(tcp(host)) != shard) ++host;
  return tcp(host);
}

template <class Call>
std::optional<std::uint32_t> answers(Call call) {
  return shard_of(kPlacement, ApiCall{std::move(call)}, kCaller);
}

TEST(CallFanout, ACallWithACookieGoesToItsShard) {
  for (const std::uint32_t shard : {0U, 1U, 2U, 3U, 4U, 255U}) {
    const MdHandle md{make_cookie(CookieKind::kMd, shard, {7, 9})};
    const std::uint32_t who = shard < kShards ? shard : kCaller;
    PutRequest put;
    GetRequest get;
    put.md = get.md = md;
    EXPECT_EQ(answers(call::Put{put}), who);
    EXPECT_EQ(answers(call::Get{get}), who);
    EXPECT_EQ(answers(call::MdUnlink{md}), who);
    EXPECT_EQ(answers(call::MdAttach{{make_cookie(CookieKind::kMe, shard, {7, 9})}, {}}), who);
    EXPECT_EQ(*md_of(ApiCall{call::Put{put}}), md);
    EXPECT_EQ(*md_of(ApiCall{call::Get{get}}), md);
    EXPECT_EQ(md_of(ApiCall{call::MdUnlink{md}}), nullptr);
  }
}

TEST(CallFanout, ACallOnAPortalGoesToItsOwner) {  // spec/core-semantics.md 3, 7.1
  for (const std::uint32_t portal : {5U, 63U, 64U, 4711U}) {
    const std::uint32_t who = portal < 64 ? portal % kShards : kCaller;
    EXPECT_EQ(answers(call::SetLazy{{portal}}), who);
    EXPECT_EQ(answers(call::ClearLazy{{portal}}), who);
    EXPECT_EQ(answers(call::ClaimPortal{{portal}}), who);
    EXPECT_EQ(answers(call::MeAttach{{portal}}), who);
  }
  call::MeAttach local{{5}};
  local.position = InsertPosition::kLocal;
  EXPECT_EQ(answers(local), kCaller);
  local.local = 3;
  EXPECT_EQ(answers(local), 3U);
  local.match_id = {peer(0), Pid::lustre()};
  EXPECT_EQ(answers(local), 0U) << "a unique portal: by the NID";
}

TEST(CallFanout, OtherCallsGoToTheirShards) {
  EXPECT_EQ(answers(call::MdBind{}), kCaller);
  EXPECT_EQ(answers(call::SetPeerNiHealth{peer(3)}), 3U);
  EXPECT_EQ(answers(call::Ping{}), kControlShard);
  EXPECT_EQ(answers(call::Discover{}), kControlShard);
  EXPECT_EQ(answers(call::PrimaryNid{}), kControlShard);
  EXPECT_EQ(answers(call::SetNiHealth{}), kControlShard);
  for (const auto& who : {answers(call::PeerAdd{}), answers(call::DeclarePeer{}),
                          answers(call::PeerDiscovered{}), answers(call::SetPeerState{})})
    EXPECT_EQ(who, kControlShard);
  for (const auto& who :
       {answers(call::GetCounters{}), answers(call::Show{}), answers(call::ResetStats{}),
        answers(call::ResetMinima{}), answers(call::Fail{}), answers(call::Shutdown{}),
        answers(call::PeerDel{}), answers(call::SetPeersHealth{})})
    EXPECT_EQ(who, std::nullopt) << "all of them";
}

// ---- what several shards show

/// Sets each of the numbers to the next value.
struct Fill {
  std::uint64_t next;
  template <class... Numbers>
  void operator()(Numbers&... numbers) {
    ((numbers = static_cast<Numbers>(next++)), ...);
  }
  void operator()(TypeCounts& c) { (*this)(c.put, c.get, c.reply, c.ack, c.hello); }
  void operator()(TrafficStats& t) {
    (*this)(t.sent);
    (*this)(t.received);
    (*this)(t.dropped);
  }
};

std::vector<std::uint64_t> numbers(const TypeCounts& c) {
  return {c.put, c.get, c.reply, c.ack, c.hello};
}
std::vector<std::uint64_t> numbers(const LatencySamples& l) {
  return {l.samples, l.min_nsec, l.max_nsec, l.avg_nsec};
}

call::Show merged(call::Show into, call::Show from, std::uint32_t shard = 1) {
  ApiCall whole{std::move(into)};
  merge(kPlacement, whole, ApiCall{std::move(from)}, shard);
  return std::get<call::Show>(whole.body);
}

call::Show with_ni(const NiStats& stats, const Nid& nid = tcp(1)) {
  call::Show show;
  show.nis.push_back({{2}, nid, stats});
  return show;
}
NiStats merged(const NiStats& into, const NiStats& from, const Nid& nid = tcp(1)) {
  return merged(with_ni(into, nid), with_ni(from, nid)).nis.at(0).stats;
}

NiStats ni_with(std::uint64_t first) {
  NiStats s;
  Fill fill{first};
  fill(s.traffic);
  for (const auto& counter : kNiErrors) fill(s.errors.*counter.value);
  fill(s.credits_max, s.credits, s.credits_min, s.refs);
  return s;
}

TEST(CallFanout, CountersOfAnNiAreSummed) {  // spec/core-semantics.md 9, 10.1
  const NiStats sum = merged(ni_with(100), ni_with(1000));
  EXPECT_THAT(numbers(sum.traffic.sent), ElementsAre(1100, 1102, 1104, 1106, 1108));
  EXPECT_THAT(numbers(sum.traffic.received), ElementsAre(1110, 1112, 1114, 1116, 1118));
  EXPECT_THAT(numbers(sum.traffic.dropped), ElementsAre(1120, 1122, 1124, 1126, 1128));
  EXPECT_EQ(sum.traffic.sent.sum(), 5520U);
  const NiErrors& e = sum.errors;
  EXPECT_THAT((std::vector{e.interrupts, e.dropped, e.aborted, e.no_route, e.timeouts, e.error}),
              ElementsAre(1130, 1132, 1134, 1136, 1138, 1140));
  EXPECT_THAT((std::vector{sum.credits_max, sum.credits, sum.credits_min}),
              ElementsAre(1142, 1144, 1146));
  EXPECT_EQ(sum.refs, 1147U) << "1 of each partition is for the NI itself";
  EXPECT_EQ(merged(ni_with(100), ni_with(1000), Nid::loopback()).refs, 1146U) << "0@lo has 2";
}

TEST(CallFanout, AnNiThatNotAllPartitionsHaveYetIsShownByThoseThatHave) {
  call::Show two = with_ni(ni_with(100)), one = with_ni(ni_with(1000));
  two.nis.push_back(two.nis[0]);
  one.nis.push_back(one.nis[0]);
  one.nis.pop_back();
  const call::Show sum = merged(two, std::move(one));
  ASSERT_EQ(sum.nis.size(), 2U);
  EXPECT_EQ(sum.nis[0].stats.errors.error, 1140U);
  EXPECT_EQ(sum.nis[1].stats.errors.error, 120U);
}

TEST(CallFanout, TheControlShardGivesTheHealthOfAnNi) {  // spec/multirail.md 5.1
  NiStats control, other;
  control.health_value = 300;
  control.up = false;
  other.fatal_error = true;
  const NiStats both = merged(control, other);
  EXPECT_EQ(both.health_value, 300);
  EXPECT_FALSE(both.up);
  EXPECT_TRUE(both.fatal_error) << "no matter which shard learned of it first";
  EXPECT_EQ(merged(other, control).health_value, 1000);
  EXPECT_TRUE(merged(other, control).up);
  EXPECT_FALSE(merged(control, control).fatal_error);
}

TEST(CallFanout, ALatencyCombinesAllSamples) {  // spec/cli-lnetctl.md 12.2
  const LatencySamples none, few{1, 5, 5, 5}, more{3, 2, 9, 7};
  const auto both = [](const LatencySamples& into, const LatencySamples& from) {
    NiStats a, b;
    for (auto part : {&TrafficStats::put_egress, &TrafficStats::get_rtt, &TrafficStats::put_ack}) {
      a.traffic.*part = into;
      b.traffic.*part = from;
    }
    const TrafficStats sum = merged(a, b).traffic;
    EXPECT_EQ(numbers(sum.get_rtt), numbers(sum.put_egress));
    EXPECT_EQ(numbers(sum.put_ack), numbers(sum.put_egress));
    return numbers(sum.put_egress);
  };
  EXPECT_THAT(both(few, more), ElementsAre(4, 2, 9, 6));
  EXPECT_THAT(both(more, few), ElementsAre(4, 2, 9, 6));
  EXPECT_THAT(both(none, more), ElementsAre(3, 2, 9, 7));
  EXPECT_THAT(both(more, none), ElementsAre(3, 2, 9, 7));
}

TEST(CallFanout, CountersAndDropsAreAddedUp) {  // spec/core-semantics.md 9, 16
  call::Show a, b;
  std::uint64_t value = 1;
  for (const auto& counter : kGlobalStats) {
    a.statistics.*counter.value = value;
    b.statistics.*counter.value = 100 * value++;
  }
  a.drops = {{"one", 1}, {"two", 2}};
  b.drops = {{"one", 10}, {"two", 20}};
  a.late = {1, 5};
  b.late = {2, 6};
  a.ping_sequence = 3;
  const call::Show sum = merged(a, b);
  value = 1;
  for (const auto& counter : kGlobalStats) EXPECT_EQ(sum.statistics.*counter.value, 101 * value++);
  EXPECT_EQ(sum.drops.at(0).count, 11U);
  EXPECT_EQ(sum.drops.at(1).count, 22U);
  EXPECT_EQ(sum.late.count, 3U);
  EXPECT_EQ(sum.late.nsec, 11U);
  EXPECT_EQ(sum.ping_sequence, 3U) << "only the control shard has a ping target";
}

TEST(CallFanout, CountersAloneAreAddedUp) {  // spec/core-semantics.md 16
  GlobalStats one, more;
  one.send_count = 4;
  more.send_count = 40;
  more.drop_length = 110;
  ApiCall whole{call::GetCounters{one}};
  merge(kPlacement, whole, ApiCall{call::GetCounters{more}}, 1);
  const GlobalStats& sum = std::get<call::GetCounters>(whole.body).statistics;
  EXPECT_EQ(sum.send_count, 44U);
  EXPECT_EQ(sum.drop_length, 110U);
}

// ---- peers

PeerShow peer_with(const Nid& primary, const std::vector<Nid>& nids, std::int32_t health) {
  PeerShow shown;
  shown.primary = primary;
  for (const Nid& nid : nids) {
    PeerNiShow ni;
    ni.nid = nid;
    ni.health_value = health;
    ni.traffic.sent.put = static_cast<std::uint64_t>(health);
    shown.nis.push_back(ni);
  }
  return shown;
}

TEST(CallFanout, APeerNiIsShownByItsOwnPartitionAndItsTrafficIsOfAll) {
  call::Show zero, one;
  zero.peers = {peer_with(peer(1), {peer(1), peer(3)}, 100)};
  one.peers = {peer_with(peer(1), {peer(1), peer(3), peer(2)}, 20),
               peer_with(peer(0), {peer(0)}, 3)};
  const call::Show sum = merged(zero, one);
  ASSERT_EQ(sum.peers.size(), 2U);
  const PeerShow& known = sum.peers[0];
  EXPECT_EQ(known.primary, peer(1));
  ASSERT_EQ(known.nis.size(), 3U);
  EXPECT_EQ(known.nis[0].health_value, 20) << "the value of partition 1";
  EXPECT_EQ(known.nis[1].health_value, 100) << "not the value of partition 1";
  EXPECT_EQ(known.nis[2].nid, peer(2)) << "partition 0 did not know it";
  EXPECT_EQ(known.nis[0].traffic.sent.put, 120U);
  EXPECT_EQ(known.nis[1].traffic.sent.put, 120U);
  EXPECT_EQ(known.nis[2].traffic.sent.put, 20U);
  EXPECT_EQ(sum.peers[1].primary, peer(0)) << "nor this peer";
}

TEST(CallFanout, APeerIsDeletedIfTheControlShardKnowsItAndNoneIsBusy) {  // spec/multirail.md 2.2
  const auto both = [](int into, int from) {
    ApiCall whole{call::PeerDel{}}, answer{call::PeerDel{}};
    whole.status = into;
    answer.status = from;
    answer.reason = "from the second one";
    merge(kPlacement, whole, std::move(answer), 1);
    return std::pair(whole.status, std::string(whole.reason));
  };
  EXPECT_EQ(both(0, 0).first, 0);
  EXPECT_EQ(both(-ENOENT, 0).first, -ENOENT);
  EXPECT_EQ(both(0, -EBUSY), std::pair(-EBUSY, std::string("from the second one")));
  EXPECT_EQ(both(-ENOENT, -EBUSY).first, -EBUSY);
  EXPECT_EQ(both(-ECHILD, -EBUSY), std::pair(-ECHILD, std::string())) << "the first error counts";
  EXPECT_EQ(both(-ECHILD, 0).first, -ECHILD);
}

// ---- which shards are entered, in which order

struct Entered {
  std::vector<std::uint32_t> shards;
  ApiCall call;
};
/// `answer(shard, call, nth)` plays the nth shard that is entered.
template <class Answer>
Entered entered(ApiCall call, Answer&& answer, const Placement& placement = kPlacement) {
  Entered entered;
  call_among(placement, kCaller, call, [&](std::uint32_t shard, ApiCall& part) {
    entered.shards.push_back(shard);
    answer(shard, part, entered.shards.size());
  });
  entered.call = std::move(call);
  return entered;
}
constexpr auto kNothing = [](std::uint32_t, ApiCall&, std::size_t) {};

TEST(CallFanout, OneShardOrAllOfThem) {
  EXPECT_THAT(entered(ApiCall{call::MdBind{}}, kNothing).shards, ElementsAre(kCaller));
  EXPECT_THAT(entered(ApiCall{call::Shutdown{}}, kNothing).shards, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(entered(ApiCall{call::Shutdown{}}, kNothing, Placement()).shards, ElementsAre(0));
  EXPECT_THAT(entered(ApiCall{call::PeerDel{}}, kNothing, Placement()).shards, ElementsAre(0));
}

/// MeAttach at shard 2 on portal 5, whose owner shard is 1. The shards answer with `statuses`, one
/// after the other.
Entered attached(std::vector<int> statuses) {
  call::MeAttach attach{{5}};
  attach.position = InsertPosition::kLocal;
  return entered(ApiCall{attach}, [&](std::uint32_t, ApiCall& part, std::size_t nth) {
    part.status = statuses.at(nth - 1);
    part.reason = nth == 1 ? "first" : nth == 2 ? "second" : "third";
    if (const auto* claim = std::get_if<call::ClaimPortal>(&part.body)) {
      EXPECT_EQ(claim->user, kCaller);
    } else {
      EXPECT_EQ(std::get<call::MeAttach>(part.body).claimed, nth == 3);
    }
  });
}

TEST(CallFanout, AFirstEntryIsClaimedAtTheOwnerShard) {  // spec/core-semantics.md 3
  EXPECT_THAT(attached({0}).shards, ElementsAre(2));
  EXPECT_THAT(attached({-EPERM}).shards, ElementsAre(2));
  const Entered twice = attached({-EAGAIN, 0, -ENOMEM});
  EXPECT_THAT(twice.shards, ElementsAre(2, 1, 2));
  EXPECT_EQ(twice.call.status, -ENOMEM);
  const Entered refused = attached({-EAGAIN, -EPERM});
  EXPECT_THAT(refused.shards, ElementsAre(2, 1));
  EXPECT_EQ(refused.call.status, -EPERM);
  EXPECT_STREQ(refused.call.reason, "second");
}

TEST(CallFanout, APeerIsDeletedByTheControlShardOnceAllAgree) {  // spec/multirail.md 2.2
  std::vector<bool> decided;
  const auto with = [&](int status_of_two) {
    decided.clear();
    return entered(ApiCall{call::PeerDel{peer(0)}},
                   [&](std::uint32_t shard, ApiCall& part, std::size_t) {
                     decided.push_back(std::get<call::PeerDel>(part.body).decided);
                     part.status = shard == 2 ? status_of_two : 0;
                   });
  };
  EXPECT_THAT(with(0).shards, ElementsAre(0, 1, 2, 3, kControlShard));
  EXPECT_THAT(decided, ElementsAre(false, false, false, false, true));
  const Entered refused = with(-EBUSY);
  EXPECT_THAT(refused.shards, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(refused.call.status, -EBUSY);
}

}  // namespace
}  // namespace ulnet::core::test
