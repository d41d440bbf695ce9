#include "admin/http/head_lines.h"

#include <gtest/gtest.h>

#include <string>

namespace ulnet::http {
namespace {

constexpr std::string_view kGet = "GET / HTTP/1.1\r\n";

bool is_malformed(std::string_view head, std::size_t piece = 1) {
  HeadLines lines;
  for (; !head.empty(); head.remove_prefix(std::min(piece, head.size())))
    lines.take(head.substr(0, piece));
  return lines.malformed();
}
bool has_malformed_line(std::string_view line) {
  return is_malformed(std::string(kGet) + "Host: ulnet\r\n" + std::string(line) + "\r\n\r\n");
}

TEST(HeadLines, OrdinaryOnesAreGood) {
  EXPECT_FALSE(is_malformed(std::string(kGet) + "\r\n"));
  for (const char* line : {"Accept: */*", "A:", "A: ", "A:b", "A: \tb c\t ",
                           "!#$%&'*+-.^_`|~09azAZ: x", "A: \x80\xff", "A: b: c", "A: \"\\\"\""})
    EXPECT_FALSE(has_malformed_line(line)) << line;
}

TEST(HeadLines, ALineWithoutAColonIsMalformed) {
  for (const char* line : {"no colon", "Content-Length", "x", "\x80", ": no name", "A : b",
                           "A\t: b", "A(: b", "A\x80: b", " A: b", "\tfolded"})
    EXPECT_TRUE(has_malformed_line(line)) << line;
}

TEST(HeadLines, AControlByteInAValueIsMalformed) {
  for (int byte = 0; byte < 256; ++byte) {
    const bool control = (byte < ' ' && byte != '\t') || byte == 0x7f;
    const std::string value = {'a', static_cast<char>(byte), 'b'};
    EXPECT_EQ(has_malformed_line("A: " + value), control) << byte;
  }
}

TEST(HeadLines, ALineEndsWithBothCrAndLf) {
  EXPECT_TRUE(is_malformed(std::string(kGet) + "A: b\nB: c\r\n\r\n"));
  EXPECT_TRUE(is_malformed(std::string(kGet) + "A: b\rB: c\r\n\r\n"));
  EXPECT_TRUE(is_malformed(std::string(kGet) + "A: b\r\n\n"));
  EXPECT_TRUE(is_malformed(std::string(kGet) + "A: b\r\n\rx"));
}

TEST(HeadLines, OnlyHeaderLinesAreChecked) {
  EXPECT_FALSE(is_malformed("\x01 \x7f\r\n\r\n"));
  EXPECT_FALSE(is_malformed(std::string(kGet) + "A: b\r\n\r\n\x01 no header\n"));
  EXPECT_FALSE(is_malformed(std::string(kGet) + "A: b\r\nContent-Len"))
      << "its colon may still come";
}

TEST(HeadLines, PiecesOfAnySizeMakeNoDifference) {
  const std::string good = std::string(kGet) + "A: b\r\nC: d\r\n\r\n";
  const std::string bad = std::string(kGet) + "A: b\r\nC d\r\n\r\n";
  for (std::size_t piece = 1; piece <= good.size(); ++piece) {
    EXPECT_FALSE(is_malformed(good, piece));
    EXPECT_TRUE(is_malformed(bad, piece));
  }
}

}  // namespace
}  // namespace ulnet::http
