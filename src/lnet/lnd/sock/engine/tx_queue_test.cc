#include "lnet/lnd/sock/engine/tx_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <set>
#include <tuple>

#include "lnet/lnd/sock/engine/engine_fixture.h"
#include "lnet/lnd/sock/engine/tx_pool.h"

namespace ulnet::lnd::sock {
namespace {

class TxQueueTest : public testing::Test {
 protected:
  TxPool pool;
  TxQueue queue;
  TxStyle style{3, false};
  std::int32_t corrupt = 0;
  std::deque<std::pair<Bytes, iovec>> memory;
  std::vector<Tx*> done;

  Tx* message(std::size_t payload) {
    memory.push_back({Bytes(payload), {}});
    auto& [bytes, vector] = memory.back();
    for (std::size_t i = 0; i < payload; ++i)
      bytes[i] = static_cast<std::byte>(i * 7 + memory.size());
    vector = {bytes.data(), bytes.size()};
    Tx* tx = pool.take();
    tx->send = {};
    tx->send.header.dest_nid = *Nid::parse("192.168.1.20@tcp");
    tx->send.header.src_nid = *Nid::parse("192.168.1.10@tcp");
    tx->send.header.dest_pid = tx->send.header.src_pid = Pid::lustre();
    tx->send.header.payload_length = static_cast<std::uint32_t>(payload);
    tx->send.header.part = wire::PutPart{};
    tx->send.payload = {&vector, 1, 0, static_cast<std::uint32_t>(payload)};
    tx->send.tx = {static_cast<std::uint32_t>(memory.size()), 1};
    return tx;
  }
  Tx* noop(std::uint64_t cookie) {
    Tx* tx = pool.take();
    tx->acks = cookie == 1 ? wire::NoopAcks::keepalive() : wire::NoopAcks::one(cookie);
    return tx;
  }
  /// Writes until the queue is empty; each call takes at most `most` bytes.
  Bytes drain(std::size_t most = SIZE_MAX, std::size_t vectors_max = 16) {
    Bytes out;
    while (!queue.empty()) {
      std::vector<iovec> vectors(vectors_max);
      Bytes scratch(1024);
      const std::size_t used =
          queue.gather(vectors.data(), vectors_max, scratch, 1 << 20, style, corrupt);
      EXPECT_NE(used, 0U);
      std::size_t written = 0;
      for (std::size_t i = 0; i < used && written < most; ++i) {
        const auto* from = static_cast<const std::byte*>(vectors[i].iov_base);
        const std::size_t here = std::min(vectors[i].iov_len, most - written);
        out.insert(out.end(), from, from + here);
        written += here;
      }
      queue.written(written, [&](Tx* tx) { done.push_back(tx); });
    }
    return out;
  }
  Bytes expected(const Tx& tx, wire::Frame frame = {}) const {
    return put_bytes(tx.send.header, memory[tx.send.tx.slot - 1].first, style.version, frame);
  }
};

// spec/wire-socklnd.md 6: frame, LNet header, payload; the same bytes in whatever pieces they are
// written
TEST_F(TxQueueTest, WritesTheSameBytesHoweverTheyAreSliced) {
  for (const std::uint8_t version : {1, 2, 3, 4}) {
    style.version = version;
    for (const std::size_t most :
         {std::size_t{1} << 30, std::size_t{5000}, std::size_t{97}, std::size_t{13}}) {
      Bytes all;
      for (const std::size_t size : {0, 8, 3000, 1, 2048, 2049}) {
        Tx* tx = message(static_cast<std::size_t>(size));
        queue.push(tx, style);
        all = all + expected(*tx);
      }
      EXPECT_EQ(drain(most), all) << int{version} << "/" << most;
      EXPECT_EQ(queue.queued_bytes(), 0U);
      EXPECT_EQ(done.size(), 6U);
      done.clear();
    }
  }
}

// One system call can write everything queued; small messages are contiguous.
// spec/wire-socklnd.md 12
TEST_F(TxQueueTest, SmallMessagesBecomeOneVectorAndLargePayloadIsNotCopied) {
  for (int i = 0; i < 8; ++i) queue.push(message(8), style);
  iovec vectors[16];
  Bytes scratch(1024);
  EXPECT_EQ(queue.gather(vectors, 16, scratch, 1 << 20, style, corrupt), 1U);
  EXPECT_EQ(vectors[0].iov_len, 8U * 104);
  queue.written(8 * 104, [](Tx*) {});
  queue.push(message(100000), style);
  EXPECT_EQ(queue.gather(vectors, 16, scratch, 1 << 20, style, corrupt), 2U);
  EXPECT_EQ(vectors[1].iov_base, memory.back().first.data());
}

TEST_F(TxQueueTest, TheRestOfAMessageIsWrittenTogetherWithTheNext) {
  for (int i = 0; i < 2; ++i) queue.push(message(8), style);
  iovec vectors[16];
  Bytes scratch(1024);
  queue.gather(vectors, 16, scratch, 1 << 20, style, corrupt);
  queue.written(10, [&](Tx* tx) { done.push_back(tx); });
  EXPECT_TRUE(done.empty());
  queue.written(2 * 104 - 10, [&](Tx* tx) { done.push_back(tx); });
  EXPECT_EQ(done.size(), 2U);
  EXPECT_TRUE(queue.empty());
}

TEST_F(TxQueueTest, StopsSoonAfterEnough) {
  for (int i = 0; i < 8; ++i) queue.push(message(5000), style);
  iovec vectors[64];
  Bytes scratch(4096);
  EXPECT_EQ(queue.gather(vectors, 64, scratch, 10000, style, corrupt), 4U);
}

// spec/wire-socklnd.md 4, 7: version 2 has checksums. A message that is written in pieces keeps its
// checksum; one that takes an ACK before it is begun gets another.
TEST_F(TxQueueTest, AChecksumIsComputedOnceAndAgainForAnAck) {
  style = {2, true};
  const auto look = [&](TxQueue& at) {
    iovec vectors[4];
    Bytes scratch(1024);
    Bytes seen;
    const std::size_t used = at.gather(vectors, 4, scratch, 1 << 20, style, corrupt);
    for (std::size_t i = 0; i < used; ++i) {
      const auto* from = static_cast<const std::byte*>(vectors[i].iov_base);
      seen.insert(seen.end(), from, from + vectors[i].iov_len);
    }
    return seen;
  };
  Tx* tx = message(40);
  queue.push(tx, style);
  corrupt = 1;
  const Bytes first = look(queue);
  EXPECT_EQ(corrupt, 0);
  EXPECT_EQ(look(queue), first) << "wrong as it was made";
  ASSERT_TRUE(queue.merge_ack(9, style));
  Tx* same = pool.take();
  same->send = tx->send;
  TxQueue other;
  other.push_noop(noop(9));
  other.push(same, style);
  EXPECT_EQ(look(queue), look(other));
  for (TxQueue* each : {&queue, &other}) each->written(look(*each).size(), [](Tx*) {});
}

// spec/wire-socklnd.md 7: the ACK travels in cookie 1 of a message, and its NOOP is removed
TEST_F(TxQueueTest, AnAckRidesOnAMessage) {
  queue.push_noop(noop(9));
  Tx* tx = message(4);
  Tx* superfluous = queue.push(tx, style);
  ASSERT_NE(superfluous, nullptr);
  EXPECT_TRUE(superfluous->is_noop);
  EXPECT_EQ(drain(), expected(*tx, {wire::FrameType::kLnet, 0, 0, 9}));
  // ... also if the message was queued before the ACK; a message takes only one ACK
  Tx* second = message(4);
  queue.push(second, style);
  EXPECT_TRUE(queue.merge_ack(10, style));
  EXPECT_FALSE(queue.merge_ack(11, style));
  EXPECT_EQ(drain(), expected(*second, {wire::FrameType::kLnet, 0, 0, 10}));
}

// spec/wire-socklnd.md 7.1: ACKs merge into a queued NOOP; a real ACK replaces a keepalive
TEST_F(TxQueueTest, AcksMergeIntoAWaitingNoop) {
  queue.push_noop(noop(1));
  EXPECT_TRUE(queue.merge_ack(7, style));
  EXPECT_TRUE(queue.merge_ack(9, style));
  EXPECT_TRUE(queue.merge_ack(8, style));
  EXPECT_FALSE(queue.merge_ack(20, style));
  EXPECT_EQ(drain(), noop_bytes(7, 9));
}

// A message makes a queued keepalive superfluous, and its cookie stays 0; a NOOP with several
// cookies stays.
TEST_F(TxQueueTest, NoopsThatDoNotRideOnAMessage) {
  queue.push_noop(noop(1));
  Tx* tx = message(0);
  EXPECT_NE(queue.push(tx, style), nullptr);
  EXPECT_EQ(drain(), expected(*tx));
  queue.push_noop(noop(7));
  EXPECT_TRUE(queue.merge_ack(20, style));
  EXPECT_EQ(queue.push(message(0), style), nullptr);
}

// The queue merges nothing into a message or NOOP of which a byte was written.
TEST_F(TxQueueTest, NothingMergesIntoAStartedMessage) {
  queue.push(message(100), style);
  iovec vectors[4];
  Bytes scratch(1024);
  queue.gather(vectors, 4, scratch, 1 << 20, style, corrupt);
  queue.written(1, [](Tx*) {});
  EXPECT_FALSE(queue.merge_ack(7, style));
  EXPECT_EQ(queue.take_if([](const Tx&) { return true; }), nullptr) << "nor taken out";
}

// spec/wire-socklnd.md 6.1: checksums are written only on version 2 with enable_csum, and cover
// everything
TEST_F(TxQueueTest, WritesChecksumsOnVersion2Only) {
  for (const std::uint8_t version : {2, 3, 4}) {
    style = {version, true};
    Tx* tx = message(5000);
    queue.push(tx, style);
    const std::uint32_t sum = version == 2 ? wire::crc32(expected(*tx)) : 0;
    EXPECT_EQ(drain(777), expected(*tx, {wire::FrameType::kLnet, sum, 0, 0}));
  }
  style = {2, true};
  queue.push_noop(noop(7));
  EXPECT_EQ(drain(),
            bytes_of(wire::Frame{wire::FrameType::kNoop, 0x3d9e3319, 0, 7}));  // vectors.md 26
}

// spec/wire-socklnd.md 11: inject_csum_error
TEST_F(TxQueueTest, InjectsWrongChecksums) {
  style = {2, true};
  corrupt = 1;
  Tx* tx = message(10);
  queue.push(tx, style);
  const std::uint32_t sum = wire::crc32(expected(*tx));
  EXPECT_EQ(drain(), expected(*tx, {wire::FrameType::kLnet, ~sum, 0, 0}));
  EXPECT_EQ(corrupt, 0);
}

RC_GTEST_FIXTURE_PROP(TxQueueTest, AnySlicingGivesTheSameStream, ()) {
  style.version = *rc::gen::element<std::uint8_t>(1, 2, 3, 4);
  style.checksum = *rc::gen::arbitrary<bool>();
  const auto sizes =
      *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 6000));
  const auto most = *rc::gen::inRange<std::size_t>(1, 5000);
  const auto vectors = *rc::gen::inRange<std::size_t>(1, 9);
  Bytes once;
  for (const std::size_t size : sizes) queue.push(message(size), style);
  if (!sizes.empty()) once = drain();
  memory.clear();
  for (const std::size_t size : sizes) queue.push(message(size), style);
  RC_ASSERT(drain(most, vectors) == once);
}

TEST_F(TxQueueTest, AListKeepsItsOrder) {
  TxList list;
  Tx* tx[5];
  for (Tx*& each : tx) each = pool.take();
  const auto take = [&](const Tx* wanted) {
    return list.take_if([&](const Tx& each) { return &each == wanted; });
  };
  for (int i = 0; i < 3; ++i) list.push(tx[i]);
  EXPECT_EQ(take(tx[3]), nullptr);
  EXPECT_EQ(take(tx[2]), tx[2]);  // the last
  list.push(tx[3]);
  EXPECT_EQ(take(tx[0]), tx[0]);  // the first
  list.push(tx[4]);
  EXPECT_EQ(take(tx[3]), tx[3]);  // one in the middle
  TxList all;
  all.push(tx[0]);
  all.take_all(list);
  EXPECT_TRUE(list.empty());
  list.push(tx[2]);
  EXPECT_EQ(list.pop(), tx[2]);
  for (const int i : {0, 1, 4}) EXPECT_EQ(all.pop(), tx[i]);
  EXPECT_EQ(all.pop(), nullptr);
  all.push(tx[3]);
  EXPECT_EQ(all.front(), tx[3]);
}

// A Tx that is taken from the pool again keeps nothing of the message that it carried before.
TEST_F(TxQueueTest, AReusedQueueIsClean) {
  EXPECT_EQ(pool.out(), 0U);
  Tx* tx = pool.take();
  tx->cookie0 = tx->cookie1 = 9;
  tx->written = 9;
  tx->checksummed = tx->is_noop = true;
  EXPECT_EQ(pool.out(), 1U);
  pool.give(tx);
  EXPECT_EQ(pool.out(), 0U);
  ASSERT_EQ(pool.take(), tx);
  EXPECT_EQ(tx->cookie0 + tx->cookie1 + tx->written, 0U);
  EXPECT_FALSE(tx->checksummed || tx->is_noop);
  std::set<Tx*> taken{tx};
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(taken.insert(pool.take()).second);
  EXPECT_EQ(pool.out(), 201U);
}

TEST_F(TxQueueTest, SmallPayloadIsCopiedIfItFits) {
  const std::tuple<std::size_t, std::size_t, std::size_t> cases[] = {
      {2047, 4096, 1}, {2048, 4096, 1}, {2049, 4096, 2}, {500, 96 + 500, 1}, {500, 96 + 499, 2}};
  for (const auto& [payload, scratch_size, expected] : cases) {
    queue.push(message(payload), style);
    iovec vectors[4];
    Bytes scratch(scratch_size);
    EXPECT_EQ(queue.gather(vectors, 4, scratch, 1 << 20, style, corrupt), expected) << payload;
    drain();
  }
  queue.push(message(0), style);
  iovec vector;
  Bytes scratch(95);
  EXPECT_EQ(queue.gather(&vector, 1, scratch, 1 << 20, style, corrupt), 0U);
  scratch.resize(96);
  EXPECT_EQ(queue.gather(&vector, 1, scratch, 1 << 20, style, corrupt), 1U);
}

TEST_F(TxQueueTest, GatherStopsAtEnough) {
  for (int i = 0; i < 3; ++i) queue.push(message(0), style);
  iovec vectors[2];
  Bytes scratch(1024);
  for (const auto& [enough, bytes] : {std::pair{95U, 96U}, {96U, 96U}, {97U, 192U}}) {
    EXPECT_EQ(queue.gather(vectors, 2, scratch, enough, style, corrupt), 1U);
    EXPECT_EQ(vectors[0].iov_len, bytes);
  }
}

TEST_F(TxQueueTest, MessagesThatCannotCarryAnAck) {
  EXPECT_FALSE(queue.merge_ack(9, style)) << "nothing is queued";
  queue.push(message(4), style);
  EXPECT_FALSE(queue.merge_ack(wire::kKeepaliveCookie, style));
  const TxStyle one{1, false};
  EXPECT_FALSE(queue.merge_ack(9, one)) << "version 1 has no cookies";
  drain();
  EXPECT_FALSE(queue.merge_ack(9, style)) << "the message is gone";

  queue.push_noop(noop(7));
  drain();
  EXPECT_FALSE(queue.merge_ack(9, style)) << "the NOOP is gone";

  queue.push_noop(noop(7));
  iovec vector;
  Bytes scratch(1024);
  queue.gather(&vector, 1, scratch, 1 << 20, style, corrupt);
  queue.written(1, [](Tx*) {});
  EXPECT_FALSE(queue.merge_ack(8, style)) << "the NOOP has begun";
  Tx* tx = message(4);
  EXPECT_EQ(queue.push(tx, style), nullptr);
  const Bytes whole = noop_bytes(0, 7) + expected(*tx);
  EXPECT_EQ(queue.queued_bytes(), whole.size() - 1);
  EXPECT_EQ(drain(), Bytes(whole.begin() + 1, whole.end()));
}

// spec/wire-socklnd.md 6.1, 7.1: a NOOP that takes another ACK gets another checksum
TEST_F(TxQueueTest, AMergedNoopHasItsChecksum) {
  style = {2, true};
  queue.push_noop(noop(7));
  iovec vector;
  Bytes scratch(1024);
  queue.gather(&vector, 1, scratch, 1 << 20, style, corrupt);
  ASSERT_TRUE(queue.merge_ack(8, style));
  const Bytes merged = drain();
  queue.push_noop(noop(7));
  ASSERT_TRUE(queue.merge_ack(8, style));
  EXPECT_EQ(merged, drain());
}

}  // namespace
}  // namespace ulnet::lnd::sock
