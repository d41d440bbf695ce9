#include "lnet/base/nearest_word.h"

#include <gtest/gtest.h>

#include <vector>

namespace ulnet::text {
namespace {

const std::vector<std::string_view> kCommands = {"lnet", "net",  "route", "routing",
                                                 "peer", "ping", "stats", "discover"};

TEST(NearestWord, CorrectsOneTypo) {
  EXPECT_EQ(nearest_word("pign", kCommands), "ping") << "two characters exchanged";
  EXPECT_EQ(nearest_word("pin", kCommands), "ping") << "one missing";
  EXPECT_EQ(nearest_word("pinng", kCommands), "ping") << "one too many";
  EXPECT_EQ(nearest_word("status", kCommands), "stats") << "one too many, within the word";
  EXPECT_EQ(nearest_word("poute", kCommands), "route") << "another character";
}

TEST(NearestWord, LongWordsMayHaveMoreTypos) {
  EXPECT_EQ(nearest_word("disocevr", kCommands), "discover");
  EXPECT_EQ(nearest_word("dsiocevr", kCommands), "") << "too many";
  const std::vector<std::string_view> keys = {"peer_timeout", "peer_credits", "credits"};
  EXPECT_EQ(nearest_word("peer_kredits", keys), "peer_credits");
  EXPECT_EQ(nearest_word("peercredit", keys), "peer_credits");
}

TEST(NearestWord, TheFirstOfEquallyNearWordsWins) {
  EXPECT_EQ(nearest_word("xnet", kCommands), "lnet");
  const std::vector<std::string_view> words = {"cat", "bat"};
  EXPECT_EQ(nearest_word("rat", words), "cat");
}

TEST(NearestWord, AnUnlikeWordHasNoNearest) {
  EXPECT_EQ(nearest_word("quit", kCommands), "");
  EXPECT_EQ(nearest_word("", kCommands), "");
  EXPECT_EQ(nearest_word("ping", {}), "");
}

TEST(NearestWord, LongTextsAreIgnored) {
  const std::string longest(64, 'a');
  const std::string longer(65, 'a');
  const std::vector<std::string_view> words = {longer, longest};
  EXPECT_EQ(nearest_word(longest, words), longest);
  EXPECT_EQ(nearest_word(longer, words), "");
}

TEST(NearestWord, IsPrintedAsASentence) {
  EXPECT_EQ(did_you_mean("pign", kCommands), "Did you mean 'ping'?");
  EXPECT_EQ(did_you_mean("quit", kCommands), "");
}

}  // namespace
}  // namespace ulnet::text
