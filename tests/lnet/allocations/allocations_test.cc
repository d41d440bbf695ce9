// In the steady state a message allocates no memory, from the call to the last event: in the public
// interface, the shards' hosts, the strands and the TCP driver, at both ends, in every mode, with
// one and with several CPU partitions, within one partition and between two. Source: DESIGN.md 2
// (tables are allocated on first use).
#include <gtest/gtest.h>

#include <atomic>

#include "steady_state.h"

namespace ulnet::node {
namespace {

/// The CPU on which every thread of this program claims to run.
std::atomic<std::uint32_t> seeming_cpu{0};

enum class Where : std::uint8_t {
  kWithPeer,   ///< MDs are in the partition of the peer NI, so no inter-shard messages are sent
  kElsewhere,  ///< MDs are in another partition, so every message needs inter-shard messages
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
    EXPECT_TRUE((*node)->change(AddNi{TwoNodes::kNet, ni}));
    return *std::move(node);
  }
  static ProcessId id_of(Node& node) { return node.get_id(1, false).value(); }
  /// From now on MDs are made in the partition of `node` that the test chooses for this peer NI.
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
  std::size_t counted(EventType end_of_each, const std::function<void()>& operation) {
    std::vector<Node*> polled;
    if (std::get<Mode>(GetParam()) == Mode::kInline) polled = {a_.get(), b_.get()};
    return allocated(loop_, bell_, polled, end_of_each, operation);
  }

  const std::uint32_t partitions_ = std::get<1>(GetParam());
  const std::string port_ = free_port();
  std::array<std::byte, 4096> bytes_a_{}, bytes_b_{};
  const iovec memory_a_{bytes_a_.data(), bytes_a_.size()},
      memory_b_{bytes_b_.data(), bytes_b_.size()};
  Bell bell_;
  // The last SEND or PUT may come after the event that a test waits for, so the sinks exist until
  // both nodes have stopped.
  Loop loop_{bell_};
  Quiet quiet_;
  std::unique_ptr<Node> a_, b_;
};

TEST_P(OneMessage, APutAndItsAckAllocateNothing) {
  post_target(quiet_, kOpPut);
  const PutRequest request = TwoNodes::put(source(loop_), id_of(*b_), AckRequest::kAck);
  const auto put = [&] { EXPECT_TRUE(a_->put(request)); };
  EXPECT_LE(counted(EventType::kAck, put), kOccasionalAllocations);
}

TEST_P(OneMessage, AGetAndItsReplyAllocateNothing) {
  post_target(quiet_, kOpGet);
  GetRequest request;
  request.md = source(loop_);
  request.target = id_of(*b_);
  request.portal = TwoNodes::kPortal;
  request.match_bits = {1};
  const auto get = [&] { EXPECT_TRUE(a_->get(request)); };
  EXPECT_LE(counted(EventType::kReply, get), kOccasionalAllocations);
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
