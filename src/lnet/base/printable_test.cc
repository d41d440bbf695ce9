#include "lnet/base/printable.h"

#include <gtest/gtest.h>

namespace ulnet::text {
namespace {

TEST(Printable, LettersStay) {
  EXPECT_EQ(printable("mount.lustre -o 'a b'"), "mount.lustre -o 'a b'");
  EXPECT_EQ(printable("größe 日本 \u00a0"), "größe 日本 \u00a0");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, ControlCharactersBecomeQuestionMarks) {
  EXPECT_EQ(printable("\x1b[2Jroot\n"), "?[2Jroot?");
  EXPECT_EQ(printable("a\x7f\u0080\u009b\u009fz"), "a????z") << "DEL, and CSI among the C1 set";
  EXPECT_EQ(printable("a\x9b\xffz\xc3"), "a??z?") << "8-bit CSI, and bytes of no character";
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
}

TEST(Printable, ControlCharactersAreThoseBelowBlankAndDel) {
  for (const char* text : {"\n", "a\tb", "\x1f", "a\x7f"})
    EXPECT_TRUE(has_control_characters(text)) << text;
  for (const char* text : {"", " ~", "\xc3\xa9", "\x80"})
    EXPECT_FALSE(has_control_characters(text)) << text;
}

}  // namespace
}  // namespace ulnet::text
