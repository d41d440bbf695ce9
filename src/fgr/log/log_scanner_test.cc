#include "fgr/log/log_scanner.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lnet/base/rng.h"

namespace ulnet::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string shown(const LogCounts& counts) {
  std::string text;
  for (const NidCount& count : counts.nids) {
    text += fmt::format("{} {} {}", count.nid.to_string(), count.all, count.troubled);
    for (const std::uint64_t each : count.by_trouble) text += fmt::format(" {}", each);
    text += "\n";
  }
  text += fmt::format("{} bytes, {} lines, {} troubled, {} uncounted\n", counts.bytes, counts.lines,
                      counts.troubled, counts.uncounted);
  for (const std::uint64_t each : counts.by_trouble) text += fmt::format(" {}", each);
  return text;
}

/// The counts for these parts of one text.
LogCounts counts_of(std::initializer_list<std::string_view> parts, std::size_t most = 1000) {
  LogScanner scanner({}, most);
  for (const std::string_view part : parts) scanner.feed(part);
  return scanner.finish();
}

std::vector<std::string> nids_in(std::string_view text) {
  std::vector<std::string> nids;
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1))
    if (const auto nid = nid_around(text, at)) nids.push_back(nid->to_string());
  return nids;
}

// Our own text in the form of kernel logs and of lctl's debug logs.
constexpr std::string_view kSmallLog =
    "Nov 14 22:13:20 nid00012 kernel: LNetError: 4711:0:(watch.c:88:late()) "
    "12345-10.10.100.4@o2ib6002 "
    "timed out, rc = -110\n"
    "00000400:00000200:3.0:1700000000.5:0:4711:0:(way.c:7:go()) 750@gni1 -> 10.10.100.4@o2ib6002 "
    "via "
    "750@gni1\r\n"
    "nothing here\n"
    "peer fe80::1:2@tcp7: Connection refused\n"
    "\n"
    "the last line 2001:db8::1@tcp has no end";

TEST(LogScanner, CountsLinesForEachNid) {
  const LogCounts counts = counts_of({kSmallLog});
  EXPECT_EQ(shown(counts), fmt::format("10.10.100.4@o2ib6002 2 1 1 0 0 0 0 0 0 0\n"
                                       "750@gni1 1 0 0 0 0 0 0 0 0 0\n"
                                       "2001:db8::1@tcp 1 0 0 0 0 0 0 0 0 0\n"
                                       "fe80::1:2@tcp7 1 1 0 1 0 0 0 0 0 0\n"
                                       "{} bytes, 4 lines, 2 troubled, 0 uncounted\n"
                                       " 1 1 0 0 0 0 0 0",
                                       kSmallLog.size()));
}

TEST(LogScanner, FindsNidsInTheTextAroundThem) {
  EXPECT_THAT(nids_in("MGC10.10.100.2@o2ib6000@10.10.100.2@o2ib6000:26/25"),
              ElementsAre("10.10.100.2@o2ib6000", "10.10.100.2@o2ib6000"));
  EXPECT_THAT(nids_in("(10.1.1.4@o2ib2)->[10.1.1.5@o2ib2],750@gni1."),
              ElementsAre("10.1.1.4@o2ib2", "10.1.1.5@o2ib2", "750@gni1"));
  EXPECT_THAT(nids_in("12345-750@gni1 U7-10.1.1.1@tcp"), ElementsAre("750@gni1", "10.1.1.1@tcp"));
  EXPECT_THAT(nids_in("peer:10.1.1.4@tcp nid:fe80::1@tcp at:0x2ee@kfi1"),
              ElementsAre("10.1.1.4@tcp", "fe80::1@tcp", "750@kfi1"));
  EXPECT_THAT(nids_in("::ffff:10.1.1.4@tcp ::1@tcp"),
              ElementsAre("::ffff:10.1.1.4@tcp", "::1@tcp"));
  EXPECT_THAT(nids_in("12345-2001:db8::7@o2ib3"), ElementsAre("2001:db8::7@o2ib3"));
  EXPECT_THAT(nids_in("255.255.255.255@o2ib65535"), ElementsAre("255.255.255.255@o2ib65535"));
}

TEST(LogScanner, OtherTextsAreNoNids) {
  for (const char* text :
       {"@", "@tcp", "10.1.1.1@", "user root@tcp", "10.1.1@tcp", "10.1.1.256@tcp",
        "10.1.1.1@tcpdump", "10.1.1.1@tcp65536", "10.1.1.1@tcp99999999999", "10.1.1.1@udp", "0@lo",
        "10.1.1.4@gni1", "4294967296@gni1", "req@ffff8800", "10.1.1.1@tcp_recv", "1:2:3@tcp",
        "750 @gni1", "10.1.1.[4-5]@o2ib",
        "99999999999999999999999999999999999999999999999999999999999999999999@gni1"})
    EXPECT_THAT(nids_in(text), IsEmpty()) << text;
}

TEST(LogScanner, ChunksMayEndAnywhere) {
  const std::string whole = shown(counts_of({kSmallLog}));
  for (std::size_t i = 0; i <= kSmallLog.size(); ++i)
    for (const std::size_t more : {std::size_t{0}, std::size_t{1}, std::size_t{9}})
      EXPECT_EQ(shown(counts_of({kSmallLog.substr(0, i), kSmallLog.substr(i, more),
                                 kSmallLog.substr(std::min(i + more, kSmallLog.size()))})),
                whole)
          << "cut at " << i << " and " << more << " later";
}

TEST(LogScanner, LinesOfAFileEndWithIt) {
  LogScanner scanner({});
  scanner.feed("10.1.1.1@tcp");
  scanner.end_line();
  scanner.feed("7@gni1 timed out\n");
  const LogCounts counts = scanner.finish();
  EXPECT_EQ(counts.lines, 2U);
  EXPECT_EQ(counts.troubled, 1U);
  ASSERT_EQ(counts.nids.size(), 2U) << "not 10.1.1.1@tcp7";
}

TEST(LogScanner, NidsAtTheEndOfPiecesOfALongLineStayWhole) {
  constexpr std::string_view kNid = "10.10.100.4@o2ib6002";
  for (std::size_t before = LogScanner::kLongestLine - 80; before < LogScanner::kLongestLine + 5;
       ++before) {
    const std::string line =
        std::string(before - 1, 'x') + " " + std::string(kNid) + " " + std::string(70'000, 'y');
    const LogCounts counts = counts_of({line});
    ASSERT_EQ(counts.nids.size(), 1U) << before;
    EXPECT_EQ(counts.nids[0].nid.to_string(), kNid);
    EXPECT_EQ(shown(counts_of({line.substr(0, 65'530), line.substr(65'530)})), shown(counts));
  }
}

TEST(LogScanner, RemembersAllKnownNidsAndALimitedNumberOfOthers) {
  const Nid known = *Nid::parse("9@gni1");
  LogScanner scanner(std::vector{known, known}, 3);
  for (int i = 0; i < 20; ++i) scanner.feed(fmt::format("{}@gni1 is named\n", i));
  const LogCounts counts = scanner.finish();
  std::vector<std::string> nids;
  for (const NidCount& count : counts.nids) nids.push_back(count.nid.to_string());
  EXPECT_THAT(nids, ElementsAre("0@gni1", "1@gni1", "2@gni1", "9@gni1"));
  EXPECT_EQ(counts.uncounted, 16U);
  EXPECT_EQ(counts.lines, 20U);
}

/// Text of pieces that look like NIDs, junk, words for trouble, and sometimes a very long run.
std::string random_text(Rng& rng) {
  static constexpr std::string_view kPieces[] = {
      "10.10.100.4", "@o2ib6002", "@gni1", "750",     "@",    "\n",        " ",
      "\n",          ".",         ":",     "fe80::1", "@tcp", "timed out", "-110",
      "down",        "-",         "0x2ee", "@kfi2",   "lost", "\r\n",      "\xff\xfe"};
  std::string text;
  for (std::uint64_t i = rng.below(300); i > 0; --i) {
    if (rng.below(100) == 0)
      text +=
          std::string(rng.below(2) == 0 ? 65'536 - rng.below(60) : 40'000, "x.1@"[rng.below(4)]);
    else if (rng.below(8) == 0)
      text += static_cast<char>(rng.below(256));
    else
      text += kPieces[rng.below(std::size(kPieces))];
  }
  return text;
}

TEST(LogScanner, RandomTextCountsTheSameHoweverItIsCut) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Rng rng(seed);
    const std::string text = random_text(rng);
    LogScanner scanner({}, 1000);
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t size =
          std::min<std::size_t>(1 + rng.below(rng.below(3) == 0 ? 70'000 : 40), rest.size());
      scanner.feed(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    ASSERT_EQ(shown(scanner.finish()), shown(counts_of({text}))) << "seed " << seed;
  }
}

TEST(LogScanner, RandomNidsAreReadAsTheyArePrinted) {
  constexpr std::uint64_t kSeed = 20;
  Rng rng(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    const auto type = std::array{NetType::kTcp, NetType::kO2ib, NetType::kGni,
                                 NetType::kKfi, NetType::kEfa,  NetType::kGip}[rng.below(6)];
    const NetId net{type, static_cast<std::uint16_t>(rng.next())};
    Nid nid = Nid::small(net, static_cast<std::uint32_t>(rng.next()));
    if ((type == NetType::kTcp || type == NetType::kO2ib) && rng.below(2) == 0) {
      std::array<std::uint8_t, 16> address{};
      for (std::uint8_t& byte : address)
        if (rng.below(3) != 0) byte = static_cast<std::uint8_t>(rng.next());
      nid = Nid::large(net, address);
    }
    const std::string text = fmt::format("peer {}: late\n", nid.to_string());
    const LogCounts counts = counts_of({text});
    ASSERT_EQ(counts.nids.size(), 1U) << text << "seed " << kSeed;
    ASSERT_EQ(counts.nids[0].nid, nid) << text << "seed " << kSeed;
  }
}

}  // namespace
}  // namespace ulnet::plan
