// Everything at once on nodes of four CPU partitions: buffers posted in the partition where a
// thread happens to run and stolen from there, a lazy portal, unlinks, NIs that come and go, over
// TCP and loopback. The test ends when everything is counted, not after a time. Source:
// spec/core-semantics.md 7, 13, 18; DESIGN.md 3.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "lnet/node/node_fixture.h"

namespace ulnet::node {
namespace {

constexpr unsigned kSenders = 3, kPerSender = 400;  // senders per node, messages of each sender
constexpr unsigned kPosters = 4, kPerBuffer = 8;
constexpr unsigned kUnlinkEvery = 5;  // buffers
constexpr unsigned kNiRounds = 12;

/// The messages that arrived; each must come once.
class Arrivals {
 public:
  explicit Arrivals(std::size_t expected) : seen_(expected) {}
  void add(std::uint64_t number) {
    ASSERT_LT(number, seen_.size());
    EXPECT_EQ(seen_[number]++, 0) << "message " << number << " came twice";
    ++count_;
  }
  bool all() const { return count_ == seen_.size(); }
  std::size_t count() const { return count_; }

 private:
  std::vector<std::atomic<int>> seen_;
  std::atomic<std::size_t> count_{0};
};

/// A buffer for a few messages; checks what LNet promises about the events of one MD.
class Buffer : public EventSink {
 public:
  explicit Buffer(Arrivals& arrivals) : arrivals_(arrivals) {}
  void on_event(const Event& event) override {
    EXPECT_EQ(inside_.exchange(true), false) << "two handlers of one MD";
    EXPECT_FALSE(gone_) << "an event after the last one";
    if (event.type == EventType::kPut) {
      // If the MD was unlinked meanwhile, its last operation reports that (spec/core-semantics.md
      // 4.6).
      EXPECT_TRUE(event.status == 0 || (event.status == -ETIMEDOUT && event.unlinked));
      arrivals_.add(event.hdr_data);
    }
    inside_ = false;
    if (event.unlinked) gone_ = true;
  }
  bool gone() const { return gone_; }

  std::vector<char> memory = std::vector<char>(64 * kPerBuffer);

 private:
  Arrivals& arrivals_;
  std::atomic<bool> inside_{false}, gone_{false};
};

/// Counts how the PUTs of a sender end.
class Ends : public EventSink {
 public:
  void on_event(const Event& event) override {
    if (event.type == EventType::kSend) ++sends;
    if (event.unlinked) gone = true;
  }
  std::atomic<unsigned> sends{0};
  std::atomic<bool> gone{false};
};

class Stress : public TwoNodes {
 protected:
  Stress() { partitions_ = 4; }

  /// Posts buffers on the CPU on which it runs until everything has arrived; unlinks one buffer in
  /// kUnlinkEvery.
  void post(Node& node, Arrivals& arrivals, std::vector<std::unique_ptr<Buffer>>& buffers) {
    std::vector<std::pair<Buffer*, MdHandle>> posted;
    for (unsigned turn = 0; !arrivals.all(); ++turn) {
      std::erase_if(posted, [](const auto& each) { return each.first->gone(); });
      if (posted.size() >= 4) {
        std::this_thread::yield();
        continue;
      }
      Buffer& buffer = *buffers.emplace_back(std::make_unique<Buffer>(arrivals));
      const iovec memory{buffer.memory.data(), buffer.memory.size()};
      const auto me = node.me_attach(kPortal, ProcessId{}, MatchBits{0}, MatchBits{~0ULL},
                                     UnlinkMode::kUnlink, InsertPosition::kLocal);
      ASSERT_TRUE(me) << me.error().reason;
      MdSpec md = spec(memory, buffer, kOpPut);
      md.threshold = kPerBuffer;
      const auto handle = node.md_attach(*me, md, UnlinkMode::kUnlink);
      ASSERT_TRUE(handle) << handle.error().reason;
      posted.emplace_back(&buffer, *handle);
      if (turn % kUnlinkEvery == 0) (void)node.md_unlink(posted.front().second);
    }
    for (const auto& [buffer, md] : posted) (void)node.md_unlink(md);
  }

  /// Sends its numbers to both nodes: over TCP and by loopback.
  void send(Node& from, const ProcessId& far, std::uint64_t first, Ends& ends) {
    std::vector<char> payload(64, 'p');
    const iovec memory{payload.data(), payload.size()};
    const MdHandle md = from.md_bind(spec(memory, ends), UnlinkMode::kRetain).value();
    for (unsigned i = 0; i < kPerSender; ++i) {
      const ProcessId near{Nid::loopback(), Pid::lustre()};
      PutRequest request = put(md, i % 2 == 0 ? far : near, AckRequest::kNoAck);
      // Uses the NI that stays: messages under way over an NI that is deleted are lost with it.
      if (i % 2 == 0) request.self = from.get_id(1, false)->nid;
      request.hdr_data = first + i / 2 + (i % 2 == 0 ? kPerSender / 2 : 0);
      EXPECT_TRUE(from.put(request));
    }
    while (ends.sends < kPerSender) std::this_thread::yield();
    EXPECT_TRUE(from.md_unlink(md));
    EXPECT_TRUE(ends.gone);
  }

  /// NIs on some of the partitions come and go; messages on them may fail, but have to end.
  void change(Node& node, Node& other, const std::string& here, const std::string& there) {
    constexpr NetId kNet1{NetType::kTcp, 1};
    std::vector<char> payload(64, 'n');
    const iovec memory{payload.data(), payload.size()};
    Ends ends;
    unsigned puts = 0;
    const MdHandle md = node.md_bind(spec(memory, ends), UnlinkMode::kRetain).value();
    conf::NiItem near, far;
    near.interface = here;
    far.interface = there;
    for (std::uint32_t round = 0; round < kNiRounds; ++round) {
      near.cpts = {round % 4, (round + 1) % 4};
      std::sort(near.cpts.begin(), near.cpts.end());
      far.cpts = {round % 3};
      EXPECT_TRUE(node.change(AddNi{kNet1, near}));
      EXPECT_TRUE(other.change(AddNi{kNet1, far}));
      const ProcessId target{*Nid::parse(there + "@tcp1"), Pid::lustre()};
      PutRequest request = put(md, target, AckRequest::kNoAck);
      request.portal = {kPortal.index + 1};  // no ME matches there
      for (unsigned i = 0; i < 20; ++i)
        if (node.put(request)) ++puts;
      EXPECT_TRUE((round % 2 == 0 ? node : other).change(DelNi{kNet1}));
      EXPECT_TRUE((round % 2 == 0 ? other : node).change(DelNi{kNet1}));
    }
    EXPECT_TRUE(node.md_unlink(md));
    while (!ends.gone) std::this_thread::yield();
    EXPECT_EQ(ends.sends, puts) << "a put on an NI that is gone has ended";
  }
};
INSTANTIATE_TEST_SUITE_P(Modes, Stress, testing::Values(Mode::kShared, Mode::kDedicated),
                         mode_name);

TEST_P(Stress, NothingIsLostAndEverythingEnds) {  // spec/core-semantics.md 18.2
  // Each sender sends half of its messages to its own node and half to the other node, so that
  // each node receives as many as its senders send.
  constexpr std::size_t kMessages = std::size_t{kSenders} * kPerSender;
  struct Side {
    Node& node;
    Node& other;
    ProcessId far;
    Arrivals arrivals{kMessages};
    std::vector<std::unique_ptr<Buffer>> buffers[kPosters];
    Ends ends[kSenders];
  } sides[2] = {{*a_, *b_, id_b_}, {*b_, *a_, id_a_}};
  std::vector<std::thread> threads;
  for (Side& side : sides) {
    ASSERT_TRUE(side.node.set_lazy_portal(kPortal));
    // A discovery message that goes by a deleted NI is lost, and messages would wait for the
    // discovery until the transaction timeout. With discovery off, the first message of a peer
    // waits only for a ping.
    ASSERT_TRUE(side.node.change(SetGlobals{{{"discovery", 0}}}));
  }
  for (unsigned which = 0; which < 2; ++which) {
    Side& side = sides[which];
    for (auto& buffers : side.buffers)
      threads.emplace_back([&] { post(side.node, side.arrivals, buffers); });
    for (unsigned s = 0; s < kSenders; ++s)
      threads.emplace_back([&, s] { send(side.node, side.far, s * kPerSender, side.ends[s]); });
  }
  const std::string here = own_address(3), there = own_address(4);
  threads.emplace_back([&] { change(*a_, *b_, here, there); });
  threads.emplace_back([&] {
    for (unsigned i = 0; i < 50; ++i) {
      PingRequest request;
      request.target = id_b_;
      request.source = id_a_.nid;
      request.timeout = std::chrono::seconds(60);
      EXPECT_TRUE(a_->ping(request));
      EXPECT_FALSE(a_->state().nis.empty());
    }
  });
  for (auto& thread : threads) thread.join();
  stop_both();
  for (Side& side : sides) {
    EXPECT_EQ(side.arrivals.count(), kMessages);
    for (const auto& buffers : side.buffers)
      for (const auto& buffer : buffers) EXPECT_TRUE(buffer->gone());
  }
}

}  // namespace
}  // namespace ulnet::node
