#include "sim/network/ksock_stream_parser.h"

#include <gtest/gtest.h>

#include <string>

#include "lnet/core/contract/nids_fixture.h"

namespace ulnet::sim {
namespace {

using Bytes = std::vector<std::byte>;

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

wire::Hello hello(std::uint32_t version) {
  wire::Hello made;
  made.version = version;
  made.src_nid = tcp(1);
  made.dst_nid = tcp(2);
  made.src_incarnation = 7;
  return made;
}

wire::LnetHeader put(std::uint32_t bytes) {
  wire::LnetHeader made;
  made.src_nid = tcp(1);
  made.dest_nid = tcp(2);
  made.payload_length = bytes;
  made.part.emplace<wire::PutPart>().portal = 5;
  return made;
}

Bytes payload(std::size_t bytes) { return Bytes(bytes, std::byte{'p'}); }

/// What the parser reports for `bytes` that arrive in pieces of `size`.
std::string heard(bool dialled, ByteView bytes, std::size_t size) {
  KsockStreamParser parser(dialled);
  std::string said;
  std::size_t pieces = 0;
  while (!bytes.empty()) {
    ByteView in = bytes.first(std::min(size, bytes.size()));
    bytes = bytes.subspan(in.size());
    for (auto what = parser.next(in); what != KsockStreamParser::Heard::kMore;
         what = parser.next(in)) {
      switch (what) {
        case KsockStreamParser::Heard::kRequest:
          said += "request " + parser.request().target.to_string() + "; ";
          break;
        case KsockStreamParser::Heard::kHello:
          said += "hello " + std::to_string(parser.hello().hello.src_incarnation) + "; ";
          break;
        case KsockStreamParser::Heard::kNoop:
          said += "noop " + std::to_string(parser.frame().cookie1) + "; ";
          break;
        case KsockStreamParser::Heard::kMessage:
          said += std::string(to_string(parser.header().type())) + " ";
          break;
        case KsockStreamParser::Heard::kPayload:
          pieces += parser.piece().size();
          break;
        case KsockStreamParser::Heard::kEnd:
          said += std::to_string(std::exchange(pieces, 0)) + "; ";
          break;
        case KsockStreamParser::Heard::kNonsense:
          said += "nonsense";
          break;
        case KsockStreamParser::Heard::kMore:
          break;
      }
    }
  }
  return said;
}

TEST(KsockStreamParser, IsTheSameHoweverItIsCut) {
  for (std::uint32_t version = 1; version <= 4; ++version) {
    Bytes bytes = words(wire::AcceptorRequest::to(tcp(2))) + words(hello(version)) +
                  words(put(100), payload(100), version);
    std::string expected = "request 10.0.0.2@tcp; hello 7; PUT 100; ";
    if (version > 1) {
      bytes = bytes + words(wire::Frame{wire::FrameType::kNoop, 0, 0, 9});
      expected += "noop 9; ";
    }
    bytes = bytes + words(put(0), {}, version);
    expected += "PUT 0; ";
    for (std::size_t size = 1; size <= bytes.size(); ++size)
      EXPECT_EQ(heard(true, bytes, size), expected) << "version " << version << ", " << size;
  }
}

TEST(KsockStreamParser, TheDialledSideBeginsWithItsHello) {
  EXPECT_EQ(heard(false, words(hello(3)) + words(put(3), payload(3)), 7), "hello 7; PUT 3; ");
}

TEST(KsockStreamParser, TheDialledSideMayRefuse) {
  EXPECT_EQ(heard(false, words(wire::acceptor_answer()) + words(hello(3)), 5),
            "request " + wire::acceptor_answer().target.to_string() + "; ");
}

TEST(KsockStreamParser, EndsWithNonsense) {
  const Bytes greeting = words(hello(3));
  Bytes frame = words(wire::Frame{});
  frame[0] = std::byte{1};
  EXPECT_EQ(heard(false, greeting + frame + words(put(0)), 5), "hello 7; nonsense");
  Bytes header = words(put(0));
  header[wire::kFrameBytes + 24] = std::byte{9};
  EXPECT_EQ(heard(false, greeting + header + words(put(0)), 5), "hello 7; nonsense");
  // The side that dialled has to begin with a request.
  EXPECT_EQ(heard(true, greeting, 5), "nonsense");
}

}  // namespace
}  // namespace ulnet::sim
