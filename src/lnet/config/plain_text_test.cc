#include "lnet/config/plain_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ulnet::conf {
namespace {

TEST(PlainText, CommentsAndContinuationsAreBlanks) {  // spec/cli-lnetctl.md 10
  EXPECT_EQ(PlainText("a # b\nc").text(), "a    \nc");
  EXPECT_EQ(PlainText("a \\\nb").text(), "a   b");
  EXPECT_EQ(PlainText("a \\\r\nb").text(), "a  \r b");
  EXPECT_EQ(PlainText("a # b \\\nc").text(), "a       c") << "a comment that goes on ends there";
  EXPECT_EQ(PlainText("a \\ # b\nc").text(), "a       c");
  EXPECT_EQ(PlainText("a \\x\nb\\").text(), "a \\x\nb\\");
  EXPECT_EQ(PlainText("").text(), "");
  EXPECT_EQ(PlainText("a='b # c' d").text(), "a='b    ' d") << "a comment ends with its quote";
  EXPECT_EQ(PlainText("a=\"b # c' \\\n d\" e # it's\nf").text(), "a=\"b         d\" e       \nf");
}

TEST(PlainText, PlacesAreThoseOfTheTextAsWritten) {  // spec/cli-lnetctl.md 10
  const PlainText in("one \\\n  two # three\n\nfour");
  const auto at = [&](const char* word) {
    return in.place_of(in.text().substr(in.text().find(word)));
  };
  EXPECT_EQ(at("one"), (Place{1, 1}));
  EXPECT_EQ(at("two"), (Place{2, 3}));
  EXPECT_EQ(at("four"), (Place{4, 1}));
  EXPECT_EQ(in.place_of(in.text().substr(4)), (Place{2, 3})) << "blanks are passed over";
  EXPECT_EQ(in.place_of({}), (Place{1, 1}));
  EXPECT_EQ(in.place_of("elsewhere"), (Place{1, 1}));
}

RC_GTEST_PROP(PlainText, EveryByteKeepsItsPlace, ()) {
  const auto written =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("a #\\\n\r")));
  const PlainText in(written);
  RC_ASSERT(in.text().size() == written.size());
  Place place{1, 1};
  for (std::size_t i = 0; i < written.size(); ++i) {
    RC_ASSERT(in.text()[i] == written[i] || in.text()[i] == ' ');
    if (in.text()[i] == 'a') RC_ASSERT(in.place_of(in.text().substr(i)) == place);
    place = written[i] == '\n' ? Place{place.line + 1, 1} : Place{place.line, place.column + 1};
  }
}

}  // namespace
}  // namespace ulnet::conf
