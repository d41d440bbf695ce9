#include "fgr/log/log_words.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace ulnet::plan {
namespace {

TroubleSet set_of(std::initializer_list<Trouble> troubles) {
  TroubleSet set = 0;
  for (const Trouble trouble : troubles)
    set |= static_cast<TroubleSet>(1U << static_cast<unsigned>(trouble));
  return set;
}

TEST(LogWords, AreFoundInAnyCase) {
  EXPECT_EQ(troubles_in("a request TIMED OUT"), set_of({Trouble::kTimedOut}));
  EXPECT_EQ(troubles_in("Connection Refused by peer"), set_of({Trouble::kRefused}));
  EXPECT_EQ(troubles_in("No route to host"), set_of({Trouble::kNoRoute}));
  EXPECT_EQ(troubles_in("network is unreachable"), set_of({Trouble::kNoRoute}));
  EXPECT_EQ(troubles_in("the connection was lost"), set_of({Trouble::kLost}));
  EXPECT_EQ(troubles_in("router went down"), set_of({Trouble::kDown}));
  EXPECT_EQ(troubles_in("evicting a client, evicted"), set_of({Trouble::kEvicted}));
  EXPECT_EQ(troubles_in("Dropping a PUT, dropped"), set_of({Trouble::kDropped}));
  EXPECT_EQ(troubles_in("bad CHECKSUM"), set_of({Trouble::kCorrupt}));
  EXPECT_EQ(troubles_in("timed out, then refused"),
            set_of({Trouble::kTimedOut, Trouble::kRefused}));
}

// Case 07 of the field: the wordings for a request that failed.
TEST(LogWords, FailedRequestsAreFound) {
  EXPECT_EQ(troubles_in("@@@ Request sent has failed due to network error: [sent 1/real 2]"),
            set_of({Trouble::kLost}));
  EXPECT_EQ(troubles_in("@@@ Request sent has timed out for sent delay: [sent 1/real 0]"),
            set_of({Trouble::kTimedOut}));
  EXPECT_EQ(troubles_in("@@@ Request sent has timed out for slow reply: [sent 1/real 2]"),
            set_of({Trouble::kTimedOut}));
  EXPECT_EQ(troubles_in("request expired, deadline 2 s ago"), set_of({Trouble::kTimedOut}));
  EXPECT_EQ(troubles_in("Request sent has failed"), set_of({Trouble::kLost}));
  for (const char* line : {"ptlrpc_expire_one_request()", "failover partner", "it failed over"})
    EXPECT_EQ(troubles_in(line), 0U) << line;
}

TEST(LogWords, AreFoundAtEveryPlaceOfALine) {
  for (std::size_t before = 0; before < 12; ++before)
    for (std::size_t behind = 0; behind < 12; ++behind)
      EXPECT_EQ(troubles_in(std::string(before, '.') + "-62" + std::string(behind, ' ')),
                set_of({Trouble::kTimedOut}))
          << before << " before, " << behind << " behind";
}

TEST(LogWords, ErrorNumbersAreWholeWords) {
  for (const char* line : {"rc = -110", "rc=-110)", "status -110.", "-110: it says", "(-110)"})
    EXPECT_EQ(troubles_in(line), set_of({Trouble::kTimedOut})) << line;
  for (const char* line : {"12345-110@gni1", "rc = -1100", "12345-110.1.2.3@o2ib", " -110.1.2.3",
                           "2026-110", "rc = -11", " -110@gni1"})
    EXPECT_EQ(troubles_in(line), 0) << line;
  EXPECT_EQ(troubles_in("errors -113, -111 and -107"),
            set_of({Trouble::kNoRoute, Trouble::kRefused, Trouble::kLost}));
}

TEST(LogWords, OtherWordsAreIgnored) {
  for (const char* line : {"", "-1", "ghost", "lostandfound", "download", "downs",
                           "a timid outcome", "all is well", "-11"})
    EXPECT_EQ(troubles_in(line), 0) << line;
}

TEST(LogWords, EveryTroubleHasItsName) {
  for (std::size_t i = 0; i < kTroubles; ++i)
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_NE(name_of(static_cast<Trouble>(i)), name_of(static_cast<Trouble>(k)));
}

}  // namespace
}  // namespace ulnet::plan
