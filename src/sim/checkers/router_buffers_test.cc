#include "sim/checkers/checkers.h"
#include "sim/checkers/routers_fixture.h"

namespace ulnet::sim {
namespace {

using core::RouterPools;

struct BufferChecker : RouterLies<router_buffers_checker> {
  /// As Routing::buffers: the number in each of the three pools.
  void has_buffers(std::int32_t of_each) {
    core::Routing routing = r.setup().routing;
    routing.buffers = {of_each, of_each, of_each};
    r.configure(routing);
  }
  core::Msg& with_buffer(std::uint32_t payload, std::size_t size) {
    core::Msg& msg = message(payload);
    msg.has_buffer = true;
    if (size != 0) msg.buffer = std::make_unique<core::RouterBuffer>(size);
    return msg;
  }
};

TEST_F(BufferChecker, IsSilentAboutASoundRouter) {
  sound_messages_cross();
  EXPECT_EQ(said(), "");
  EXPECT_GT(state.pools[RouterPools::kLarge].allocated(), 0);
}

TEST_F(BufferChecker, IsSilentAboutBuffersOfTheRightSize) {
  with_buffer(0, 0);
  with_buffer(1, 4096);
  with_buffer(4096, 4096);
  with_buffer(4097, 1 << 20);
  message(100);  // waits for a buffer
  step();
  EXPECT_EQ(said(), "");
}

TEST_F(BufferChecker, SeesAMessageThatGoesOnWithoutABuffer) {
  message().outgoing = true;
  step();
  EXPECT_EQ(said(), "a message from 10.0.0.1@tcp to 10.1.0.2@tcp1 goes on without a buffer");
}

TEST_F(BufferChecker, SeesAPayloadThatComesInWithoutABuffer) {
  message().state = core::MsgState::kLanding;
  step();
  EXPECT_THAT(said(), HasSubstr("goes on without a buffer"));
}

TEST_F(BufferChecker, SeesABufferThatIsTooSmallOrTooLarge) {
  core::Msg& msg = with_buffer(4097, 4096);
  step();
  EXPECT_THAT(said(), HasSubstr("has a buffer of another size than it needs"));
  msg.buffer.reset();
}

TEST_F(BufferChecker, SeesALargeBufferForAPage) {
  with_buffer(4096, 1 << 20);
  step();
  EXPECT_THAT(said(), HasSubstr("has a buffer of another size than it needs"));
}

TEST_F(BufferChecker, SeesTwoMessagesInOneBuffer) {
  core::Msg& one = with_buffer(100, 4096);
  core::Msg& two = with_buffer(100, 0);
  two.buffer.reset(one.buffer.get());
  step();
  (void)two.buffer.release();
  EXPECT_THAT(said(), HasSubstr("shares its buffer with another one"));
}

TEST_F(BufferChecker, SeesMoreInUseThanThereAre) {  // spec/core-semantics.md 10.3.2
  has_buffers(1);
  with_buffer(0, 0);
  step();
  EXPECT_EQ(said(), "");
  with_buffer(0, 0);
  step();
  EXPECT_EQ(said(), "tiny buffers: 2 in use of 1");
}

TEST_F(BufferChecker, IsSilentAboutMoreInUseWhenTheirNumberWasLowered) {
  has_buffers(2);
  with_buffer(100, 4096);
  with_buffer(100, 4096);
  step();
  has_buffers(1);
  step();
  EXPECT_EQ(said(), "");
  with_buffer(100, 4096);  // ... but no message gets another one
  step();
  EXPECT_EQ(said(), "small buffers: 3 in use of 1");
}

TEST_F(BufferChecker, SeesMoreAllocatedThanThereMayBe) {
  has_buffers(1);
  core::RouterPool& pool = state.pools[RouterPools::kSmall];
  pool.resize(2);
  core::Msg &one = message(), &two = message();
  ASSERT_TRUE(pool.take(one) && pool.take(two));
  pool.give(one);
  pool.give(two);
  step();
  EXPECT_EQ(said(), "small buffers: more are allocated than there may be");
}

TEST_F(BufferChecker, SeesABufferThatDoesNotComeBack) {
  core::RouterPool& pool = state.pools[RouterPools::kLarge];
  core::Msg& msg = message(1 << 20);
  ASSERT_TRUE(pool.take(msg));
  checker.at_rest(world);
  pool.give(msg);
  EXPECT_EQ(said(), "large buffers: some did not come back");
}

}  // namespace
}  // namespace ulnet::sim
