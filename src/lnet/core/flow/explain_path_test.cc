// `debug path`: it shows the path that the next message takes, and does not change the round-robin
// state. spec/multirail.md 3.
#include <gmock/gmock.h>

#include "lnet/core/flow/push_fixture.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core::test {
namespace {

using testing::ElementsAre;

/// Both nodes have two NIs on tcp and one on tcp1, and a knows that b's NIDs form one peer.
struct Rails3 : Pipe {
  Rails3() : Pipe({tcp(1), tcp(3), tcp(1, 1)}, {tcp(2), tcp(4), tcp(2, 1)}) {
    a.hold_sends = true;
    push_to_a(*this, encode(info_with({tcp(2), tcp(4), tcp(2, 1)})), tcp(2));
    a.sends.clear();
    md = bind(a, memory, nullptr);
  }
  call::ExplainPath explain(const Nid& to, const Nid& from = Nid::any(),
                            std::optional<std::uint32_t> cpt = {}) {
    return call(a, call::ExplainPath{to, from, cpt});
  }
  std::vector<std::byte> memory = bytes(8);
  MdHandle md;
};

/// The nets and NIDs of the chosen candidates.
std::vector<std::string> chosen(const Explanation& why) {
  std::vector<std::string> all;
  for (const Candidate& one : why.candidates)
    if (one.chosen)
      all.push_back(one.kind == Candidate::Kind::kNet ? one.net.to_string() : one.nid.to_string());
  return all;
}

TEST(ExplainPath, TheNextMessageTakesTheShownPath) {
  Rails3 p;
  for (int i = 0; i < 12; ++i) {
    // The view of the shard where the PUT begins, which is the caller's.
    const auto shown = p.explain(tcp(2), Nid::any(), p.a.caller);
    EXPECT_EQ(shown.path_status, 0);
    EXPECT_TRUE(shown.known && shown.multi_rail);
    EXPECT_FALSE(shown.waits);
    EXPECT_STREQ(shown.why.way, "multi-rail peer: any of its NIDs by any NI");
    p.put(p.a, p.md, tcp(2));
    const Send& sent = p.a.sends.back();
    EXPECT_EQ(shown.hop, sent.hop.nid) << i;
    EXPECT_EQ(shown.source, sent.header.src_nid) << i;
    EXPECT_THAT(chosen(shown.why), ElementsAre(shown.hop.net().to_string(),
                                               shown.source.to_string(), shown.hop.to_string()));
  }
}

TEST(ExplainPath, ExplainingTakesNoTurn) {
  Rails3 p;
  const auto first = p.explain(tcp(2));
  for (int i = 0; i < 5; ++i) {
    const auto again = p.explain(tcp(2));
    EXPECT_EQ(again.hop, first.hop);
    EXPECT_EQ(again.source, first.source);
  }
}

TEST(ExplainPath, EachRejectedCandidateHasAReason) {
  Rails3 p;
  p.call(p.a, call::SetNiHealth{tcp(3), 0});
  for (const Nid& nid : {tcp(2), tcp(4), tcp(2, 1)}) p.put_there(p.a, p.md, nid);
  p.release_sends(p.a);
  p.call(p.a, call::SetPeerNiHealth{tcp(4), 700});
  p.call(p.a, call::SetPeerNiHealth{tcp(2, 1), 600});
  const auto shown = p.explain(tcp(2));
  std::vector<std::string> lost;
  for (const Candidate& one : shown.why.candidates)
    if (!one.chosen)
      lost.push_back(
          (one.kind == Candidate::Kind::kNet ? one.net.to_string() : one.nid.to_string()) + " " +
          to_string(one.lost_by));
  EXPECT_THAT(lost, ElementsAre("tcp1 lower health", "10.0.0.3@tcp lower health",
                                "10.0.0.4@tcp lower health"));
  EXPECT_EQ(shown.hop, tcp(2));
}

TEST(ExplainPath, APeerWithoutMultiRailSeesTheNiThatItSaw) {  // spec/multirail.md 3.4
  Pipe p({tcp(1), tcp(3)}, {tcp(2)});
  p.a.hold_sends = true;
  std::vector<std::byte> memory = bytes(8);
  const MdHandle md = p.bind(p.a, memory, nullptr);
  const auto before = p.call(p.a, call::ExplainPath{tcp(2), {}});
  EXPECT_STREQ(before.why.way, "peer without multi-rail: it always sees the same NI");
  EXPECT_EQ(before.why.candidates.size(), 2U);
  p.put(p.a, md, tcp(2));
  EXPECT_EQ(p.a.sends.back().header.src_nid, before.source);
  const auto after = p.call(p.a, call::ExplainPath{tcp(2), {}});
  EXPECT_EQ(after.source, before.source);
  EXPECT_STREQ(after.why.way, "peer without multi-rail: it sees the NI that it saw before");
  EXPECT_TRUE(after.why.candidates.empty()) << "nothing was chosen from";
}

struct OneNid : Pipe {
  OneNid() : Pipe({tcp(1), tcp(3), tcp(4)}, {tcp(2)}) {
    a.hold_sends = true;
    md = bind(a, memory, nullptr);
  }
  void prefer(const char* src, const char* dst) {
    udsp::RuleList rules = *a.config->udsp;
    udsp::Rule rule;
    rule.src = udsp::Criterion::parse(src).value();
    rule.dst = udsp::Criterion::parse(dst).value();
    ASSERT_TRUE(rules.add(rule));
    a.config->udsp = std::make_shared<const udsp::RuleList>(std::move(rules));
    configure(a);
  }
  Nid source_of_next() {
    put(a, md, tcp(2));
    return a.sends.back().header.src_nid;
  }
  std::vector<std::byte> memory = bytes(8);
  MdHandle md;
};

TEST(FixedSource, APolicySetsAnother) {  // spec/multirail.md 3.4, 10.1
  OneNid p;
  EXPECT_EQ(p.source_of_next(), tcp(1));
  p.prefer("10.0.0.[3-4]@tcp", "10.0.0.9@tcp");
  EXPECT_EQ(p.source_of_next(), tcp(1)) << "it names another peer";
  p.prefer("10.0.0.[3-4]@tcp", "10.0.0.2@tcp");
  const auto shown = p.call(p.a, call::ExplainPath{tcp(2), {}});
  const Nid source = p.source_of_next();
  EXPECT_NE(source, tcp(1));
  EXPECT_EQ(shown.source, source);
  EXPECT_STREQ(shown.why.way, "peer without multi-rail: a policy prefers this NI for it");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(p.source_of_next(), source) << "one of the two, always";
  p.a.config->udsp = udsp::RuleList::none();
  p.configure(p.a);
  EXPECT_EQ(p.source_of_next(), source) << "it sees what it saw before";
}

TEST(FixedSource, TheFirstMessageObeysAPolicyToo) {  // spec/multirail.md 3.4
  OneNid p;
  p.prefer("10.0.0.4@tcp", "10.0.0.2@tcp");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(p.source_of_next(), tcp(4));
}

TEST(ExplainPath, AGivenSourceAndTheLoopback) {
  Rails3 p;
  const auto given = p.explain(tcp(4), tcp(3));
  EXPECT_EQ(given.source, tcp(3));
  EXPECT_EQ(given.hop, tcp(4));
  EXPECT_EQ(p.explain(tcp(4), tcp(9)).path_status, -EINVAL);
  EXPECT_EQ(p.explain(tcp(4), tcp(1, 1)).path_status, -EHOSTUNREACH);
  const auto lo = p.explain(Nid::loopback());
  EXPECT_EQ(lo.source, Nid::loopback());
  EXPECT_FALSE(lo.waits);
}

TEST(ExplainPath, ExplainingMakesNoPeer) {
  Rails3 p;
  const Nid stranger = tcp(77);
  const auto shown = p.explain(stranger);
  EXPECT_FALSE(shown.known);
  EXPECT_TRUE(shown.waits);
  EXPECT_EQ(shown.path_status, 0) << "there is a net for it";
  for (const auto& shard : p.a.shards) EXPECT_EQ(shard->observe().peers.find(stranger), nullptr);
  EXPECT_EQ(p.explain(tcp(77, 9)).path_status, -EHOSTUNREACH);
  int status = 0;
  p.call(p.a, call::ExplainPath{Nid::any(), {}}, &status);
  EXPECT_EQ(status, -EINVAL);
}

/// Two partitions, at distance 10 to themselves and 30 to each other, with an NI at each.
struct TwoNodes : Pipe {
  TwoNodes() : Pipe({tcp(1), tcp(3)}, {tcp(2), tcp(4)}, 2) {
    a.config->distances = {10, 30, 30, 10};
    a.config->nis[1].dev_cpt = 0;
    a.config->nis[2].dev_cpt = 1;
    configure(a);
    a.hold_sends = true;
  }
  /// a learns that b's NIDs form one peer.
  void meet() {
    push_to_a(*this, encode(info_with({tcp(2), tcp(4)})), tcp(2));
    release_sends(a);
  }
  MdHandle bind_at(std::int32_t cpt) {
    const iovec fragment{memory.data(), memory.size()};
    MdSpec spec;
    spec.fragments = {&fragment, 1};
    spec.cpt = cpt;
    return call(a, call::MdBind{spec, UnlinkMode::kRetain}).md;
  }
  std::map<Nid, int> sources(MdHandle md, const Nid& to) {
    a.sends.clear();
    for (int i = 0; i < 6; ++i) put(a, md, to);
    std::map<Nid, int> counts;
    for (const Send& send : a.sends) ++counts[send.header.src_nid];
    release_sends(a);
    return counts;
  }
  std::vector<std::byte> memory = bytes(8);
};

TEST(NumaDistance, MessagesLeaveByTheNiThatIsNearestToTheirMemory) {  // spec/multirail.md 3.2.B.5
  TwoNodes p;
  p.meet();
  for (const std::uint32_t caller : {0U, 1U}) {
    p.a.caller = caller;
    EXPECT_THAT(p.sources(p.bind_at(0), tcp(2)), ElementsAre(std::pair(tcp(1), 6)));
    EXPECT_THAT(p.sources(p.bind_at(1), tcp(2)), ElementsAre(std::pair(tcp(3), 6)));
  }
}

TEST(NumaDistance, WithinNumaRangeAllAreNear) {
  TwoNodes p;
  p.meet();
  p.a.config->globals.numa_range = 30;
  p.configure(p.a);
  EXPECT_THAT(p.sources(p.bind_at(0), tcp(2)),
              ElementsAre(std::pair(tcp(1), 3), std::pair(tcp(3), 3)));
}

TEST(NumaDistance, CountsForTheNiThatAPeerWithoutMultiRailSees) {  // spec/multirail.md 3.4
  for (const std::int32_t cpt : {0, 1})
    for (const std::uint32_t caller : {0U, 1U}) {
      TwoNodes p;  // the peer's owner shard may be another shard than the message's
      p.a.caller = caller;
      const Nid near = cpt == 0 ? tcp(1) : tcp(3);
      EXPECT_THAT(p.sources(p.bind_at(cpt), tcp(2)), ElementsAre(std::pair(near, 6)));
      EXPECT_THAT(p.sources(p.bind_at(1 - cpt), tcp(2)), ElementsAre(std::pair(near, 6)))
          << "the same as before";
    }
}

TEST(NumaDistance, APartitionThatIsNotThereIsRefused) {
  TwoNodes p;
  for (const std::int32_t bad : {2, -2, 1 << 30}) {
    const iovec fragment{p.memory.data(), p.memory.size()};
    MdSpec spec;
    spec.fragments = {&fragment, 1};
    spec.cpt = bad;
    int status = 0;
    p.call(p.a, call::MdBind{spec, UnlinkMode::kRetain}, &status);
    EXPECT_EQ(status, -ERANGE) << bad;
  }
}

TEST(NumaDistance, IsShown) {
  TwoNodes p;
  p.meet();
  const auto shown = p.call(p.a, call::ExplainPath{tcp(2), {}, 1});
  EXPECT_EQ(shown.shard, 1U);
  std::map<Nid, std::uint32_t> distances;
  for (const Candidate& one : shown.why.candidates)
    if (one.kind == Candidate::Kind::kNi) distances[one.nid] = one.distance;
  EXPECT_THAT(distances, ElementsAre(std::pair(tcp(1), 30U), std::pair(tcp(3), 10U)));
}

TEST(MultiRailAnswers, GoBackWhereTheirRequestCameFrom) {  // spec/multirail.md 3.1
  Pipe p({tcp(1), tcp(3), tcp(1, 1)}, {tcp(2), tcp(4), tcp(2, 1)});
  push_to_a(p, encode(info_with({tcp(2), tcp(4), tcp(2, 1)})), tcp(2));
  std::vector<std::byte> source = bytes(16), sink(16);
  Pipe::Post post;
  post.options = kOpGet | kOpPut | kManageRemote;
  p.attach(p.a, source, nullptr, post);
  p.a.hold_sends = true;
  const MdHandle md = p.bind(p.b, sink, nullptr);
  for (const auto& [from, to] : {std::pair(tcp(4), tcp(3)), std::pair(tcp(2, 1), tcp(1, 1)),
                                 std::pair(tcp(2), tcp(3)), std::pair(tcp(2), tcp(1))}) {
    p.a.sends.clear();
    EXPECT_EQ(p.get(p.b, md, to, 7, 5, 0, from), 0);
    EXPECT_EQ(p.put(p.b, md, to, AckRequest::kAck, 7, 5, 0, from), 0);
    ASSERT_EQ(p.a.sends.size(), 2U) << "a REPLY and an ACK";
    for (const Send& send : p.a.sends) {
      EXPECT_EQ(send.hop.nid, from);
      EXPECT_EQ(send.header.src_nid, to);
    }
  }
}

}  // namespace
}  // namespace ulnet::core::test
