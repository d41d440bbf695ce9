// The decisions of fault rules. spec/multirail.md 11.
#include "lnet/core/path/fault_rules.h"

#include <gmock/gmock.h>

#include <map>
#include <string>

#include "lnet/core/contract/counters.h"

namespace ulnet::core {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using What = FaultVerdict::What;
using Kind = FaultRule::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;
using wire::MsgType;

Nid nid(const char* text) { return Nid::parse(text).value(); }

wire::LnetHeader header(MsgType type, const char* source = "10.0.0.2@tcp",
                        const char* destination = "10.0.0.1@tcp", std::uint32_t portal = 4) {
  wire::LnetHeader made;
  made.src_nid = nid(source);
  made.dest_nid = nid(destination);
  switch (type) {
    case MsgType::kAck:
      made.part = wire::AckPart{};
      break;
    case MsgType::kPut:
      made.part.emplace<wire::PutPart>().portal = portal;
      break;
    case MsgType::kGet:
      made.part.emplace<wire::GetPart>().portal = portal;
      break;
    default:
      made.part = wire::ReplyPart{};
  }
  return made;
}

FaultRule rule_of(std::uint32_t rate, std::uint32_t interval = 0) {
  FaultRule rule;
  rule.rate = rate;
  rule.interval = interval;
  return rule;
}

/// The rules of a shard, and a message for them.
struct Rules {
  Rules() = default;
  explicit Rules(FaultRule rule) { add(rule); }
  void add(FaultRule rule, std::uint32_t shard = 0) {
    rules.add(settled(rule).value(), shard, now);
  }
  FaultVerdict ask(const wire::LnetHeader& message, bool outgoing = false) {
    return rules.drop({message, local, outgoing}, now);
  }
  bool drops(MsgType type = MsgType::kPut) { return ask(header(type)).what == What::kLose; }
  /// The fates of the next messages: 'x' is dropped.
  std::string next(int count) {
    std::string fates;
    for (int i = 0; i < count; ++i) fates += drops() ? 'x' : '.';
    return fates;
  }

  FaultRules rules;
  Nid local = nid("10.0.0.1@tcp");
  Instant now{seconds(100)};
};

// ---- which messages a rule selects

TEST(FaultRate, ARateOfOneTakesAll) { EXPECT_EQ(Rules(rule_of(1)).next(5), "xxxxx"); }

TEST(FaultRate, ARateOfTwoTakesOneOfEachPair) {  // spec/multirail.md 11.2
  bool first = false, second = false;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    FaultRule rule = rule_of(2);
    rule.seed = seed;
    const std::string fates = Rules(rule).next(40);
    EXPECT_EQ(fates.substr(0, 2), "x.") << "seed " << seed;
    for (std::size_t pair = 2; pair < fates.size(); pair += 2) {
      const std::string two = fates.substr(pair, 2);
      EXPECT_TRUE(two == "x." || two == ".x") << "seed " << seed << ": " << fates;
      (two == "x." ? first : second) = true;
    }
  }
  EXPECT_TRUE(first && second) << "the place in a pair is random";
}

TEST(FaultRate, ARateOfTwoCanMatchTheRecording) {  // observed.md 6: fail, ok, ok, fail
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    FaultRule rule = rule_of(2);
    rule.seed = seed;
    ++seen[Rules(rule).next(4)];
  }
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_GT(seen["x..x"], 10);
  EXPECT_GT(seen["x.x."], 10);
}

TEST(FaultRate, TakesOneOfEachWindow) {  // spec/multirail.md 11.2
  for (std::uint64_t seed = 0; seed < 16; ++seed)
    for (const std::uint32_t rate : {3U, 7U, 100U}) {
      FaultRule rule = rule_of(rate);
      rule.seed = seed;
      Rules rules(rule);
      for (int window = 0; window < 20; ++window) {
        const std::string fates = rules.next(static_cast<int>(rate));
        EXPECT_EQ(std::count(fates.begin(), fates.end(), 'x'), 1) << "seed " << seed;
      }
    }
}

TEST(FaultRate, TheSameSeedTakesTheSameMessages) {
  FaultRule rule = rule_of(5);
  rule.seed = 4711;
  EXPECT_EQ(Rules(rule).next(500), Rules(rule).next(500));
  FaultRule other = rule;
  other.seed = 4712;
  EXPECT_NE(Rules(rule).next(500), Rules(other).next(500));
}

TEST(FaultRate, EachShardDrawsOtherNumbers) {
  FaultRule rule = rule_of(5);
  Rules first, second;
  first.add(rule, 0);
  second.add(rule, 1);
  EXPECT_NE(first.next(500), second.next(500));
}

TEST(FaultInterval, TakesOneInEachWindowAtAMomentByChance) {  // spec/multirail.md 11.2
  std::map<int, int> in_first_half;
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    FaultRule rule = rule_of(0, 10);
    rule.seed = seed;
    Rules rules(rule);
    for (int window = 0; window < 5; ++window) {
      int taken = 0;
      for (int tenth = 0; tenth < 100; ++tenth) {
        if (rules.drops()) {
          ++taken;
          ++in_first_half[tenth < 50];
        }
        rules.now += milliseconds(100);
      }
      EXPECT_LE(taken, 1) << "seed " << seed;
    }
  }
  EXPECT_GT(in_first_half[0] + in_first_half[1], 150) << "out of 160 windows";
  EXPECT_GT(in_first_half[0], 40);
  EXPECT_GT(in_first_half[1], 40);
}

TEST(FaultInterval, DoesNotMakeUpForWindowsInWhichNothingCame) {
  Rules rules(rule_of(0, 1));
  rules.now += seconds(60);
  EXPECT_TRUE(rules.drops()) << "the moment of the first window has passed";
  EXPECT_FALSE(rules.drops()) << "the next one comes in the window after this one";
  rules.now += seconds(2);
  EXPECT_TRUE(rules.drops());
}

TEST(FaultInterval, RandomTakesEachMessageWithAChanceOfAHalf) {  // spec/multirail.md 11.2
  FaultRule rule = rule_of(0, 1);
  rule.random = true;
  rule.seed = 5;
  const std::string fates = Rules(rule).next(1000);
  const auto taken = std::count(fates.begin(), fates.end(), 'x');
  EXPECT_GT(taken, 430);
  EXPECT_LT(taken, 570);
  EXPECT_EQ(Rules(rule).next(1000), fates) << "by its seed";
}

// ---- which messages a rule matches

TEST(FaultMatch, IsBySourceAndDestination) {  // spec/multirail.md 11.1
  FaultRule rule = rule_of(1);
  rule.source = FaultNids::parse("*@tcp").value();
  rule.destination = FaultNids::parse("10.0.0.1@tcp").value();
  Rules rules(rule);
  EXPECT_EQ(rules.ask(header(MsgType::kPut)).what, What::kLose);
  EXPECT_EQ(rules.ask(header(MsgType::kPut, "10.0.0.2@tcp1")).what, What::kPass);
  EXPECT_EQ(rules.ask(header(MsgType::kPut, "10.0.0.2@tcp", "10.0.0.3@tcp")).what, What::kPass);
  EXPECT_EQ(rules.rules.rows().at(0).matched.put, 1U) << "others are not counted";
}

TEST(FaultMatch, IsByTheLocalNi) {  // spec/multirail.md 11.1
  FaultRule rule = rule_of(1);
  rule.local = nid("10.0.0.1@tcp1");
  Rules rules(rule);
  EXPECT_FALSE(rules.drops());
  rules.local = rule.local;
  EXPECT_TRUE(rules.drops());
}

TEST(FaultMatch, IsByMessageType) {  // spec/multirail.md 11.1
  for (std::uint32_t type = 0; type < 4; ++type) {
    FaultRule rule = rule_of(1);
    rule.messages = 1U << type;
    Rules rules(rule);
    for (std::uint32_t other = 0; other < 4; ++other)
      EXPECT_EQ(rules.drops(static_cast<MsgType>(other)), other == type);
  }
}

TEST(FaultMatch, IsByPortalForPutAndGetOnly) {  // spec/multirail.md 11.1
  FaultRule rule = rule_of(1);
  rule.portals = 1ULL << 4 | 1ULL << 63;
  Rules rules(rule);
  for (const MsgType type : {MsgType::kPut, MsgType::kGet}) {
    EXPECT_EQ(rules.ask(header(type, "10.0.0.2@tcp", "10.0.0.1@tcp", 4)).what, What::kLose);
    EXPECT_EQ(rules.ask(header(type, "10.0.0.2@tcp", "10.0.0.1@tcp", 63)).what, What::kLose);
    EXPECT_EQ(rules.ask(header(type, "10.0.0.2@tcp", "10.0.0.1@tcp", 5)).what, What::kPass);
    EXPECT_EQ(rules.ask(header(type, "10.0.0.2@tcp", "10.0.0.1@tcp", 68)).what, What::kPass);
  }
  EXPECT_FALSE(rules.drops(MsgType::kAck));
  EXPECT_FALSE(rules.drops(MsgType::kReply));
}

TEST(FaultDirection, WithoutErrorsReceivedWithErrorsSent) {
  Rules silent(rule_of(1));
  EXPECT_EQ(silent.ask(header(MsgType::kPut), false).what, What::kLose);
  EXPECT_EQ(silent.ask(header(MsgType::kPut), true).what, What::kPass);
  FaultRule rule = rule_of(1);
  rule.errors = fault_error_bit("remote_dropped");
  Rules loud(rule);
  EXPECT_EQ(loud.ask(header(MsgType::kPut), false).what, What::kPass);
  const FaultVerdict verdict = loud.ask(header(MsgType::kPut), true);
  EXPECT_EQ(verdict.what, What::kFail);
  EXPECT_EQ(verdict.health, Health::kRemoteDropped);
}

TEST(FaultDirection, DropAllTakesBothDirections) {  // spec/multirail.md 11.2
  for (const bool errors : {false, true}) {
    FaultRule rule = rule_of(1000);
    rule.drop_all = true;
    if (errors) rule.errors = fault_error_bit("local_error");
    Rules rules(rule);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(rules.ask(header(MsgType::kPut), false).what, What::kLose);
      EXPECT_EQ(rules.ask(header(MsgType::kPut), true).what, errors ? What::kFail : What::kLose);
    }
  }
}

TEST(FaultErrors, OneOfSeveralIsChosenAtRandom) {  // spec/multirail.md 11.2
  FaultRule rule = rule_of(1);
  rule.errors = fault_error_bit("local_error") | fault_error_bit("remote_error");
  Rules rules(rule);
  std::map<Health, int> seen;
  for (int i = 0; i < 200; ++i) ++seen[rules.ask(header(MsgType::kPut), true).health];
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_GT(seen[Health::kLocalError], 50);
  EXPECT_GT(seen[Health::kRemoteError], 50);
}

TEST(FaultErrors, RandomMeansAnyError) {
  FaultRule rule = rule_of(1);
  rule.errors = kFaultRandomError;
  Rules rules(rule);
  std::map<Health, int> seen;
  for (int i = 0; i < 1000; ++i) ++seen[rules.ask(header(MsgType::kPut), true).health];
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_FALSE(seen.contains(Health::kOk));
}

TEST(FaultDelay, TakesMessagesBothWaysForItsLatency) {
  FaultRule rule = rule_of(1);
  rule.kind = Kind::kDelay;
  rule.latency = 2;
  Rules rules(rule);
  const wire::LnetHeader get = header(MsgType::kGet);
  for (const bool outgoing : {false, true}) {
    const FaultVerdict verdict = rules.rules.delay({get, rules.local, outgoing}, rules.now);
    EXPECT_EQ(verdict.what, What::kDelay);
    EXPECT_EQ(verdict.latency, seconds(2));
  }
  EXPECT_EQ(rules.ask(get).what, What::kPass) << "it drops nothing";
}

// ---- the list

TEST(FaultList, TheNewestMatchingRuleWins) {  // spec/multirail.md 11.4
  Rules rules;
  FaultRule old = rule_of(1), middle = rule_of(2), newest = rule_of(1);
  newest.messages = kFaultGet;
  rules.add(old);
  rules.add(middle);
  rules.add(newest);
  EXPECT_TRUE(rules.drops(MsgType::kPut)) << "by the middle one, its first match";
  EXPECT_TRUE(rules.drops(MsgType::kPut)) << "by the old one: the middle one lets it pass";
  EXPECT_TRUE(rules.drops(MsgType::kGet)) << "by the newest";
  const std::vector<FaultRow> rows = rules.rules.rows();
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].rule, settled(newest).value());
  EXPECT_EQ(rows[0].hits, 1U);
  EXPECT_EQ(rows[0].matched.sum(), 1U);
  EXPECT_EQ(rows[1].hits, 1U);
  EXPECT_EQ(rows[1].matched.put, 2U) << "messages that it let pass count too";
  EXPECT_EQ(rows[2].hits, 1U);
  EXPECT_EQ(rows[2].matched.put, 1U);
}

TEST(FaultList, MayHaveDuplicateRules) {  // spec/multirail.md 11.4
  Rules rules;
  rules.add(rule_of(2));
  rules.add(rule_of(2));
  EXPECT_EQ(rules.next(2), "xx") << "the first match of each of them";
}

TEST(FaultList, RulesAreDeletedByExactNidsOrAll) {  // spec/multirail.md 11.4
  Rules rules;
  FaultRule rule = rule_of(1);
  rule.source = FaultNids::parse("*@tcp").value();
  rules.add(rule);
  rules.add(rule);
  rule.source = FaultNids::parse("10.0.0.2@tcp").value();
  rules.add(rule);
  const FaultNids net = FaultNids::parse("*@tcp").value(), all{};
  EXPECT_THAT(rules.rules.del(Kind::kDrop, &all, &all), IsEmpty()) << "no pattern matching";
  EXPECT_THAT(rules.rules.del(Kind::kDelay, nullptr, nullptr), IsEmpty()) << "another kind";
  EXPECT_EQ(rules.rules.del(Kind::kDrop, &net, &all).size(), 2U);
  EXPECT_EQ(rules.rules.del(Kind::kDrop, &net, nullptr).size(), 0U);
  EXPECT_EQ(rules.rules.del(Kind::kDrop, nullptr, nullptr).size(), 1U);
  EXPECT_TRUE(rules.rules.empty());
}

TEST(FaultList, ResetClearsCountersAndNotWindows) {  // spec/multirail.md 11.4
  Rules rules(rule_of(2));
  EXPECT_EQ(rules.next(1), "x");
  rules.rules.reset(Kind::kDelay);
  EXPECT_EQ(rules.rules.rows().at(0).hits, 1U) << "of another kind";
  rules.rules.reset(Kind::kDrop);
  EXPECT_EQ(rules.rules.rows().at(0).hits, 0U);
  EXPECT_EQ(rules.rules.rows().at(0).matched.sum(), 0U);
  EXPECT_EQ(rules.next(1), ".") << "the rest of the pair";
}

// ---- against a model

/// Whether a rule matches, by the specification's table.
bool is_about(const FaultRule& rule, const FaultQuestion& message) {
  const auto nids = [](const FaultNids& of, const Nid& nid) {
    const std::string text = of.to_string();
    if (text == "*") return true;
    return text.starts_with("*@") ? text.substr(2) == nid.net().to_string()
                                  : text == nid.to_string();
  };
  static const std::map<MsgType, std::uint32_t> kBits = {
      {MsgType::kAck, 1}, {MsgType::kPut, 2}, {MsgType::kGet, 4}, {MsgType::kReply, 8}};
  const MsgType type = message.header.type();
  const bool incoming_only = rule.errors == 0;
  if (!rule.drop_all && incoming_only == message.outgoing) return false;
  if (!nids(rule.source, message.header.src_nid)) return false;
  if (!nids(rule.destination, message.header.dest_nid)) return false;
  if (!rule.local.is_any() && rule.local != message.local) return false;
  if ((rule.messages & kBits.at(type)) == 0) return false;
  if (rule.portals == 0) return true;
  std::uint32_t portal = 0;
  if (type == MsgType::kPut) portal = std::get<wire::PutPart>(message.header.part).portal;
  if (type == MsgType::kGet) portal = std::get<wire::GetPart>(message.header.part).portal;
  return (rule.portals & 1ULL << portal) != 0;
}

/// Checks that the rule has selected exactly one match of each full window.
void check_windows(const FaultRule& rule, const std::vector<bool>& taken) {
  for (std::size_t begin = 0; begin + rule.rate <= taken.size(); begin += rule.rate) {
    const auto at = taken.begin() + static_cast<std::ptrdiff_t>(begin);
    EXPECT_EQ(std::count(at, at + rule.rate, true), rule.drop_all ? rule.rate : 1);
  }
}

TEST(FaultList, MatchesTheModel) {  // spec/multirail.md 11.1
  const std::array kNids = {"10.0.0.1@tcp", "10.0.0.2@tcp", "10.0.0.1@tcp1", "10.0.0.2@tcp1"};
  const std::array kPatterns = {"*", "*@tcp", "*@tcp1", "10.0.0.1@tcp", "10.0.0.2@tcp1"};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    FaultRules rules;
    std::vector<FaultRule> model;  // newest first
    Instant now{seconds(1)};
    for (std::uint64_t i = 1 + rng.below(5); i > 0; --i) {
      FaultRule rule = rule_of(static_cast<std::uint32_t>(1 + rng.below(4)));
      rule.source = FaultNids::parse(kPatterns.at(rng.below(5))).value();
      rule.destination = FaultNids::parse(kPatterns.at(rng.below(5))).value();
      if (rng.below(3) == 0) rule.local = nid(kNids.at(rng.below(4)));
      if (rng.below(3) == 0) rule.messages = static_cast<std::uint32_t>(2 + rng.below(13));
      if (rng.below(4) == 0) rule.portals = 0xf0;
      if (rng.below(2) == 0) rule.errors = static_cast<std::uint32_t>(1 + rng.below(2047));
      rule.drop_all = rng.below(8) == 0;
      rule.seed = rng.next();
      const auto checked = settled(rule);
      if (!checked) continue;
      rules.add(*checked, 0, now);
      model.insert(model.begin(), *checked);
    }
    std::vector<std::vector<bool>> taken(model.size());
    for (int i = 0; i < 2000; ++i) {
      const wire::LnetHeader message =
          header(static_cast<MsgType>(rng.below(4)), kNids.at(rng.below(4)), kNids.at(rng.below(4)),
                 static_cast<std::uint32_t>(rng.below(8)));
      const Nid local = nid(kNids.at(rng.below(4)));
      const FaultQuestion question{message, local, rng.below(2) == 0};
      const std::vector<FaultRow> before = rules.rows();
      const FaultVerdict verdict = rules.drop(question, now);
      const std::vector<FaultRow> after = rules.rows();
      bool ended = false;
      for (std::size_t r = 0; r < model.size(); ++r) {
        const bool asked = !ended && is_about(model[r], question);
        ASSERT_EQ(after[r].matched.sum() - before[r].matched.sum(), asked ? 1U : 0U);
        const bool took = after[r].hits != before[r].hits;
        ASSERT_TRUE(asked || !took);
        if (asked) taken[r].push_back(took);
        if (!took) continue;
        ended = true;
        const bool fails = question.outgoing && model[r].errors != 0;
        ASSERT_EQ(verdict.what, fails ? What::kFail : What::kLose);
        if (!fails || model[r].errors == kFaultRandomError) continue;
        ASSERT_NE(model[r].errors & 1U << static_cast<std::uint32_t>(verdict.health), 0U);
      }
      ASSERT_EQ(verdict.what == What::kPass, !ended);
    }
    for (std::size_t r = 0; r < model.size(); ++r) check_windows(model[r], taken[r]);
  }
}

}  // namespace
}  // namespace ulnet::core
