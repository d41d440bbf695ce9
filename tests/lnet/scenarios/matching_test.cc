// Stories for spec/core-semantics.md 3 and 4: match entries, memory descriptors.
#include "story.h"

namespace ulnet::sim {
namespace {

using core::DropReason;

TEST(MatchingStory, IgnoreBitsMaskMatchBits) {  // spec/core-semantics.md 3
  Story given;
  Lent& narrow = given.bob.posts({.bits = {0x70}, .threshold = 1});
  Lent& wide = given.bob.posts({.bits = {0x70}, .ignore = {0xf}, .threshold = 1});
  given.alice.puts({.to = given.bob.id(), .bits = {0x7a}});
  given.alice.puts({.to = given.bob.id(), .bits = {0x8a}});
  given.comes_to_rest();
  EXPECT_EQ(narrow.reported(), "");
  EXPECT_EQ(wide.reported(), "PUT (last)");
  EXPECT_EQ(given.bob.dropped(DropReason::kNoMatch), 1U);
}

TEST(MatchingStory, APortalOutOfRangeIsRefused) {  // spec/core-semantics.md 3
  Story given;
  EXPECT_EQ(given.bob.posts({.portal = {63}}).status, 0);
  EXPECT_EQ(given.bob.posts({.portal = {64}}).status, -EINVAL);
}

TEST(MatchingStory, TheFirstEntryMakesAPortalUniqueOrWildcard) {  // spec/core-semantics.md 3, 18.11
  Story given;
  given.bob.posts({.from = given.alice.id()});
  EXPECT_EQ(given.bob.posts({.from = {}}).status, -EPERM);
  given.bob.posts({.portal = {6}, .from = {}});
  EXPECT_EQ(given.bob.posts({.portal = {6}, .from = given.alice.id()}).status, -EPERM);
}

TEST(MatchingStory, EntriesWithIgnoreBitsAreAskedFirst) {  // spec/core-semantics.md 3
  Story given;
  Lent& exact = given.bob.posts({.threshold = 1});
  Lent& loose = given.bob.posts({.ignore = {1}, .threshold = 1});
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(loose.reported(), "PUT (last)");
  EXPECT_EQ(exact.reported(), "");
}

TEST(MatchingStory, TheHeadOfTheListGoesFirst) {  // spec/core-semantics.md 3
  Story given;
  Lent& tail = given.bob.posts({.threshold = 1});
  Lent& head = given.bob.posts({.threshold = 1, .position = InsertPosition::kBefore});
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(head.reported(), "PUT (last)");
  EXPECT_EQ(tail.reported(), "");
}

TEST(MatchingStory, AnEntryForAnotherPeerIsSkipped) {  // spec/core-semantics.md 4.5
  Story given;
  Lent& mine = given.bob.posts({.from = given.bob.id()});
  Lent& hers = given.bob.posts({.from = given.alice.id()});
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(mine.reported(), "");
  EXPECT_EQ(hers.reported(), "PUT");
}

// ---- memory descriptors

TEST(DescriptorStory, FragmentsAreFilledOneAfterTheOther) {  // spec/core-semantics.md 4.1
  Story given;
  Lent& pieces = given.bob.posts({.bytes = 40, .pieces = 4});
  given.alice.puts({.to = given.bob.id(), .bytes = 25});
  given.comes_to_rest();
  EXPECT_EQ(pieces.filled_with('p'), 25U);
}

TEST(DescriptorStory, AllowsOnlyItsOperations) {  // spec/core-semantics.md 4.2
  Story given;
  Lent& reads = given.bob.posts({.options = kOpGet});
  Lent& writes = given.bob.posts({.options = kOpPut});
  given.alice.puts({.to = given.bob.id()});
  given.alice.gets({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(reads.reported(), "GET");
  EXPECT_EQ(writes.reported(), "PUT");
}

TEST(DescriptorStory, ManageRemoteUsesTheInitiatorsOffset) {  // spec/core-semantics.md 4.2
  Story given;
  Lent& target = given.bob.posts({.options = kOpPut | kManageRemote});
  given.alice.puts({.to = given.bob.id(), .bytes = 10, .offset = 500});
  given.comes_to_rest();
  EXPECT_EQ(target.event(EventType::kPut).offset, 500U);
  EXPECT_EQ(target.memory[499], '.');
  EXPECT_EQ(target.memory[500], 'p');
}

TEST(DescriptorStory, WithoutManageRemoteMessagesFollowEachOther) {  // spec/core-semantics.md 4.2
  Story given;
  Lent& target = given.bob.posts();
  given.alice.puts({.to = given.bob.id(), .bytes = 10, .offset = 500});
  given.alice.puts({.to = given.bob.id(), .bytes = 10});
  given.comes_to_rest();
  EXPECT_EQ(target.events.at(0).offset, 0U);
  EXPECT_EQ(target.events.at(1).offset, 10U);
}

TEST(DescriptorStory, LongMessagesAreCutWhereAllowed) {  // spec/core-semantics.md 4.2, 4.5, 18.8
  Story given;
  Lent& target = given.bob.posts({.options = kOpPut | kTruncate, .bytes = 60});
  Lent& put = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck});
  given.comes_to_rest();
  EXPECT_EQ(target.event(EventType::kPut).rlength, 100U);
  EXPECT_EQ(target.event(EventType::kPut).mlength, 60U);
  EXPECT_EQ(put.event(EventType::kAck).mlength, 60U);
}

// spec/core-semantics.md 4.2, 18.9
TEST(DescriptorStory, LongMessagesAreDroppedThoughAnotherMdWouldFit) {
  Story given;
  Lent& small = given.bob.posts({.bytes = 60});
  Lent& large = given.bob.posts({.bytes = 600});
  ASSERT_TRUE(given.bob.node.set_lazy_portal({5}).has_value());
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(small.reported() + large.reported(), "");
  EXPECT_EQ(given.bob.dropped(DropReason::kTooLong), 1U);
}

TEST(DescriptorStory, SendsNoAckWhenDisabled) {  // spec/core-semantics.md 4.2
  Story given({.globals = {.transaction_timeout = 10}});
  Lent& target = given.bob.posts({.options = kOpPut | kAckDisable});
  Lent& put = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck});
  given.comes_to_rest();
  EXPECT_EQ(target.reported(), "PUT");
  EXPECT_EQ(put.reported(), "SEND, UNLINK -110 (last)");
}

TEST(DescriptorStory, ARingPacksAndEndsWhenNoFullMessageFits) {  // spec/core-semantics.md 4.2, 4.5
  Story given;
  Lent& ring = given.bob.posts({.options = kOpPut | kMaxSize, .bytes = 250, .max_size = 100});
  for (int i = 0; i < 3; ++i) given.alice.puts({.to = given.bob.id(), .bytes = 80});
  given.comes_to_rest();
  EXPECT_EQ(ring.reported(), "PUT, PUT (last)");
  EXPECT_EQ(ring.events.at(1).offset, 80U);
  EXPECT_EQ(given.bob.dropped(DropReason::kNoMatch), 1U);
}

TEST(DescriptorStory, AnswersMayGoUnwatched) {  // spec/core-semantics.md 4.2
  Story given({.globals = {.transaction_timeout = 10}});
  Lent& watched = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck});
  Lent& unwatched = given.alice.puts(
      {.to = given.bob.id(), .ack = AckRequest::kAck, .options = kNoTrackResponse});
  given.comes_to_rest();
  EXPECT_EQ(watched.reported(), "SEND, UNLINK -110 (last)");
  EXPECT_EQ(unwatched.reported(), "SEND");
}

TEST(DescriptorStory, DiscardReportsDiscardedBytes) {  // spec/core-semantics.md 4.2
  Story given;
  Lent& target = given.bob.posts({.options = kOpPut | kDiscard});
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(target.event(EventType::kPut).mlength, 100U);
  EXPECT_EQ(target.filled_with('.'), target.memory.size());
}

// spec/core-semantics.md 3, 4.2, 4.3
TEST(DescriptorStory, NonsenseIsRefusedAndTakesTheEntryAlong) {
  Story given;
  EXPECT_EQ(given.bob.posts({.options = kTruncate}).status, -EINVAL);
  EXPECT_EQ(given.bob.posts({.options = kOpPut | kMaxSize, .bytes = 10, .max_size = 11}).status,
            -EINVAL);
  EXPECT_EQ(given.bob.posts({.bytes = 1024, .pieces = 257}).status, -EINVAL);
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(given.bob.dropped(DropReason::kNoMatch), 1U);
  EXPECT_EQ(given.bob.node.leftovers().mes, given.alice.node.leftovers().mes);
}

TEST(DescriptorStory, ABoundMdTakesNoRequests) {  // spec/core-semantics.md 4.4
  Story given;
  std::vector<char> memory((1 << 20) + 1);
  const iovec all{memory.data(), memory.size()}, one{memory.data(), 1};
  MdSpec spec;
  spec.fragments = {&all, 1};
  EXPECT_EQ(Person::errno_of(given.alice.node.md_bind(spec, UnlinkMode::kUnlink)), -EINVAL);
  spec.fragments = {&one, 1};
  spec.options = kOpPut;
  EXPECT_EQ(Person::errno_of(given.alice.node.md_bind(spec, UnlinkMode::kUnlink)), -EINVAL);
}

TEST(DescriptorStory, TheThresholdCountsOperations) {  // spec/core-semantics.md 4.5
  Story given;
  Lent& target = given.bob.posts({.threshold = 2});
  for (int i = 0; i < 3; ++i) given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(target.reported(), "PUT, PUT (last)");
  EXPECT_EQ(given.bob.dropped(DropReason::kNoMatch), 1U);
}

TEST(DescriptorStory, AThresholdOfOneGetsNoAck) {  // spec/core-semantics.md 4.5
  Story given;
  given.bob.posts();
  Lent& put = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck, .threshold = 1});
  given.comes_to_rest();
  EXPECT_EQ(put.reported(), "SEND (last)");
  EXPECT_EQ(given.alice.dropped(DropReason::kAckNoMd), 1U);
}

TEST(DescriptorStory, ARetainedMdStaysWhenExhausted) {  // spec/core-semantics.md 4.3
  Story given;
  Lent& target = given.bob.posts({.threshold = 1, .unlink = UnlinkMode::kRetain});
  given.alice.puts({.to = given.bob.id()});
  given.alice.puts({.to = given.bob.id()});
  given.comes_to_rest();
  EXPECT_EQ(target.reported(), "PUT");
  EXPECT_EQ(given.bob.unlinks(target), 0);
  EXPECT_EQ(target.reported(), "PUT, UNLINK (last)");
}

TEST(DescriptorStory, AnOffsetPastTheEndDoesNotFit) {  // spec/core-semantics.md 4.5
  Story given;
  Lent& strict = given.bob.posts({.bits = {1}, .options = kOpPut | kManageRemote});
  Lent& lenient = given.bob.posts({.bits = {2}, .options = kOpPut | kManageRemote | kTruncate});
  given.alice.puts({.to = given.bob.id(), .bits = {1}, .offset = 4096});
  given.alice.puts({.to = given.bob.id(), .bits = {2}, .offset = 4096});
  given.comes_to_rest();
  EXPECT_EQ(strict.reported(), "");
  EXPECT_EQ(given.bob.dropped(DropReason::kTooLong), 1U);
  EXPECT_EQ(lenient.event(EventType::kPut).mlength, 0U);
}

// spec/core-semantics.md 4.6, 18.3
TEST(DescriptorStory, AnIdleMdGetsItsUnlinkEventBeforeTheCallReturns) {
  Story given;
  Lent& target = given.bob.posts();
  EXPECT_EQ(given.bob.unlinks(target), 0);
  EXPECT_EQ(target.reported(), "UNLINK (last)");
  EXPECT_EQ(given.bob.unlinks(target), -ENOENT);
}

TEST(DescriptorStory, UnlinkedWhileSendingTheLastEventReportsIt) {  // spec/core-semantics.md 4.6
  Story given({.tunables = {.credits = 1}});
  given.world.wire().set_model({.delay = seconds(1), .bytes_per_second = 1000});
  Lent& put = given.alice.puts({.to = given.bob.id(), .ack = AckRequest::kAck});
  EXPECT_EQ(given.alice.unlinks(put), 0);
  given.comes_to_rest();
  EXPECT_EQ(put.events.size(), 1U);
  EXPECT_TRUE(put.event(EventType::kSend).unlinked);
  EXPECT_NE(put.event(EventType::kSend).status, 0);
}

TEST(DescriptorStory, UnlinkedWhileWaitingForACreditItIsCancelled) {  // spec/core-semantics.md 4.6
  Story given({.tunables = {.credits = 1}});
  given.world.wire().set_model({.delay = seconds(1), .bytes_per_second = 1000});
  given.alice.puts({.to = given.bob.id()});
  Lent& waiting = given.alice.puts({.to = given.bob.id()});
  EXPECT_EQ(given.alice.unlinks(waiting), 0);
  EXPECT_EQ(waiting.reported(), "SEND -125 (last)");
  given.comes_to_rest();
}

TEST(DescriptorStory, UnlinkedWhileAwaitingAnAnswerItIsIdle) {  // spec/core-semantics.md 4.6
  Story given;
  Lent& get = given.alice.gets({.to = given.bob.id()});
  given.runs_for(seconds(1));
  EXPECT_EQ(get.reported(), "SEND");
  EXPECT_EQ(given.alice.unlinks(get), 0);
  EXPECT_EQ(get.reported(), "SEND, UNLINK (last)");
  given.comes_to_rest();
}

}  // namespace
}  // namespace ulnet::sim
