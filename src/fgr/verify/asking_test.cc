#include "fgr/verify/asking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fgr/verify/real_site_fixture.h"

namespace ulnet::plan {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Instant at(int second) { return Instant(seconds(second)); }

/// One host of the paper's site is asked, at second 0 unless a test says otherwise.
class AskingOne : public testing::Test {
 protected:
  void ask(const std::string& name, unsigned retries) {
    host_ = *site_.checks().find(name);
    asking_.emplace(site_.checks(), std::vector<AskedOne>{{host_, "door:" + name}}, retries);
  }
  /// Answers with the host's configuration.
  void answer_state(int second = 0) {
    ASSERT_TRUE(asking_->next(at(second)).value().pings.empty());
    asking_->configured(0, site_.state(host_), at(second));
  }
  /// Answers all open pings, except those whose numbers in the checks are in `lost`. Returns the
  /// number of pings in the questions.
  std::size_t answer_pings(const std::set<std::size_t>& lost = {}, int second = 0) {
    std::size_t count = 0;
    const auto& all = site_.checks().pings[host_];
    while (const auto question = asking_->next(at(second))) {
      EXPECT_FALSE(question->pings.empty());
      EXPECT_LE(question->pings.size(), Asking::kPingsAtOnce);
      std::vector<SeenPing> answers;
      for (const PingTarget& target : question->pings) {
        const auto found = std::ranges::find(all, target.nid, &PingTarget::nid);
        answers.push_back(site_.ping(host_, target));
        answers.back().answered = !lost.contains(static_cast<std::size_t>(found - all.begin()));
        ++count;
      }
      asking_->pinged(0, std::move(answers), at(second));
    }
    return count;
  }
  HostSeen seen(const std::string& why = "") {
    Asked asked = asking_->finish(why);
    notes_ = asked.notes;
    return asked.seen[host_];
  }

  RealSite site_;
  std::size_t host_ = 0;
  std::optional<Asking> asking_;
  std::vector<std::string> notes_;
};

TEST_F(AskingOne, AnsweredPingsAreNotRepeated) {
  ask("client1", 4);
  answer_state();
  EXPECT_EQ(asking_->progress().of_pings, 32U);
  EXPECT_EQ(answer_pings(), 32U);
  EXPECT_TRUE(asking_->done());
  EXPECT_EQ(asking_->progress().pings, 32U);
  EXPECT_EQ(seen().pings.size(), 32U);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(AskingOne, AFailedPingIsAskedAgainAfterPausesThatDouble) {
  ask("client1", 3);
  answer_state();
  answer_pings({3, 30});
  EXPECT_FALSE(asking_->done());
  EXPECT_EQ(asking_->progress().again, 1U);
  EXPECT_FALSE(asking_->next(Instant(std::chrono::milliseconds(999))));
  EXPECT_EQ(asking_->next_at(), at(1));
  EXPECT_EQ(answer_pings({3, 30}, 1), 2U);
  EXPECT_EQ(asking_->next_at(), at(3));
  EXPECT_EQ(answer_pings({30}, 3), 2U) << "the first of them is answered now";
  EXPECT_EQ(asking_->next_at(), at(7));
  EXPECT_EQ(answer_pings({30}, 7), 1U);
  EXPECT_TRUE(asking_->done());
  const HostSeen seen = this->seen();
  EXPECT_TRUE(seen.pings[3].answered);
  EXPECT_EQ(seen.pings[3].asked, 3U);
  EXPECT_FALSE(seen.pings[30].answered);
  EXPECT_EQ(seen.pings[30].asked, 4U);
  EXPECT_EQ(std::ranges::count(seen.pings, true, &SeenPing::answered), 31);
}

TEST_F(AskingOne, FailuresCountOnlyAfterARepeat) {
  ask("client1", 3);
  answer_state();
  answer_pings({3, 30});
  answer_pings({30}, 1);
  const HostSeen seen = this->seen("the time is over");
  EXPECT_EQ(seen.pings.size(), 31U);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("client1: 1 of 32 pings failed, were repeated "
                                            "less than 3 times, and do not count: the time is "
                                            "over")));
}

TEST_F(AskingOne, ACallThatFailsIsMadeAgain) {
  ask("client1", 1);
  answer_state();
  ASSERT_EQ(asking_->next(at(0))->pings.size(), Asking::kPingsAtOnce);
  asking_->pinged(0, fail(-EIO, "broken pipe"), at(0));
  EXPECT_FALSE(asking_->next(at(0)));
  EXPECT_EQ(answer_pings({}, 1), 32U);
  EXPECT_TRUE(asking_->done());
  EXPECT_EQ(seen().pings.size(), 32U);
  EXPECT_THAT(notes_, IsEmpty());

  ask("client1", 1);
  answer_state();
  for (const int second : {0, 1}) {
    ASSERT_TRUE(asking_->next(at(second)));
    asking_->pinged(0, fail(-EIO, "broken pipe"), at(second));
  }
  EXPECT_TRUE(asking_->done());
  EXPECT_THAT(seen().pings, IsEmpty());
  EXPECT_THAT(notes_, ElementsAre("client1: 32 of 32 pings were not made: broken pipe"));
}

TEST_F(AskingOne, ARouteIsDownOnlyIfItNeverWasUp) {
  const auto answer = [&](int second, bool first_up, bool second_up) {
    ASSERT_TRUE(asking_->next(at(second)).value().pings.empty());
    HostSeen state = site_.state(host_);
    state.routes[0].up = first_up;
    state.routes[1].up = second_up;
    asking_->configured(0, state, at(second));
  };
  ask("client1", 2);
  answer(0, false, true);
  answer_pings();
  answer(1, true, false);
  EXPECT_TRUE(asking_->done()) << "each was up once";
  EXPECT_EQ(seen().routes[1].up, true);

  ask("client1", 1);
  answer(0, false, true);
  answer_pings();
  answer(1, false, true);
  EXPECT_TRUE(asking_->done());
  EXPECT_EQ(seen().routes[0].up, false);
  EXPECT_THAT(notes_, IsEmpty());

  ask("client1", 1);
  answer(0, false, true);
  answer_pings();
  EXPECT_FALSE(seen("interrupted").routes[0].up.has_value());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("does not count: interrupted")));
}

TEST_F(AskingOne, AHostWithoutAStateIsSilent) {
  ask("client1", 2);
  asking_->next(at(0));
  asking_->configured(0, fail(-EACCES, "Permission denied"), at(0));
  EXPECT_TRUE(asking_->done());
  const HostSeen seen = this->seen();
  EXPECT_EQ(seen.state, HostSeen::State::kSilent);
  EXPECT_EQ(seen.trouble, "Permission denied");
}

TEST(Asking, FirstQuestionsGoBeforeThoseThatAreAskedAgain) {
  const RealSite site;
  const VerifyChecks& checks = site.checks();
  Asking asking(checks, {{checks.find("nid00068"), ""}, {checks.find("nid00090"), ""}}, 1);
  const auto pinged = [&](std::size_t whom, bool answered) {
    std::vector<SeenPing> pings;
    for (const PingTarget& target : checks.pings[*checks.find("nid00068")])
      pings.push_back({.target = target, .answered = answered, .nids = {}, .trouble = {}});
    asking.pinged(whom, std::move(pings), at(0));
  };
  const auto state = site.state(*checks.find("nid00068"));
  EXPECT_EQ(asking.next(at(0))->whom, 0U);
  asking.configured(0, state, at(0));
  EXPECT_EQ(asking.next(at(0))->whom, 0U);
  EXPECT_EQ(asking.next(at(0))->whom, 1U) << "while the first is asked";
  pinged(0, false);
  asking.configured(1, state, at(0));
  EXPECT_EQ(asking.next(at(2))->whom, 1U) << "the first may be asked again, and this one is new";
  EXPECT_EQ(asking.next(at(2))->whom, 0U);
  EXPECT_FALSE(asking.next(at(2))) << "both are being asked";
  EXPECT_EQ(asking.next_at(), kNever);
}

TEST(Asking, NidsIdentifyAHost) {
  const RealSite site;
  const VerifyChecks& checks = site.checks();
  const auto state = [&](const char* name) { return site.state(*checks.find(name)); };
  HostSeen stranger = state("client1");
  stranger.nis = {{*Nid::parse("10.9.9.9@tcp9")}};
  Asking asking(checks,
                std::vector<AskedOne>{{{}, "local"},
                                      {{}, "door:a"},
                                      {{}, "door:b"},
                                      {{}, "door:c"},
                                      {{}, "door:d"},
                                      {{}, "door:e"}},
                0);
  const HostSeen answers[] = {state("nid00068"), state("client1"), state("client2"),
                              state("nid00068"), stranger};
  for (std::size_t i = 0; i < 5; ++i) {
    auto question = asking.next(at(0));
    while (!question->pings.empty()) question = asking.next(at(0));  // never answered
    asking.configured(question->whom, answers[i], at(0));
  }
  const Asked asked = asking.finish("the time is over");
  EXPECT_TRUE(asked.seen[*checks.find("nid00068")].asked());
  EXPECT_TRUE(asked.seen[*checks.find("client1")].asked());
  EXPECT_TRUE(asked.seen[*checks.find("client2")].asked());
  EXPECT_THAT(asked.notes,
              testing::IsSupersetOf({HasSubstr("1 host was not asked, the time is over: door:e"),
                                     HasSubstr("door:d: its NIDs do not say which host"),
                                     HasSubstr("nid00068 was asked twice")}));
}

}  // namespace
}  // namespace ulnet::plan
