#include "lnet/base/text.h"

#include <gtest/gtest.h>

namespace ulnet::text {
namespace {

/// The code points of a text; bytes that are no UTF-8 end it with U+0000.
std::u32string letters(std::string_view utf8) {
  std::u32string all;
  while (!utf8.empty()) {
    const auto letter = first_letter(utf8);
    if (!letter) return all + U'\0';
    all += letter->point;
    utf8.remove_prefix(letter->bytes);
  }
  return all;
}

TEST(Text, TakesUtf8Apart) {
  EXPECT_EQ(letters("aß…\U0001f600z"), U"aß…\U0001f600z");
  EXPECT_EQ(letters("\u007f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff"),
            U"\u007f\u0080\u07ff\u0800\uffff\U00010000\U0010ffff");
  EXPECT_FALSE(first_letter(""));
}

TEST(Text, InvalidUtf8IsNoLetter) {
  for (const char* bad :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xed\xa0\x80",
        "\xed\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc3", "\xe2\x80",
        "\xf0\x9f\x98", "\xc3(", "\xe2\x80("})
    EXPECT_FALSE(first_letter(bad)) << bad;
}

}  // namespace
}  // namespace ulnet::text
