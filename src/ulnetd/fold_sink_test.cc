#include "ulnetd/fold_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

namespace ulnet::tools {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FoldSinkTest : public testing::Test {
 protected:
  FoldSinkTest() { sink_.set_pattern("%l %v"); }

  void log(milliseconds at, spdlog::level::level_enum level, const char* text) {
    sink_.log(spdlog::details::log_msg(kStart + at, spdlog::source_loc{}, "", level, text));
  }
  void error(milliseconds at, const char* text) { log(at, spdlog::level::err, text); }
  std::string shown() {
    sink_.flush();
    return out_.str();
  }

  static constexpr spdlog::log_clock::time_point kStart{seconds(1'000'000)};
  std::ostringstream out_;
  FoldSink sink_{std::make_shared<spdlog::sinks::ostream_sink_mt>(out_, true)};
};

TEST_F(FoldSinkTest, TheFirstIsShownAtOnceAndRepeatsAreCounted) {
  for (int i = 0; i < 13; ++i) error(milliseconds(i), "no route");
  EXPECT_EQ(shown(), "error no route\n");
  sink_.show_due(kStart + seconds(9));
  EXPECT_EQ(shown(), "error no route\n");
  sink_.show_due(kStart + seconds(10));
  EXPECT_EQ(shown(), "error no route\nerror no route (repeated 12 times)\n");
  sink_.show_due(kStart + seconds(30));
  EXPECT_EQ(shown(), "error no route\nerror no route (repeated 12 times)\n");
}

TEST_F(FoldSinkTest, OthersBetweenThemDoNotMatter) {
  error(milliseconds(0), "a");
  error(milliseconds(1), "b");
  error(milliseconds(2), "a");
  error(milliseconds(3), "b");
  sink_.show_all();
  EXPECT_EQ(shown(), "error a\nerror b\nerror a (repeated once)\nerror b (repeated once)\n");
}

TEST_F(FoldSinkTest, AfterTheWhileItIsNewAgain) {
  error(seconds(0), "a");
  error(seconds(1), "a");
  error(seconds(11), "a");
  EXPECT_EQ(shown(), "error a\nerror a (repeated once)\nerror a\n");
}

TEST_F(FoldSinkTest, LevelsAreDistinguishedAndInformationIsNotFolded) {
  error(milliseconds(0), "a");
  log(milliseconds(1), spdlog::level::warn, "a");
  log(milliseconds(2), spdlog::level::info, "a");
  log(milliseconds(3), spdlog::level::info, "a");
  EXPECT_EQ(shown(), "error a\nwarning a\ninfo a\ninfo a\n");
}

TEST_F(FoldSinkTest, CountsGoOnInAnotherSink) {
  std::ostringstream later;
  auto below = std::make_shared<spdlog::sinks::ostream_sink_mt>(later, true);
  below->set_pattern("%l %v");
  error(milliseconds(0), "a");
  error(milliseconds(1), "a");
  sink_.continue_in(below);
  error(milliseconds(2), "b");
  sink_.show_all();
  EXPECT_EQ(shown(), "error a\n");
  EXPECT_EQ(later.str(), "error b\nerror a (repeated once)\n");
}

TEST_F(FoldSinkTest, RemembersABoundedNumberOfLines) {
  error(milliseconds(0), "first");
  error(milliseconds(1), "first");
  for (std::size_t i = 0; i < FoldSink::kRemembered; ++i)
    error(milliseconds(2), ("other " + std::to_string(i)).c_str());
  EXPECT_THAT(shown(), testing::HasSubstr("first (repeated once)\n"));
}

}  // namespace
}  // namespace ulnet::tools
