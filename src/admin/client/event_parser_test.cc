#include "admin/client/event_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace ulnet::ctl {
namespace {

/// The events that a parser reads from pieces: "id|kind|data" for each event.
struct Heard {
  EventParser parser;
  std::vector<std::string> events;
  std::size_t most = 1000;

  bool feed(std::string_view bytes) {
    return parser.feed(bytes, [&](const StreamedEvent& event) {
      events.push_back(event.id + "|" + event.kind + "|" + event.data);
      return events.size() < most;
    });
  }
};

constexpr std::string_view kStream =
    ": a comment\nretry: 2000\n\nid: 7-1\nevent: ni\ndata: {\"a\":\ndata: 1}\n\n"
    "data:x\r\n\r\nevent: gap\rdata: {}\r\rid\ndata: last\n\n";
const std::vector<std::string> kEvents = {"7-1|ni|{\"a\":\n1}", "7-1|message|x", "7-1|gap|{}",
                                          "|message|last"};

TEST(EventParser, TakesAStreamApart) {
  Heard heard;
  EXPECT_TRUE(heard.feed(kStream));
  EXPECT_EQ(heard.events, kEvents);
}

TEST(EventParser, PiecesOfAnySizeMakeNoDifference) {
  for (std::size_t size = 1; size < kStream.size(); ++size) {
    Heard heard;
    for (std::size_t at = 0; at < kStream.size(); at += size)
      ASSERT_TRUE(heard.feed(kStream.substr(at, size)));
    EXPECT_EQ(heard.events, kEvents) << size;
  }
}

TEST(EventParser, EveryTruncationHasTheEventsThatAreWhole) {
  std::size_t whole = 0;
  for (std::size_t size = 0; size <= kStream.size(); ++size) {
    Heard heard;
    ASSERT_TRUE(heard.feed(kStream.substr(0, size)));
    ASSERT_LE(heard.events.size(), kEvents.size());
    EXPECT_TRUE(std::equal(heard.events.begin(), heard.events.end(), kEvents.begin())) << size;
    EXPECT_GE(heard.events.size(), whole);  // later bytes take no event back
    whole = heard.events.size();
  }
  EXPECT_EQ(whole, kEvents.size());
}

TEST(EventParser, ABlockWithoutDataIsSkipped) {
  Heard heard;
  EXPECT_TRUE(heard.feed("event: ni\nid: 1\n\n\n\nunknown: field\nwithout a colon\n\ndata\n\n"));
  EXPECT_EQ(heard.events, std::vector<std::string>{"1|message|"});
}

TEST(EventParser, AnIdWithAZeroByteIsIgnored) {
  Heard heard;
  EXPECT_TRUE(heard.feed(std::string_view("id: 1\nid: 2\0003\ndata: x\n\n", 23)));
  EXPECT_EQ(heard.events, std::vector<std::string>{"1|message|x"});
}

TEST(EventParser, AByteOrderMarkIsSkippedAtTheBeginningOnly) {
  Heard heard;
  EXPECT_TRUE(
      heard.feed("\xEF\xBB\xBF"
                 "data: x\n\n\xEF\xBB\xBF"
                 "data: y\n\n"));
  EXPECT_EQ(heard.events, std::vector<std::string>{"|message|x"});
}

TEST(EventParser, EndsWhenNoMoreIsWanted) {
  Heard heard;
  heard.most = 2;
  EXPECT_FALSE(heard.feed(kStream));
  EXPECT_EQ(heard.events.size(), 2U);
  EXPECT_FALSE(heard.parser.too_long());
}

TEST(EventParser, AnEventWithoutEndIsRefused) {
  // given: one long line, and many lines of data without an empty one
  for (const std::string& piece :
       {std::string(1000, 'x'), std::string("data: yyyyyyyyyyyyyyyy\n")}) {
    Heard heard;
    std::size_t fed = 0;
    while (heard.feed(piece)) ASSERT_LE(fed += piece.size(), 2 * EventParser::kEventBytes);
    EXPECT_TRUE(heard.parser.too_long());
  }
}

}  // namespace
}  // namespace ulnet::ctl
