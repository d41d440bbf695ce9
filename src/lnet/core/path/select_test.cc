// Path selection on tables made by hand. spec/multirail.md 3.1, 3.2, 3.4.
#include "lnet/core/path/select.h"

#include <gmock/gmock.h>

#include <map>

#include "lnet/core/flow/pipe_fixture.h"

namespace ulnet::core::test {
namespace {

/// This node has two NIs on tcp and two on tcp1. The peer has two NIDs on each of these nets and
/// one on tcp9.
struct Tables {
  Tables() {
    config = config_of({tcp(1), tcp(2), tcp(1, 1), tcp(2, 1)}, 0xa);
    nis.apply(*config);
    know({tcp(5), tcp(6), tcp(5, 1), tcp(6, 1), tcp(5, 9)});
  }
  void know(std::vector<Nid> nids) {
    const Nid primary = nids.front();
    PeerNid& known = peers.use(primary);
    peers.set_peer_entry(known,
                         std::make_shared<const PeerEntry>(PeerEntry{std::move(nids), true}));
    rails = &peers.rails_of(known, *config);
  }
  Choice choose(Explanation* why = nullptr) {
    const SendIntent intent{tcp(5), Pid::lustre(), Nid::any(), peers.find(tcp(5)), rails};
    const Choice choice = select(nis, intent, why);
    EXPECT_EQ(choice.status, 0) << choice.reason;
    take_turn(nis, choice);
    return choice;
  }
  LocalNi& ni(const Nid& nid) { return *nis.find(nid); }
  PeerNid& peer(const Nid& nid) { return *peers.find(nid); }
  /// How often each path is chosen for a number of messages.
  std::map<std::pair<Nid, Nid>, int> chosen(int messages) {
    std::map<std::pair<Nid, Nid>, int> counts;
    for (int i = 0; i < messages; ++i) {
      const Choice choice = choose();
      ++counts[{choice.ni->nid(), choice.hop.nid}];
    }
    return counts;
  }

  std::shared_ptr<NodeConfig> config;
  NiTable nis;
  PeerTable peers;
  Rails* rails = nullptr;
};

// spec/multirail.md 3.2.A.5, 3.2.A.6, 3.2.C.5, 3.2.D
TEST(Select, EqualNetsNisAndNidsTakeStrictTurns) {
  Tables t;
  const auto counts = t.chosen(40);
  std::map<Nid, int> nis, nids;
  for (const auto& [path, count] : counts) {
    EXPECT_EQ(path.first.net(), path.second.net());
    nis[path.first] += count;
    nids[path.second] += count;
  }
  for (const Nid& nid : {tcp(1), tcp(2), tcp(1, 1), tcp(2, 1)}) EXPECT_EQ(nis[nid], 10);
  for (const Nid& nid : {tcp(5), tcp(6), tcp(5, 1), tcp(6, 1)}) EXPECT_EQ(nids[nid], 10);
}

TEST(Select, NisAndNidsTakeSeparateTurns) {  // spec/multirail.md 3.2.D
  Tables t;
  t.know({tcp(7), tcp(8), tcp(9)});
  std::map<Nid, int> nis, nids;
  for (const auto& [path, count] : t.chosen(30)) {
    nis[path.first] += count;
    nids[path.second] += count;
  }
  EXPECT_THAT(nis, ::testing::ElementsAre(std::pair(tcp(1), 15), std::pair(tcp(2), 15)));
  for (const Nid& nid : {tcp(7), tcp(8), tcp(9)}) EXPECT_EQ(nids[nid], 10);
}

TEST(Select, HealthOfThePeersNetComesFirst) {  // spec/multirail.md 3.2.A.1, 3.2.A.3
  Tables t;
  t.peer(tcp(5)).health = t.peer(tcp(6)).health = 900;
  t.ni(tcp(1, 1)).health = t.ni(tcp(2, 1)).health = 0;
  EXPECT_EQ(t.choose().hop.nid.net(), tcp(1, 1).net()) << "one well NID is enough for a net";
  t.peer(tcp(6)).health = kHealthMax;
  EXPECT_EQ(t.choose().hop.nid, tcp(6));
  t.ni(tcp(1)).health = t.ni(tcp(2)).health = 100;
  t.ni(tcp(2, 1)).health = 200;
  const Choice choice = t.choose();
  EXPECT_EQ(choice.ni->nid(), tcp(2, 1));
  EXPECT_EQ(choice.hop.nid.net(), tcp(1, 1).net());
}

TEST(Select, ANetIsRatedByItsNisThatWork) {  // spec/multirail.md 3.2.A.3
  Tables t;
  t.ni(tcp(1)).fatal = t.ni(tcp(2)).fatal = true;
  for (const std::int32_t health : {kHealthMax, 100}) {
    t.ni(tcp(1, 1)).health = t.ni(tcp(2, 1)).health = health;
    for (int i = 0; i < 3; ++i) EXPECT_EQ(t.choose().hop.nid.net(), tcp(1, 1).net());
  }
  t.ni(tcp(1)).fatal = false;
  EXPECT_EQ(t.choose().ni->nid(), tcp(1)) << "one that works is enough";
  t.peer(tcp(5)).health = t.peer(tcp(6)).health = 900;
  EXPECT_EQ(t.choose().hop.nid.net(), tcp(1, 1).net());
}

TEST(Select, AnNiIsChosenByDeviceHealthCreditsAndTurn) {  // spec/multirail.md 3.2.B.6
  Tables t;
  t.know({tcp(5)});
  t.ni(tcp(2)).fatal = true;
  t.ni(tcp(1)).health = 0;
  EXPECT_EQ(t.choose().ni->nid(), tcp(1)) << "a failed device is the worst";
  t.ni(tcp(2)).fatal = false;
  EXPECT_EQ(t.choose().ni->nid(), tcp(2));
  t.ni(tcp(1)).health = kHealthMax;
  Msg msg;
  ASSERT_TRUE(t.ni(tcp(1)).tx.take(msg));
  EXPECT_EQ(t.choose().ni->nid(), tcp(2)) << "it has more credits, though it was the last";
  t.ni(tcp(1)).tx.give();
  EXPECT_EQ(t.choose().ni->nid(), tcp(1));
}

TEST(Select, ANidIsChosenByHealthCreditsAndTurn) {  // spec/multirail.md 3.2.C.1, 3.2.C.4
  Tables t;
  t.know({tcp(5), tcp(6)});
  t.peer(tcp(5)).health = 500;
  EXPECT_EQ(t.choose().hop.nid, tcp(6));
  t.peer(tcp(5)).health = kHealthMax;
  t.peer(tcp(6)).elsewhere = 1;
  EXPECT_EQ(t.choose().hop.nid, tcp(5)) << "this shard has sent less to it";
  PeerNi& owned = t.peers.use_ni(tcp(6), 8);
  EXPECT_EQ(t.choose().hop.nid, tcp(6)) << "in its owner shard its credits count";
  Msg msg;
  ASSERT_TRUE(owned.tx.take(msg));
  EXPECT_EQ(t.choose().hop.nid, tcp(5));
  owned.tx.give();
}

/// The devices of the two NIs are at the given partitions, or at none (-1).
struct Distances : Tables {
  Distances(std::int32_t first, std::int32_t second, std::int32_t range = 0) {
    know({tcp(5)});
    config->shards = 3;
    config->distances = {10, 21, 31, 21, 10, 31, 31, 31, 10};
    config->globals.numa_range = range;
    config->nis[1].dev_cpt = first;
    config->nis[2].dev_cpt = second;
    ++config->generation;
    nis.apply(*config);
  }
  /// The NI chosen for memory of the partition.
  Nid for_memory(std::int32_t cpt) {
    const SendIntent intent{tcp(5), Pid::lustre(), Nid::any(), peers.find(tcp(5)),
                            rails,  false,         cpt};
    const Choice choice = select(nis, intent);
    take_turn(nis, choice);
    return choice.ni->nid();
  }
};

TEST(Select, TheNiThatIsNearestToTheMemoryIsPreferred) {  // spec/multirail.md 3.2.B.5
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(Distances(0, 1).for_memory(0), tcp(1));
    EXPECT_EQ(Distances(0, 1).for_memory(1), tcp(2));
    EXPECT_EQ(Distances(2, 1).for_memory(0), tcp(2)) << "21 is nearer than 31";
    EXPECT_EQ(Distances(-1, 1).for_memory(0), tcp(2)) << "no partition: as far as can be";
  }
  Distances t(0, 1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(t.for_memory(0), tcp(1)) << "strictly, not in turn";
}

TEST(Select, DistanceComesAfterPolicyAndBeforeCredits) {  // spec/multirail.md 3.2.B.5
  Distances t(0, 1);
  Msg msg;
  ASSERT_TRUE(t.ni(tcp(1)).tx.take(msg));
  EXPECT_EQ(t.for_memory(0), tcp(1)) << "fewer credits do not count";
  t.ni(tcp(1)).tx.give();
  t.ni(tcp(2)).priority = 0;
  EXPECT_EQ(t.for_memory(0), tcp(2));
  t.ni(tcp(2)).priority = udsp::kNoPriority;
  t.ni(tcp(1)).health = 999;
  EXPECT_EQ(t.for_memory(0), tcp(2));
}

// spec/core-semantics.md 13.4; spec/multirail.md 3.2.B.5
TEST(Select, DistancesWithinNumaRangeAreEqual) {
  const auto chosen = [](std::int32_t range, std::int32_t second) {
    Distances t(0, second, range);
    std::map<Nid, int> counts;
    for (int i = 0; i < 6; ++i) ++counts[t.for_memory(0)];
    return counts;
  };
  const auto only_first = ::testing::ElementsAre(std::pair(tcp(1), 6));
  const auto both = ::testing::ElementsAre(std::pair(tcp(1), 3), std::pair(tcp(2), 3));
  EXPECT_THAT(chosen(20, 1), only_first) << "one is 10, raised to 20, the other 21";
  EXPECT_THAT(chosen(21, 1), both);
  EXPECT_THAT(chosen(30, 2), only_first);
  EXPECT_THAT(chosen(INT32_MAX, 2), both) << "NUMA does not count";
}

TEST(Select, UnknownMemoryIsNearNoNi) {
  Distances t(0, 1);
  EXPECT_NE(t.for_memory(-1), t.for_memory(-1));
  Tables without;  // a machine with one NUMA node
  EXPECT_EQ(without.ni(tcp(1)).distance_from(0), 0U);
}

struct Policies : Tables {
  /// "" leaves a criterion out.
  void add(const char* src, const char* dst, std::optional<std::uint32_t> priority) {
    const auto side = [](const char* text) -> std::optional<udsp::Criterion> {
      if (*text == 0) return std::nullopt;
      return udsp::Criterion::parse(text).value();
    };
    udsp::RuleList rules = *config->udsp;
    udsp::Rule rule;
    rule.src = side(src);
    rule.dst = side(dst);
    rule.priority = priority;
    ASSERT_TRUE(rules.add(rule));
    config->udsp = std::make_shared<const udsp::RuleList>(std::move(rules));
    ++config->generation;
    nis.apply(*config);
    peers.drop_all_rails();
    rails = &peers.rails_of(peer(tcp(5)), *config);
  }
};

TEST(Select, PoliciesComeAfterHealth) {  // spec/multirail.md 3.2.A.2, 3.2.B.3, 3.2.C.2, 10.1
  Policies t;
  t.add("", "tcp1", 0);
  EXPECT_EQ(t.choose().hop.nid.net(), tcp(1, 1).net());
  EXPECT_EQ(t.choose().hop.nid.net(), tcp(1, 1).net());
  t.add("", "10.0.0.6@tcp1", 1);
  t.add("10.0.0.1@tcp1", "", 1);
  for (int i = 0; i < 3; ++i) {
    const Choice choice = t.choose();
    EXPECT_EQ(choice.hop.nid, tcp(6, 1));
    EXPECT_EQ(choice.ni->nid(), tcp(1, 1));
  }
  t.peer(tcp(6, 1)).health = 900;
  EXPECT_EQ(t.choose().hop.nid, tcp(5, 1));
  t.ni(tcp(1, 1)).health = 900;
  EXPECT_EQ(t.choose().ni->nid(), tcp(2, 1));
  t.peer(tcp(5, 1)).health = 0;
  EXPECT_EQ(t.choose().hop.nid.net(), tcp(1).net()) << "its other net is healthier";
}

TEST(Select, ThePolicyOfThisNodesNetComesAfterItsHealth) {  // spec/multirail.md 3.2.A.4, 10.1
  Policies t;
  t.add("tcp1", "", 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(t.choose().ni->nid().net(), tcp(1, 1).net());
  t.ni(tcp(1, 1)).health = t.ni(tcp(2, 1)).health = 900;
  EXPECT_EQ(t.choose().ni->nid().net(), tcp(1).net());
}

TEST(Select, APairIsPreferredToNidsWithoutOne) {  // spec/multirail.md 3.2.C.3, 10.1
  Policies t;
  t.add("", "tcp", 0);
  t.add("10.0.0.2@tcp", "10.0.0.6@tcp", {});
  for (int i = 0; i < 8; ++i) {
    const Choice choice = t.choose();
    if (choice.ni->nid() == tcp(2)) {
      EXPECT_EQ(choice.hop.nid, tcp(6));
    }
  }
}

TEST(Select, WithoutACommonNetThereIsNoRoute) {
  Tables t;
  t.know({tcp(5, 9)});
  const SendIntent intent{tcp(5, 9), Pid::lustre(), Nid::any(), t.peers.find(tcp(5, 9)), t.rails};
  EXPECT_EQ(select(t.nis, intent).status, -EHOSTUNREACH);
}

TEST(Select, AMultiRailPeerIsReachedOnAnyOfItsNets) {
  Tables t;
  t.know({tcp(5, 9), tcp(6, 1)});
  const SendIntent intent{tcp(5, 9), Pid::lustre(), Nid::any(), t.peers.find(tcp(5, 9)), t.rails};
  const Choice choice = select(t.nis, intent);
  EXPECT_EQ(choice.status, 0);
  EXPECT_EQ(choice.hop.nid, tcp(6, 1));
}

TEST(Select, AGivenSourcePinsTheNid) {
  Tables t;
  const Nid source = tcp(2);
  const SendIntent intent{tcp(6), Pid::lustre(), source, t.peers.find(tcp(6)), t.rails};
  const Choice choice = select(t.nis, intent);
  EXPECT_EQ(choice.ni->nid(), source);
  EXPECT_EQ(choice.hop.nid, tcp(6));
  EXPECT_EQ(choice.rail, nullptr);
}

TEST(Select, TheExplanationNamesWhatWasChosenAndWhyTheOthersWereNot) {
  Tables t;
  t.peer(tcp(5)).health = t.peer(tcp(6)).health = 900;
  t.ni(tcp(1, 1)).fatal = true;
  t.peer(tcp(5, 1)).health = 800;
  Explanation why;
  const Choice choice = t.choose(&why);
  EXPECT_EQ(choice.ni->nid(), tcp(2, 1));
  EXPECT_EQ(choice.hop.nid, tcp(6, 1));
  std::vector<std::string> lines;
  for (const Candidate& c : why.candidates) {
    const std::string who = c.kind == Candidate::Kind::kNet ? c.net.to_string() : c.nid.to_string();
    lines.push_back(who + ": " + (c.chosen ? "chosen" : to_string(c.lost_by)));
  }
  EXPECT_THAT(
      lines, ::testing::ElementsAre("tcp: lower health", "tcp1: chosen",
                                    "10.0.0.1@tcp1: its device has failed", "10.0.0.2@tcp1: chosen",
                                    "10.0.0.5@tcp1: lower health", "10.0.0.6@tcp1: chosen"));
  EXPECT_STREQ(why.way, "multi-rail peer: any of its NIDs by any NI");
}

TEST(Select, ExplainingChangesNothing) {
  Tables t, plain;
  for (int i = 0; i < 20; ++i) {
    Explanation why;
    const Choice a = t.choose(&why), b = plain.choose();
    EXPECT_EQ(a.ni->nid(), b.ni->nid());
    EXPECT_EQ(a.hop.nid, b.hop.nid);
  }
}

TEST(Rails, AreDroppedWithThePeerEntryOfAnyNid) {
  Tables t;
  EXPECT_EQ(t.peer(tcp(6)).rails, t.rails);
  EXPECT_EQ(&t.peers.rails_of(t.peer(tcp(6, 1)), *t.config), t.rails);
  t.peers.set_peer_entry(t.peer(tcp(6)), nullptr);
  EXPECT_EQ(t.peer(tcp(5)).rails, nullptr);
  t.rails = &t.peers.rails_of(t.peer(tcp(5)), *t.config);
  t.peers.erase(t.peer(tcp(5, 1)));
  EXPECT_EQ(t.peer(tcp(5)).rails, nullptr);
}

}  // namespace
}  // namespace ulnet::core::test
