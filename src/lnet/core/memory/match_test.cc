// Match entries and matching. spec/core-semantics.md 3, 4.5, 7.2, 18.9, 18.11.
#include "lnet/core/memory/match.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <deque>

#include "lnet/core/flow/pipe_fixture.h"

namespace ulnet::core::test {
namespace {

using enum EventType;

/// The index of the posted buffer that took a PUT of 8 bytes; -1: none.
int taker(Pipe& pipe, std::vector<Recorder>& buffers, std::uint64_t bits = 7) {
  for (Recorder& r : buffers) r.events.clear();
  auto source = bytes(8);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr, 1), tcp(2), AckRequest::kNoAck, bits);
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (!buffers[i].events.empty()) return static_cast<int>(i);
  return -1;
}

TEST(Match, HeadOrTailDecidesAmongEqualEntries) {  // spec/core-semantics.md 3
  Pipe pipe;
  auto sink = bytes(64);
  std::vector<Recorder> r(3);
  pipe.attach(pipe.b, sink, &r[0], {.threshold = 1});
  pipe.attach(pipe.b, sink, &r[1], {.threshold = 1, .position = InsertPosition::kAfter});
  pipe.attach(pipe.b, sink, &r[2], {.threshold = 1, .position = InsertPosition::kBefore});
  EXPECT_EQ(taker(pipe, r), 2);
  EXPECT_EQ(taker(pipe, r), 0);
  EXPECT_EQ(taker(pipe, r), 1);
  EXPECT_EQ(taker(pipe, r), -1);
}

TEST(Match, EntriesWithIgnoreBitsAreSearchedFirst) {  // spec/core-semantics.md 3: search order
  Pipe pipe;
  auto sink = bytes(64);
  std::vector<Recorder> r(2);
  pipe.attach(pipe.b, sink, &r[0]);
  pipe.attach(pipe.b, sink, &r[1], {.match = {0}, .ignore = {0xff}});
  EXPECT_EQ(taker(pipe, r), 1);
  EXPECT_EQ(taker(pipe, r, 0x55), 1);
  EXPECT_EQ(taker(pipe, r, 0x155), -1);
}

// spec/core-semantics.md 4.2
TEST(Match, ExhaustedAndWrongOperationAreSkipped) {  // spec/core-semantics.md 4.5: order of tests
  Pipe pipe;
  auto sink = bytes(64);
  std::vector<Recorder> r(3);
  pipe.attach(pipe.b, sink, &r[0], {.threshold = 0});
  pipe.attach(pipe.b, sink, &r[1], {.options = kOpGet});
  pipe.attach(pipe.b, sink, &r[2]);
  EXPECT_EQ(taker(pipe, r), 2);
}

// spec/wire-lnet.md 3.2; spec/wire-socklnd.md 2.2.4
TEST(Match, NidAndPidFilter) {  // spec/core-semantics.md 3: match_id
  Pipe pipe;
  auto sink = bytes(64);
  std::vector<Recorder> r(4);
  const auto wild = [](ProcessId id) { return Pipe::Post{.ignore = {1}, .id = id}; };
  pipe.attach(pipe.b, sink, &r[0], wild({tcp(9), Pid::any()}));
  pipe.attach(pipe.b, sink, &r[1], wild({Nid::any(), Pid{77}}));
  EXPECT_EQ(taker(pipe, r), -1);
  pipe.attach(pipe.b, sink, &r[2], wild({tcp(1), Pid::lustre()}));
  EXPECT_EQ(taker(pipe, r), 2);
}

// spec/core-semantics.md 4.2, 18.9; spec/wire-lnet.md 3.2
TEST(Match, TooLongIsDroppedThoughALaterEntryWouldFit) {
  Pipe pipe;
  auto small = bytes(4), large = bytes(64);
  std::vector<Recorder> r(2);
  pipe.call(pipe.b, call::SetLazy{{5}});
  pipe.attach(pipe.b, small, &r[0]);
  pipe.attach(pipe.b, large, &r[1]);
  EXPECT_EQ(taker(pipe, r), -1);
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kTooLong), 1U);
  EXPECT_TRUE(pipe.b.holds.empty());
  // with several shards another shard looks, which issues no note
  if (shards_of_a_node() != 1) return;
  ASSERT_FALSE(pipe.b.notes.empty());
  EXPECT_EQ(pipe.b.notes.back().level, Note::Level::kError);
  EXPECT_EQ(pipe.b.notes.back().detail, 4U) << "the buffer had this number of bytes";
}

TEST(Match, OnePortalIsUniqueOrWildcardForEver) {  // spec/core-semantics.md 3, 18.11
  Pipe pipe;
  int status = 0;
  const auto attach = [&](ProcessId id, MatchBits ignore) {
    pipe.call(pipe.b, call::MeAttach{{6}, id, {1}, ignore}, &status);
    return status;
  };
  EXPECT_EQ(attach(process(tcp(1)), {0}), 0);
  EXPECT_EQ(attach({Nid::any(), Pid::lustre()}, {0}), -EPERM);
  EXPECT_EQ(attach(process(tcp(1)), {1}), -EPERM);
  EXPECT_EQ(attach(process(tcp(3)), {0}), 0);
  // The portal keeps its type when its MEs are gone.
  auto sink = bytes(8);
  const MdHandle md = pipe.attach(pipe.b, sink, nullptr, {.portal = {7}, .id = process(tcp(1))});
  EXPECT_EQ(pipe.unlink(pipe.b, md), 0);
  pipe.call(pipe.b, call::MeAttach{{7}, {}, {1}, {0}}, &status);
  EXPECT_EQ(status, -EPERM);
}

TEST(Match, PortalOutOfRange) {  // spec/core-semantics.md 3, 1; spec/wire-lnet.md 2.6
  Pipe pipe;
  int status = 0;
  pipe.call(pipe.b, call::MeAttach{{64}, {}, {1}, {0}}, &status);
  EXPECT_EQ(status, -EINVAL);
  auto source = bytes(8);
  EXPECT_EQ(pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr), tcp(2), AckRequest::kNoAck, 7, 64),
            -EINVAL);
  wire::LnetHeader header;  // from a peer that does not check the portal
  header.dest_nid = tcp(2);
  header.src_nid = tcp(1);
  header.dest_pid = header.src_pid = Pid::lustre();
  header.part = wire::PutPart{.portal = 64};
  pipe.arrive(pipe.b, header, tcp(1));
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kPortalRange), 1U);
}

TEST(Match, PortalZeroIsLnetsOwn) {  // spec/core-semantics.md 1
  Pipe pipe;
  int status = 0;
  pipe.call(pipe.b, call::MeAttach{{0}, {}, {1}, {0}}, &status);
  EXPECT_EQ(status, -EPERM);
}

// spec/core-semantics.md 7.1, 7.2; spec/wire-lnet.md 3.2
TEST(Match, PortalThatWasNeverUsedDrops) {
  Pipe pipe;
  std::vector<Recorder> none;
  EXPECT_EQ(taker(pipe, none), -1);
  const GlobalStats stats = pipe.show(pipe.b).statistics;
  EXPECT_EQ(stats.drop_count, 1U);
  EXPECT_EQ(stats.drop_length, 8U);
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kNoMatch), 1U);
}

// spec/core-semantics.md 4.2; spec/wire-lnet.md 3.2
TEST(Match, RemoteOffsetIsUsedOnlyWhenManagedRemotely) {
  Pipe pipe;
  auto source = bytes(4, 1), remote = bytes(16, 100), local = bytes(16, 100);
  Recorder r;
  pipe.attach(pipe.b, remote, &r, {.match = {1}, .options = kOpPut | kManageRemote});
  pipe.attach(pipe.b, local, &r, {.match = {2}});
  const MdHandle md = pipe.bind(pipe.a, source, nullptr);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kNoAck, 1, 5, 10);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kNoAck, 2, 5, 10);
  EXPECT_EQ(std::memcmp(remote.data() + 10, source.data(), 4), 0);
  EXPECT_EQ(std::memcmp(local.data(), source.data(), 4), 0);
  EXPECT_EQ(r.events.at(0).offset, 10U);
  EXPECT_EQ(r.events.at(1).offset, 0U);
}

TEST(Match,
     ARemoteOffsetBeyondTheEndDoesNotFit) {  // spec/core-semantics.md 4.5, spec/wire-lnet.md 3.3
  Pipe pipe;
  auto source = bytes(4), sink = bytes(16), cut = bytes(16);
  Recorder r, asker;
  pipe.attach(pipe.b, sink, &r, {.match = {1}, .options = kOpPut | kOpGet | kManageRemote});
  pipe.attach(pipe.b, cut, &r,
              {.match = {2}, .options = kOpPut | kOpGet | kManageRemote | kTruncate});
  const MdHandle md = pipe.bind(pipe.a, source, &asker, kThresholdInfinite, kTruncate);
  pipe.put(pipe.a, md, tcp(2), AckRequest::kNoAck, 1, 5, 0xffffffffU);
  EXPECT_TRUE(r.events.empty());
  pipe.put(pipe.a, md, tcp(2), AckRequest::kNoAck, 2, 5, 17);
  ASSERT_EQ(r.events.size(), 1U);
  EXPECT_EQ(r.events[0].mlength, 0U);
  pipe.get(pipe.a, md, tcp(2), 2, 5, 0xfffffff0U);
  EXPECT_EQ(r.events.back().mlength, 0U);
  EXPECT_EQ(asker.events.back().type, kReply);
  pipe.get(pipe.a, md, tcp(2), 2, 5, 14);  // 2 bytes are left behind that offset
  EXPECT_EQ(r.events.back().mlength, 2U);
}

TEST(Match, GetIsMatchedOrDroppedNeverHeld) {  // spec/core-semantics.md 7.1; spec/wire-lnet.md 3.3
  Pipe pipe;
  pipe.call(pipe.b, call::SetLazy{{5}});
  auto sink = bytes(8);
  Recorder asker;
  pipe.get(pipe.a, pipe.bind(pipe.a, sink, &asker), tcp(2));
  EXPECT_TRUE(pipe.b.holds.empty());
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kNoMatch), 1U);
}

TEST(Match, AnAttachThatFailsTakesTheEntryWithIt) {  // spec/core-semantics.md 3, 4.3
  Pipe pipe;
  const MeHandle me = pipe.call(pipe.b, call::MeAttach{{5}, {}, {7}, {}}).me;
  int status = 0;
  pipe.call(pipe.b, call::MdAttach{me, MdSpec{}, UnlinkMode::kRetain},
            &status);  // neither OP_PUT nor OP_GET
  EXPECT_EQ(status, -EINVAL);
  MdSpec good;
  good.options = kOpPut;
  pipe.call(pipe.b, call::MdAttach{me, good, UnlinkMode::kRetain}, &status);
  EXPECT_EQ(status, -ENOENT);
}

TEST(Match, OneEntryCarriesOneMd) {  // spec/core-semantics.md 3, 4.3
  Pipe pipe;
  const MeHandle me = pipe.call(pipe.b, call::MeAttach{{5}, {}, {7}, {}}).me;
  MdSpec spec;
  spec.options = kOpPut;
  int status = 0;
  pipe.call(pipe.b, call::MdAttach{me, spec, UnlinkMode::kRetain});
  pipe.call(pipe.b, call::MdAttach{me, spec, UnlinkMode::kRetain}, &status);
  EXPECT_EQ(status, -EBUSY);
}

// spec/core-semantics.md 4.3
TEST(Match, RetainedEntryTakesAnotherMd) {  // spec/core-semantics.md 3: RETAIN
  Pipe pipe;
  auto sink = bytes(8);
  Recorder r;
  const MeHandle me = pipe.call(pipe.b, call::MeAttach{{5}, {}, {7}, {}, UnlinkMode::kRetain}).me;
  const iovec fragment{sink.data(), sink.size()};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.options = kOpPut;
  spec.threshold = 1;
  spec.sink = &r;
  std::vector<Recorder> none;
  for (int i = 0; i < 2; ++i) {
    pipe.call(pipe.b, call::MdAttach{me, spec, UnlinkMode::kUnlink});
    taker(pipe, none);
  }
  EXPECT_EQ(r.events.size(), 2U);
}

// ---- against a model ----------------------------------------------------------------------------

struct Entry {
  Me me;
  Md md;
  bool linked = false;
};

/// The model: the two lists that the specification describes, searched from front to back.
struct Naive {
  std::deque<Entry*> with_ignore, without;

  void insert(Entry& e, bool head) {
    auto& list = e.me.ignore.value != 0 ? with_ignore : without;
    head ? list.push_front(&e) : list.push_back(&e);
  }
  void remove(Entry& e) {
    std::erase(with_ignore, &e);
    std::erase(without, &e);
  }
  /// On a unique portal: one search for each NID of the peer, the primary first.
  Match search(const MatchRequest& q, bool unique) const {
    if (!unique || q.other_nids.empty()) return search(q);
    std::vector<Nid> nids{q.initiator};
    nids.insert(nids.end(), q.other_nids.begin(), q.other_nids.end());
    for (const Nid& nid : nids) {
      MatchRequest by_one = q;
      by_one.initiator = nid;
      by_one.other_nids = {};
      if (const Match m = search(by_one); m.kind != Match::Kind::kNone) return m;
    }
    return {};
  }
  Match search(const MatchRequest& q) const {
    for (const auto* list : {&with_ignore, &without})
      for (Entry* e : *list) {
        const Me& me = e->me;
        const bool bits = ((q.match_bits.value ^ me.match.value) & ~me.ignore.value) == 0;
        const bool pid = me.match_id.pid.is_any() || me.match_id.pid == q.pid;
        const bool nid = me.match_id.nid.is_any() || me.match_id.nid == q.initiator ||
                         std::count(q.other_nids.begin(), q.other_nids.end(), me.match_id.nid) > 0;
        if (e->md.threshold == 0 || !e->md.has(q.get ? kOpGet : kOpPut) || !bits || !pid || !nid)
          continue;
        Match m;
        m.kind = q.rlength <= e->md.length ? Match::Kind::kMatch : Match::Kind::kTooLong;
        m.me = &e->me;
        return m;
      }
    return {};
  }
};

// spec/core-semantics.md 3, 4.5; spec/wire-lnet.md 3.2
RC_GTEST_PROP(MatchProperty, MatchesALinearSearch, ()) {
  const bool unique = *rc::gen::arbitrary<bool>();
  MatchTable table;
  Naive naive;
  std::deque<Entry> entries;
  const auto small = [](std::uint64_t n) { return *rc::gen::inRange<std::uint64_t>(0, n); };
  const auto some_nid = [&] { return tcp(static_cast<std::uint8_t>(1 + small(3))); };
  const auto steps = *rc::gen::inRange(1, 200);
  for (int i = 0; i < steps; ++i) {
    switch (small(3)) {
      case 0: {  // attach
        Entry& e = entries.emplace_back();
        e.me.match = {small(40)};
        if (!unique) e.me.ignore = {small(3) == 0 ? small(4) : 0};
        e.me.match_id.pid = unique || small(2) ? Pid::lustre() : Pid::any();
        if (unique || small(2)) e.me.match_id.nid = some_nid();
        e.me.md = &e.md;
        e.md.options = 1 + static_cast<std::uint32_t>(small(3));
        e.md.threshold = small(5) == 0 ? 0 : -1;
        e.md.length = static_cast<std::uint32_t>(small(3) * 8);
        e.linked = true;
        const bool head = small(2);
        table.insert(e.me, head, unique);
        naive.insert(e, head);
        break;
      }
      case 1: {  // remove
        if (entries.empty()) break;
        Entry& e = entries[small(entries.size())];
        if (!std::exchange(e.linked, false)) break;
        table.remove(e.me, unique);
        naive.remove(e);
        break;
      }
      default: {  // search
        MatchRequest q;
        q.get = small(2);
        q.match_bits = {small(40)};
        q.initiator = some_nid();
        q.pid = Pid::lustre();
        q.rlength = static_cast<std::uint32_t>(small(20));
        std::vector<Nid> others;
        if (small(3) == 0) others = {some_nid(), some_nid()};
        q.other_nids = others;
        const Match got = table.search(q, unique), want = naive.search(q, unique);
        RC_ASSERT(got.kind == want.kind);
        RC_ASSERT(got.me == want.me);
      }
    }
  }
}

TEST(Match,
     UniquePortalFindsAnEntryForAnotherNidOfThePeer) {  // spec/core-semantics.md 3: NID comparison
  MatchTable table;
  Entry e;
  e.me.match_id = process(tcp(2));
  e.me.match = {7};
  e.me.md = &e.md;
  e.md.options = kOpPut;
  e.md.threshold = -1;
  table.insert(e.me, false, true);
  const std::vector<Nid> others = {tcp(3), tcp(2)};
  MatchRequest q;
  q.match_bits = {7};
  q.initiator = tcp(1);
  q.pid = Pid::lustre();
  EXPECT_EQ(table.search(q, true).kind, Match::Kind::kNone);
  q.other_nids = others;
  const Match match = table.search(q, true);
  EXPECT_EQ(match.kind, Match::Kind::kMatch);
  EXPECT_TRUE(match.by_other_nid);
}

TEST(Match, AUniquePortalPrefersEntriesForThePrimaryNid) {  // spec/core-semantics.md 3
  // The ME for the other NID is the older one. The loop tries many NIDs, so that for some of them
  // both MEs are in one bucket.
  for (std::uint8_t host = 2; host < 40; ++host) {
    MatchTable table;
    std::array<Entry, 2> entries;
    const std::array<Nid, 2> named{tcp(host), tcp(1)};
    for (std::size_t i = 0; i < 2; ++i) {
      entries[i].me.match_id = process(named[i]);
      entries[i].me.md = &entries[i].md;
      entries[i].md.options = kOpPut;
      entries[i].md.threshold = -1;
      table.insert(entries[i].me, false, true);
    }
    MatchRequest q;
    q.initiator = tcp(1);
    q.pid = Pid::lustre();
    const std::vector<Nid> others = {tcp(host)};
    q.other_nids = others;
    const Match match = table.search(q, true);
    EXPECT_EQ(match.me, &entries[1].me) << "the other NID ends in " << int{host};
    EXPECT_FALSE(match.by_other_nid);
  }
}

TEST(Match, ASingleIgnoredBitIsEnough) {  // spec/core-semantics.md 3
  Pipe pipe;
  Recorder r;
  auto sink = bytes(64), source = bytes(4);
  pipe.attach(pipe.b, sink, &r, {.match = {6}, .ignore = {1}});
  const MdHandle md = pipe.bind(pipe.a, source, nullptr);
  for (const std::uint64_t bits : {6U, 7U, 4U})
    pipe.put(pipe.a, md, tcp(2), AckRequest::kNoAck, bits);
  EXPECT_EQ(r.events.size(), 2U);
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kNoMatch), 1U);
}

TEST(Match, AnEntryWithoutAnMdTakesNothing) {  // spec/core-semantics.md 3, 4.3
  Pipe pipe;
  pipe.call(pipe.b, call::MeAttach{{5}, {}, {7}, {0}, UnlinkMode::kUnlink});
  auto source = bytes(1);
  pipe.put(pipe.a, pipe.bind(pipe.a, source, nullptr), tcp(2));
  EXPECT_EQ(pipe.dropped(pipe.b, DropReason::kNoMatch), 1U);
}

}  // namespace
}  // namespace ulnet::core::test
