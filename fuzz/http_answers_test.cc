#include "http_answers.h"

#include <gtest/gtest.h>

#include <string>

namespace ulnet::fuzz {
namespace {

/// How many answers these bytes are; -1: not all of them are whole and well-formed.
int answers_in(std::string_view heard, AnswersTo requests = {}) {
  int answers = 0;
  for (; !heard.empty(); ++answers)
    if (!take_answer(heard, requests)) return -1;
  return answers;
}

const std::string kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string kOfTwo = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

TEST(HttpAnswers, EndsWhereTheLengthSays) {
  EXPECT_EQ(answers_in(kOfTwo + kOfTwo), 2);
  EXPECT_EQ(answers_in("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" + kOfTwo), 2);
  EXPECT_EQ(answers_in(kOfTwo.substr(0, kOfTwo.size() - 1)), -1) << "a byte is missing";
  EXPECT_EQ(answers_in(kOfTwo + "x"), -1) << "there is one more";
  EXPECT_EQ(answers_in("HTTP/1.1 200 OK\r\nContent-Length: 2x\r\n\r\n{}"), -1);
}

TEST(HttpAnswers, EndsWithTheLastChunk) {
  EXPECT_EQ(answers_in(kChunked + "0\r\n\r\n"), 1);
  EXPECT_EQ(answers_in(kChunked + "2\r\n{}\r\n0\r\n\r\n" + kOfTwo), 2);
  EXPECT_EQ(answers_in(kChunked + "A\r\n0123\r\n\r\n89\r\n0b\r\n01234567890\r\n0\r\n\r\n"), 1);
  EXPECT_EQ(answers_in(kChunked + "0\r\nDigest: x\r\nMore:\r\n\r\n" + kOfTwo), 2) << "a trailer";
}

TEST(HttpAnswers, MalformedChunksAreRefused) {
  for (const char* body : {"",
                           "2",
                           "2\r\n",
                           "2\r\n{}",
                           "2\r\n{}\r\n",
                           "2\r\n{}\r\n0\r\n",
                           "2\r\n{}\r\n0\r\n\r",
                           "2\r\n{}0\r\n\r\n",
                           "3\r\n{}\r\n0\r\n\r\n",
                           "1\r\n{}\r\n0\r\n\r\n",
                           "\r\n\r\n",
                           "x\r\n\r\n",
                           "0x2\r\n{}\r\n0\r\n\r\n",
                           "-2\r\n{}\r\n0\r\n\r\n",
                           "2 \r\n{}\r\n0\r\n\r\n",
                           "2\n{}\n0\n\n",
                           "2;a=b\r\n{}\r\n0\r\n\r\n",
                           "ffffffffffffffff\r\n{}\r\n0\r\n\r\n",
                           "11111111111111111\r\n{}\r\n0\r\n\r\n",
                           "0\r\nno colon\r\n\r\n",
                           "0\r\nA: \x01\r\n\r\n"})
    EXPECT_EQ(answers_in(kChunked + body), -1) << body;
}

TEST(HttpAnswers, AnAnswerSaysOnceWhereItEnds) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  EXPECT_EQ(answers_in(ok + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
            -1);
  EXPECT_EQ(answers_in(ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}"), -1);
  EXPECT_EQ(answers_in(ok + "Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n"), -1);
}

TEST(HttpAnswers, AnAnswerWithoutLengthEndsWithTheConnection) {
  EXPECT_EQ(answers_in("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{}" + kOfTwo), 1);
  EXPECT_EQ(answers_in("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nid: 1"), 1);
  EXPECT_EQ(answers_in("HTTP/1.1 100 Continue\r\n\r\n" + kOfTwo), 2) << "this one has no body";
}

TEST(HttpAnswers, OnlyTheAnswerToHeadMayLackItsBody) {
  const std::string head = kChunked + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
  EXPECT_EQ(answers_in(head, {.head = true}), 2);
  EXPECT_EQ(answers_in(head + kOfTwo, {.head = true}), 3);
  EXPECT_EQ(answers_in(head), -1);
}

TEST(HttpAnswers, MalformedHeadsAreRefused) {
  for (const char* head :
       {"HTTP/1.0 200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 200", "HTTP/1.1 900 No",
        "HTTP/1.1 200 OK\r\nno colon", "HTTP/1.1 200 OK\r\n: x", "HTTP/1.1 200 OK\r\nA : x",
        "HTTP/1.1 200 OK\r\nA: \x7f", "HTTP/1.1 200 OK\r\nA: x\n"})
    EXPECT_EQ(answers_in(head + std::string("\r\n\r\n")), -1) << head;
  EXPECT_EQ(answers_in("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"), -1) << "no end";
}

}  // namespace
}  // namespace ulnet::fuzz
