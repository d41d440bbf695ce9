// Expression lists: spec/cli-lnetctl.md 8.
#include "lnet/base/expr_list.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace ulnet {
namespace {

using testing::ElementsAre;

std::vector<std::uint32_t> values(const char* text) {
  return ExprList::parse(text, 255).value().expand(1000).value();
}

TEST(ExprList, NamesValuesInTheOrderWritten) {  // spec/cli-lnetctl.md 8
  EXPECT_THAT(values("7"), ElementsAre(7));
  EXPECT_THAT(values("[7]"), ElementsAre(7));
  EXPECT_THAT(values("[1-10/2,13]"), ElementsAre(1, 3, 5, 7, 9, 13));
  EXPECT_THAT(values("[1,2,3-4]"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values("[0-6/3]"), ElementsAre(0, 3, 6));
  EXPECT_THAT(values("[13-14/1]"), ElementsAre(13, 14));
  EXPECT_THAT(values("[5-9/20]"), ElementsAre(5)) << "a step longer than the span";
  EXPECT_THAT(values("[9,1-3]"), ElementsAre(9, 1, 2, 3));
  EXPECT_THAT(values("[255-255]"), ElementsAre(255));
}

TEST(ExprList, EachValueComesOnce) { EXPECT_THAT(values("[1-3,2-4,3]"), ElementsAre(1, 2, 3, 4)); }

TEST(ExprList, AValueThatIsWrittenTwiceMayBeRefused) {
  const auto each_once = [](const char* text) {
    return ExprList::parse(text, 0xffffffff).value().expand(10, ExprList::Repeats::kRefused);
  };
  EXPECT_THAT(*each_once("[1-5/2,2-4/2]"), ElementsAre(1, 3, 5, 2, 4));
  for (const char* text : {"[1-3,2]", "[2,2]", "[2,1-3]", "[0-4/2,2-5/3]", "[02,2]"}) {
    SCOPED_TRACE(text);
    const auto values = each_once(text);
    ASSERT_FALSE(values);
    EXPECT_EQ(values.error().code, -EEXIST);
    EXPECT_EQ(values.error().reason, "2 is there twice: write each number once");
  }
  EXPECT_EQ(each_once("[1-4294967295,1]").error().code, -E2BIG) << "in no more time";
}

TEST(ExprList, BlanksAroundItemsMeanNothing) {  // spec/cli-lnetctl.md 8
  EXPECT_THAT(values("[ 1 - 3 / 2 ,\t9 ]"), ElementsAre(1, 3, 9));
}

TEST(ExprList, TheStarIsEveryValueAndCannotBeExpanded) {  // spec/cli-lnetctl.md 8
  const ExprList all = ExprList::parse("*", 255).value();
  EXPECT_TRUE(all.is_all());
  EXPECT_TRUE(all.matches(0));
  EXPECT_TRUE(all.matches(0xffffffff));
  EXPECT_EQ(all.expand(1000).error().code, -EINVAL);
}

TEST(ExprList, BadListsAreRefusedWithTheReason) {  // spec/cli-lnetctl.md 8
  for (const char* text :
       {"",       "[]",      "[ ]",       "[1-0]",  "[5-3]", "[1-10/0]", "[1-10/]", "[1-10/x]",
        "[1/2]",  "[1,]",    "[,1]",      "[1,,2]", "[1",    "1]",       "[1]]",    "[[1]]",
        "[1][2]", "[1]x",    "x",         "1-3",    "1,2",   "[a-b]",    "[1-]",    "[-1]",
        "[-]",    "[1-2-3]", "[1-3/2/1]", "[*]",    "256",   "[256]",    "[0-256]", "[4294967296]",
        "+1",     "[+1]",    "0x1",       " 1",     "[1 2]", "**",       "*1"}) {
    SCOPED_TRACE(text);
    const auto list = ExprList::parse(text, 255);
    ASSERT_FALSE(list) << list->to_string();
    EXPECT_EQ(list.error().code, -EINVAL);
    EXPECT_FALSE(list.error().reason.empty());
  }
}

TEST(ExprList, ExpansionIsBoundedByTheCaller) {
  const ExprList wide = ExprList::parse("[0-4294967295]", 0xffffffff).value();
  EXPECT_EQ(wide.expand(128).error().code, -E2BIG);
  EXPECT_TRUE(wide.matches(0xffffffff));
  EXPECT_EQ(ExprList::parse("[1-128]", 255)->expand(128).value().size(), 128U);
  EXPECT_EQ(ExprList::parse("[1-129]", 255)->expand(128).error().code, -E2BIG);
  EXPECT_EQ(ExprList::parse("[1-128,1-128]", 255)->expand(128).value().size(), 128U);
  EXPECT_EQ(ExprList::of(4294967295U).expand(1).value().front(), 4294967295U);
  EXPECT_EQ(
      ExprList::parse("[4294967295,4294967290-4294967295/5]", 0xffffffff)->expand(9).value().size(),
      2U);
}

TEST(ExprList, KnowsASingleValue) {
  EXPECT_TRUE(ExprList::parse("[3-3/7]", 255)->is_single());
  EXPECT_FALSE(ExprList::parse("[3,3]", 255)->is_single());
  EXPECT_FALSE(ExprList::all().is_single());
}

RC_GTEST_PROP(ExprList, PrintsWhatItParsesAndMatchesWhatItExpands, ()) {
  std::string text = "[";
  for (int items = *rc::gen::inRange(1, 5); items > 0; --items) {
    const auto lo = *rc::gen::inRange(0, 256);
    const auto hi = *rc::gen::inRange(lo, 256);
    text += std::to_string(lo) + "-" + std::to_string(hi) + "/" +
            std::to_string(*rc::gen::inRange(1, 300));
    if (items > 1) text += ",";
  }
  const ExprList list = ExprList::parse(text + "]", 255).value();
  RC_ASSERT(ExprList::parse(list.to_string(), 255).value() == list);
  const auto expanded = list.expand(256).value();
  for (std::uint32_t value = 0; value < 256; ++value) {
    const bool named = std::find(expanded.begin(), expanded.end(), value) != expanded.end();
    RC_ASSERT(list.matches(value) == named);
  }
}

RC_GTEST_PROP(ExprList, AnyTextIsAListOrRefused, (const std::string& text)) {
  for (const std::string& candidate : {text, "[" + text + "]", "[1," + text + "]"}) {
    if (const auto list = ExprList::parse(candidate, 1000))
      RC_ASSERT(ExprList::parse(list->to_string(), 1000).value() == *list);
  }
}

}  // namespace
}  // namespace ulnet
