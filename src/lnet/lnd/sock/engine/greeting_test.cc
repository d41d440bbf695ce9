#include "lnet/lnd/sock/engine/greeting.h"

#include <gtest/gtest.h>

#include "lnet/lnd/sock/engine/engine_fixture.h"

namespace ulnet::lnd::sock {
namespace {

const Nid kSelf = *Nid::parse("192.168.1.20@tcp");
const Nid kPeer = *Nid::parse("192.168.1.10@tcp");

wire::Hello hello(std::uint32_t version) {
  wire::Hello hello;
  hello.version = version;
  hello.src_nid = kPeer;
  hello.dst_nid = version == 1 ? Nid() : kSelf;
  hello.src_incarnation = 0x17c0ffee12345678;
  return hello;
}

// spec/wire-socklnd.md 1: the active side sends request and hello without waiting for anything
TEST(Greeting, ActiveWritesRequestAndHelloTogether) {
  Greeting greeting = Greeting::active(kSelf, hello(3));
  const Bytes expected = bytes_of(wire::AcceptorRequest::to(kSelf)) + bytes_of(hello(3));
  EXPECT_EQ(Bytes(greeting.unsent().begin(), greeting.unsent().end()), expected);
  greeting.sent(10);  // after a partial write, unsent() goes on behind it
  EXPECT_EQ(greeting.unsent().size(), expected.size() - 10);
  EXPECT_EQ(greeting.unsent().front(), expected[10]);
}

// spec/wire-socklnd.md 3, 4, 12: the bytes may come in any pieces
TEST(Greeting, PassiveReadsRequestAndHelloInAnySlices) {
  for (std::uint32_t version = 1; version <= 4; ++version) {
    for (std::size_t slice = 1; slice < 200; slice += 7) {
      const Bytes all = bytes_of(wire::AcceptorRequest::to(kSelf)) + bytes_of(hello(version)) +
                        text_bytes("more");
      Greeting greeting = Greeting::passive();
      int requests = 0;
      int hellos = 0;
      std::size_t after = 0;
      for (std::size_t at = 0; at < all.size() && hellos == 0; at += slice) {
        ByteView in = ByteView(all).subspan(at, std::min(slice, all.size() - at));
        for (Greeting::Event event = greeting.read(in); event != Greeting::Event::kMore;
             event = greeting.read(in)) {
          ASSERT_NE(event, Greeting::Event::kBadBytes);
          requests += event == Greeting::Event::kRequest;
          hellos += event == Greeting::Event::kHello;
          if (hellos == 0) continue;
          after = in.size();
          break;
        }
      }
      EXPECT_EQ(requests, 1);
      ASSERT_EQ(hellos, 1);
      EXPECT_EQ(greeting.target(), kSelf);
      EXPECT_EQ(greeting.hello().hello, hello(version));
      if (slice > 190) {
        EXPECT_EQ(after, 4U) << "the bytes after the hello are left to their reader";
      }
    }
  }
}

// spec/wire-socklnd.md 4.1: all addresses of a bonded peer are read
TEST(Greeting, ReadsTheAddressesOfABondedPeer) {
  wire::Hello bonded = hello(3);
  for (std::uint32_t i = 0; i < 16; ++i) bonded.addresses.push_back(0xc0a80100 + i + 1);
  const Bytes all = bytes_of(wire::AcceptorRequest::to(kSelf)) + bytes_of(bonded);
  Greeting greeting = Greeting::passive();
  ByteView in(all);
  EXPECT_EQ(greeting.read(in), Greeting::Event::kRequest);
  EXPECT_EQ(greeting.read(in), Greeting::Event::kHello);
  EXPECT_TRUE(in.empty());
}

// spec/wire-socklnd.md 3.3
TEST(Greeting, SaysWhetherABadRequestIsAnswered) {
  const Bytes generic = text_bytes("cirExxxxxxxxxxxx");
  Greeting greeting = Greeting::passive();
  ByteView in(generic);
  EXPECT_EQ(greeting.read(in), Greeting::Event::kBadBytes);
  EXPECT_TRUE(greeting.answer_request());

  const Bytes garbage = text_bytes("GET / HTTP/1.1\r\n");
  greeting = Greeting::passive();
  in = garbage;
  EXPECT_EQ(greeting.read(in), Greeting::Event::kBadBytes);
  EXPECT_FALSE(greeting.answer_request());
}

}  // namespace
}  // namespace ulnet::lnd::sock
