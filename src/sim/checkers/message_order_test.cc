// MessageOrder finds a message that another one overtakes on its connection, and nothing else.
#include "sim/checkers/checkers.h"
#include "sim/checkers/checkers_fixture.h"
#include "sim/network/ksock_stream_parser.h"

namespace ulnet::sim {
namespace {

struct OrderChecker : TcpWorld {
  static wire::LnetHeader header(std::uint64_t bits) {
    wire::LnetHeader made;
    made.src_nid = tcp(1);
    made.dest_nid = tcp(2);
    made.part.emplace<wire::PutPart>().match_bits = bits;
    return made;
  }
  static core::MsgTicket ticket(std::uint32_t slot) { return {slot, 1}; }
  /// a's core gives its driver a message with these match bits.
  void hands(std::uint32_t slot, std::uint64_t bits) {
    core::Send send;
    send.ni = a.shard_state()->nis.find(tcp(1))->config.id;
    send.hop = {tcp(2), Pid::lustre()};
    send.header = header(bits);
    send.tx = ticket(slot);
    checker.after_step(world, {a, 0, world.now(), core::Tick{}, {send}, *a.shard_state()});
  }
  void ends(std::uint32_t slot, int status = 0) {
    const core::SendDone done{ticket(slot), status};
    checker.after_step(world, {a, 0, world.now(), done, {}, *a.shard_state()});
  }
  static StreamEnd end_of(std::uint64_t connection) { return {connection, true, 0, {}, {}}; }
  void says(const std::vector<std::byte>& said_bytes, std::uint64_t connection) {
    const iovec all{const_cast<std::byte*>(said_bytes.data()), said_bytes.size()};
    checker.on_written(world, end_of(connection), &all, said_bytes.size());
  }
  void dials(std::uint64_t connection) {
    wire::Hello hello;
    hello.src_nid = tcp(1);
    says(words(wire::AcceptorRequest::to(tcp(2))), connection);
    says(words(hello), connection);
  }
  void says(std::uint64_t bits, std::uint64_t connection) { says(words(header(bits)), connection); }

  Checker& checker = world.add_checker(message_order_checker());
};

TEST_F(OrderChecker, IsSilentAboutASoundNode) {
  for (const std::size_t length : {0, 100, 4000, 10, 4000, 100}) put(length);
  EXPECT_TRUE(world.run_until_quiet().reached());
  EXPECT_EQ(said(), "");
}

TEST_F(OrderChecker, SeesAMessageThatIsOvertaken) {  // spec/core-semantics.md 6.6
  dials(70);
  hands(1, 11);
  hands(2, 12);
  says(12, 70);
  EXPECT_EQ(said(), "");
  says(11, 70);
  EXPECT_EQ(said(), "10.0.0.2@tcp: a message was written after one that was handed over later");
}

TEST_F(OrderChecker, SeesItAmongMessagesThatAreAlike) {
  dials(70);
  hands(1, 11);
  hands(2, 12);
  hands(3, 11);
  for (const std::uint64_t bits : {11, 11}) says(bits, 70);
  EXPECT_EQ(said(), "");
  says(12, 70);
  EXPECT_NE(said(), "");
}

TEST_F(OrderChecker, AllowsAnyOrderOfTwoConnections) {
  dials(70);
  dials(71);
  hands(1, 11);
  hands(2, 12);
  says(12, 70);
  says(11, 71);
  EXPECT_EQ(said(), "");
}

TEST_F(OrderChecker, AllowsAMessageThatEndedUnsent) {
  dials(70);
  hands(1, 11);
  hands(2, 12);
  ends(1, -ECANCELED);
  says(12, 70);
  ends(2);
  hands(3, 11);
  says(11, 70);
  EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace ulnet::sim
