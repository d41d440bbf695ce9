// In the steady state a router allocates nothing for a message that it forwards. It copies the
// payload in memory at most once on its way in and once on its way out. It does not copy a payload
// that is not small, except for the part that was read together with its headers. Source: the
// contract of forwarding, DESIGN.md 3; spec/core-semantics.md 10.3.
#include "steady_state.h"

namespace ulnet::node {
namespace {

constexpr std::size_t kSmall = 8, kSinglePage = 4096, kLarge = 64UL * 1024;

class ForwardedMessage : public testing::TestWithParam<std::tuple<Mode, std::size_t>> {
 protected:
  void SetUp() override {
    const std::string a = own_address(1), b = own_address(2), to_a = own_address(3),
                      to_b = own_address(4);
    router_ = started({{"tcp", to_a}, {"tcp1", to_b}}, true);
    a_ = started({{"tcp", a}}, false);
    b_ = started({{"tcp1", b}}, false);
    route(*a_, "tcp1", to_a + "@tcp");
    route(*b_, "tcp", to_b + "@tcp1");
  }
  void TearDown() override {
    for (Node* node : {a_.get(), b_.get(), router_.get()}) node->stop(std::chrono::seconds(0));
  }
  using Nets = std::vector<std::pair<std::string, std::string>>;  ///< names and addresses
  std::unique_ptr<Node> started(const Nets& nets, bool routes) {
    NodeOptions options;
    options.mode = std::get<Mode>(GetParam());
    options.params = {{"accept", "trust"}, {"accept_port", port_}, {"accept_port_bulk", port_}};
    if (routes) options.params["forwarding"] = "enabled";
    auto node = Node::start(options, machine_of(1));
    EXPECT_TRUE(node) << node.error().reason;
    for (const auto& [net, address] : nets) {
      conf::NiItem ni;
      ni.interface = address;
      EXPECT_TRUE((*node)->change(AddNi{*NetId::parse(net), ni}));
    }
    return *std::move(node);
  }
  static void route(Node& node, const char* net, const std::string& gateway) {
    const auto added = node.change(add_route({*NetId::parse(net), *Nid::parse(gateway)}));
    EXPECT_TRUE(added) << added.error().reason;
  }
  std::vector<Node*> polled() {
    if (std::get<Mode>(GetParam()) != Mode::kInline) return {};
    return {a_.get(), router_.get(), b_.get()};
  }
  static ProcessId id_of(Node& node) { return node.get_id(1, false).value(); }
  static std::uint64_t count(Node& node, const std::string& name) {
    for (const DriverCounters& driver : node.state().drivers)
      for (const auto& [counter, value] : driver.counters)
        if (driver.name == "tcp" && counter == name) return value;
    ADD_FAILURE() << "no counter " << name;
    return 0;
  }
  /// Sends PUTs with their ACKs, from `a` to `b`.
  std::function<void()> puts() {
    const auto me = b_->me_attach(TwoNodes::kPortal, ProcessId{}, MatchBits{1}, MatchBits{0},
                                  UnlinkMode::kRetain, InsertPosition::kLocal);
    EXPECT_TRUE(me) << me.error().reason;
    EXPECT_TRUE(b_->md_attach(*me, TwoNodes::spec(memory_b_, quiet_, kOpPut | kManageRemote),
                              UnlinkMode::kRetain));
    const auto md = a_->md_bind(TwoNodes::spec(memory_a_, loop_), UnlinkMode::kRetain);
    EXPECT_TRUE(md) << md.error().reason;
    const PutRequest request = TwoNodes::put(*md, id_of(*b_), AckRequest::kAck);
    return [this, request] { EXPECT_TRUE(a_->put(request)); };
  }

  const std::string port_ = free_port();
  const std::size_t size_ = std::get<1>(GetParam());
  std::vector<std::byte> bytes_a_{size_}, bytes_b_{size_};
  const iovec memory_a_{bytes_a_.data(), size_}, memory_b_{bytes_b_.data(), size_};
  Bell bell_;
  Loop loop_{bell_};
  Quiet quiet_;
  std::unique_ptr<Node> a_, b_, router_;
};

TEST_P(ForwardedMessage, AllocatesNothing) {  // spec/core-semantics.md 10.3.3
  EXPECT_LE(allocated(loop_, bell_, polled(), EventType::kAck, puts()), kOccasionalAllocations);
}

TEST_P(ForwardedMessage, IsCopiedOnceInAndOnceOut) {  // spec/core-semantics.md 10.3.3
  constexpr unsigned kPuts = 1000;
  const auto put = puts();
  run(loop_, bell_, polled(), kUnderWay, EventType::kAck, put);
  const std::uint64_t in = count(*router_, "payload_bytes_copied_in"),
                      out = count(*router_, "payload_bytes_copied_out"), payload = kPuts * size_;
  run(loop_, bell_, polled(), kPuts, EventType::kAck, put);
  const std::uint64_t copied_in = count(*router_, "payload_bytes_copied_in") - in,
                      copied_out = count(*router_, "payload_bytes_copied_out") - out;
  // For pings and pushes between the nodes, and for data that is gathered again after a short
  // write.
  const std::uint64_t others = 16 * 1024;
  EXPECT_LE(copied_in, payload + others);
  EXPECT_LE(copied_out, payload + others);
  if (size_ == kSmall) {
    EXPECT_GE(copied_in, payload) << "it comes with its header";
    EXPECT_GE(copied_out, payload) << "it goes with its header";
    return;
  }
  EXPECT_LE(copied_out, others) << "it is written from the router's buffer";
  // Bytes that were read with the headers of a message that followed no other.
  if (size_ == kLarge) {
    EXPECT_LE(copied_in, payload / 4) << "it is read into the router's buffer";
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, ForwardedMessage,
                         testing::Combine(testing::Values(Mode::kInline, Mode::kShared,
                                                          Mode::kDedicated),
                                          testing::Values(kSmall, kSinglePage, kLarge)),
                         [](const auto& instance) {
                           const Mode mode = std::get<Mode>(instance.param);
                           return std::string(mode == Mode::kInline   ? "Inline"
                                              : mode == Mode::kShared ? "Shared"
                                                                      : "Dedicated") +
                                  std::to_string(std::get<std::size_t>(instance.param));
                         });

}  // namespace
}  // namespace ulnet::node
