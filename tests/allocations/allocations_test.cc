// In the steady state a message allocates no memory, from the call to the last event: in the
// public interface, the shards' hosts, the strands and the TCP driver, at both ends, in every
// mode, with one and with several CPU partitions, within one of them and across. Source: DESIGN.md
// 2 (tables are allocated on first use).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "node/node_fixture.h"

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

// Counts allocations of all threads; the array and nothrow forms call these. Not inlined: the
// compiler would see malloc() paired with delete.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* memory = nullptr;
  const std::size_t least = std::max(static_cast<std::size_t>(alignment), sizeof memory);
  if (posix_memalign(&memory, least, size) == 0) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace ulnet::node {
namespace {

constexpr unsigned kUnderWay = 8;
constexpr unsigned kWarmUp = 4000, kMessages = 20000;
/// What nodes may allocate now and then while kMessages messages pass, as when a table grows once
/// more. If each message allocated, the count would be kMessages or more.
constexpr std::size_t kNowAndThen = kMessages / 500;

/// The CPU on which every thread of this program claims to run.
std::atomic<std::uint32_t> seeming_cpu{0};

/// Starts the operation again whenever one has ended, until `count` have.
class Loop : public EventSink {
 public:
  explicit Loop(Bell& bell) : bell_(bell) {}
  /// Keeps kUnderWay operations under way, `count` in all. Each ends with the event `end`.
  void start(unsigned count, EventType end, std::function<void()> operation) {
    operation_ = std::move(operation);
    end_ = end;
    ended_ = 0;
    to_begin_ = static_cast<int>(count);
    count_ = count;
    for (unsigned i = 0; i < kUnderWay; ++i) next();
  }
  bool over() const { return ended_ == count_; }
  void on_event(const Event& event) override {
    EXPECT_EQ(event.status, 0);
    if (event.type != end_) return;
    next();
    if (++ended_ != count_) return;
    const std::lock_guard lock(bell_.mutex);
    bell_.rung.notify_all();
  }

 private:
  void next() {
    if (to_begin_.fetch_sub(1) > 0) operation_();
  }

  Bell& bell_;
  std::atomic<EventType> end_{EventType::kAck};
  std::function<void()> operation_;
  std::atomic<int> to_begin_{0};
  std::atomic<unsigned> ended_{0}, count_{0};
};

class Quiet : public EventSink {
 public:
  void on_event(const Event&) override {}
};

enum class Where : std::uint8_t {
  kWithPeer,   ///< MDs are in the partition of the peer NI, so no letters are written
  kElsewhere,  ///< they are in another one, so every message needs letters
};
class OneMessage : public testing::TestWithParam<std::tuple<Mode, std::uint32_t, Where>> {
 protected:
  void SetUp() override {
    a_ = started(own_address(1));
    b_ = started(own_address(2));
  }
  void TearDown() override {
    a_->stop(std::chrono::seconds(0));
    b_->stop(std::chrono::seconds(0));
  }
  std::unique_ptr<Node> started(const std::string& address) {
    NodeOptions options;
    options.mode = std::get<Mode>(GetParam());
    options.params = {{"accept", "trust"},
                      {"accept_port", port_},
                      {"accept_port_bulk", port_},
                      {"cpu_npartitions", std::to_string(partitions_)}};
    auto node =
        Node::start(options, {.synthetic = "pack:1 core:" + std::to_string(partitions_) + " pu:2",
                              .current_cpu = [] { return seeming_cpu.load(); }});
    EXPECT_TRUE(node) << node.error().reason;
    conf::NiItem ni;
    ni.interface = address;
    EXPECT_TRUE((*node)->net_add(TwoNodes::kNet, ni));
    return *std::move(node);
  }
  static ProcessId id_of(Node& node) { return node.get_id(1, false).value(); }
  /// From now on MDs are made in the partition of `node` that the test wants for this peer NI.
  void be_where(Node& node, const Nid& peer) const {
    const std::uint32_t away = std::get<Where>(GetParam()) == Where::kElsewhere ? 1 : 0;
    seeming_cpu = 2 * ((node.cpt_of_nid(peer) + away) % partitions_);
  }

  void post_target(EventSink& sink, std::uint32_t options) {
    be_where(*b_, id_of(*a_).nid);
    const auto me = b_->me_attach(TwoNodes::kPortal, ProcessId{}, MatchBits{1}, MatchBits{0},
                                  UnlinkMode::kRetain, InsertPosition::kLocal);
    ASSERT_TRUE(me) << me.error().reason;
    const MdSpec spec = TwoNodes::spec(memory_b_, sink, options | kManageRemote);
    ASSERT_TRUE(b_->md_attach(*me, spec, UnlinkMode::kRetain));
  }
  MdHandle source(EventSink& sink) {
    be_where(*a_, id_of(*b_).nid);
    const auto md = a_->md_bind(TwoNodes::spec(memory_a_, sink), UnlinkMode::kRetain);
    EXPECT_TRUE(md) << md.error().reason;
    return *md;
  }
  void run(unsigned count, EventType end_of_each, const std::function<void()>& operation) {
    loop_.start(count, end_of_each, operation);
    std::unique_lock lock(bell_.mutex);
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    if (std::get<Mode>(GetParam()) != Mode::kInline) {
      ASSERT_TRUE(bell_.rung.wait_until(lock, end, [&] { return loop_.over(); }));
      return;
    }
    lock.unlock();
    while (!loop_.over()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      a_->progress(std::chrono::microseconds(0));
      b_->progress(std::chrono::microseconds(0));
    }
  }
  /// The number of allocations during kMessages operations, after kWarmUp others.
  std::size_t counted(EventType end_of_each, const std::function<void()>& operation) {
    run(kWarmUp, end_of_each, operation);
    const std::size_t before = allocations;
    run(kMessages, end_of_each, operation);
    return allocations - before;
  }

  const std::uint32_t partitions_ = std::get<1>(GetParam());
  const std::string port_ = free_port();
  std::array<std::byte, 4096> bytes_a_{}, bytes_b_{};
  const iovec memory_a_{bytes_a_.data(), bytes_a_.size()},
      memory_b_{bytes_b_.data(), bytes_b_.size()};
  Bell bell_;
  // The last SEND or PUT may come after the event that a test waits for, so the sinks live until
  // both nodes have stopped.
  Loop loop_{bell_};
  Quiet quiet_;
  std::unique_ptr<Node> a_, b_;
};

TEST_P(OneMessage, APutAndItsAckAllocateNothing) {
  post_target(quiet_, kOpPut);
  const PutRequest request = TwoNodes::put(source(loop_), id_of(*b_), AckRequest::kAck);
  const auto put = [&] { EXPECT_TRUE(a_->put(request)); };
  EXPECT_LE(counted(EventType::kAck, put), kNowAndThen);
}

TEST_P(OneMessage, AGetAndItsReplyAllocateNothing) {
  post_target(quiet_, kOpGet);
  GetRequest request;
  request.md = source(loop_);
  request.target = id_of(*b_);
  request.portal = TwoNodes::kPortal;
  request.match_bits = {1};
  const auto get = [&] { EXPECT_TRUE(a_->get(request)); };
  EXPECT_LE(counted(EventType::kReply, get), kNowAndThen);
}

INSTANTIATE_TEST_SUITE_P(Modes, OneMessage,
                         testing::Values(std::tuple{Mode::kInline, 1U, Where::kWithPeer},
                                         std::tuple{Mode::kShared, 1U, Where::kWithPeer},
                                         std::tuple{Mode::kShared, 2U, Where::kWithPeer},
                                         std::tuple{Mode::kShared, 2U, Where::kElsewhere},
                                         std::tuple{Mode::kShared, 4U, Where::kWithPeer},
                                         std::tuple{Mode::kShared, 4U, Where::kElsewhere},
                                         std::tuple{Mode::kDedicated, 1U, Where::kWithPeer},
                                         std::tuple{Mode::kDedicated, 4U, Where::kWithPeer},
                                         std::tuple{Mode::kDedicated, 4U, Where::kElsewhere}),
                         [](const auto& instance) {
                           const Mode mode = std::get<Mode>(instance.param);
                           return std::string(mode == Mode::kInline   ? "Inline"
                                              : mode == Mode::kShared ? "Shared"
                                                                      : "Dedicated") +
                                  std::to_string(std::get<1>(instance.param)) +
                                  (std::get<Where>(instance.param) == Where::kElsewhere ? "Crossing"
                                                                                        : "");
                         });

}  // namespace
}  // namespace ulnet::node
