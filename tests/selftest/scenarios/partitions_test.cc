// Nodes with several CPU partitions: on which of them the buffers for requests are, and which
// requests use them. spec/core-semantics.md 3, 13.2; DESIGN.md 3.
#include "lnet/core/contract/shard_msg.h"
#include "lnet/core/flow/step.h"
#include "tests/selftest/scenarios/script.h"

namespace ulnet::sim {
namespace {

class OnPartitions : public testing::TestWithParam<std::uint32_t> {
 protected:
  static std::size_t from_shard_kind() { return core::Input(core::FromShard{}).index(); }
  /// Whether this kind of inter-shard message asks for a buffer on behalf of another partition.
  static bool is_search(std::uint64_t shard_msg) {
    return shard_msg == core::ShardMsg{core::shard_msg::Match{}}.body.index() ||
           shard_msg == core::ShardMsg{core::shard_msg::Park{}}.body.index();
  }

  /// The number of buffers of this portal on each partition of the node.
  std::vector<std::size_t> buffers(std::size_t node, std::uint32_t portal) {
    std::vector<std::size_t> all;
    for (std::uint32_t cpt = 0; cpt < GetParam(); ++cpt) {
      std::size_t count = 0;
      s_.node(node).shard_state(cpt)->mes.for_each(
          [&](Handle, const core::Me& me) { count += me.portal.index == portal; });
      all.push_back(count);
    }
    return all;
  }
  /// How often a partition of the node searched for a buffer on behalf of another one.
  std::size_t searches(std::size_t node) {
    std::size_t count = 0;
    s_.world().trace().for_each([&](const TraceRecord& record) {
      count += record.kind == TraceKind::kInput && record.node == node &&
               record.detail == from_shard_kind() && is_search(record.b);
    });
    return count;
  }
  std::vector<std::size_t> on_each(std::size_t count) const {
    return std::vector<std::size_t>(GetParam(), count);
  }

  Script s_{1,
            {.nodes = 6,
             .partitions = GetParam(),
             .world = {.trace = {.keep = TraceOptions::Keep::kAll}}}};
};

// spec/core-semantics.md 3
TEST_P(OnPartitions, TestServicesHaveBuffersOnEachAndTheFrameworkAtItsOwner) {
  EXPECT_EQ(buffers(1, kLstTestPortal), on_each(2 * 2)) << "two services";
  std::vector<std::size_t> at_owner = on_each(0);
  at_owner[kLstFrameworkPortal % GetParam()] = 2;
  EXPECT_EQ(buffers(1, kLstFrameworkPortal), at_owner);
  s_.make_session(1);
  LstTest server = ping_test(1024);  // needs buffers for its requests as soon as it is added
  server.session = s_.session();
  server.batch = 1;
  EXPECT_EQ(s_.ask_for<LstTestReply>(1, server).status, 0U);
  EXPECT_EQ(buffers(1, kLstTestPortal), on_each(2 + 1024 / 64 / GetParam()));
  EXPECT_EQ(s_.remove_session(1), 0U);
  EXPECT_EQ(buffers(1, kLstTestPortal), on_each(2 * 2)) << "given back";
  s_.expect_nothing_left();
}

// DESIGN.md 3
TEST_P(OnPartitions, RequestsFindTheirBuffersWhereTheyComeIn) {
  const std::vector<std::size_t> clients = {2, 3, 4, 5};  // with consecutive NIDs
  // pushes do use buffers of another partition
  s_.acquaint_all();
  s_.make_session(1);
  for (const std::size_t at : clients) {
    s_.make_session(at);
    EXPECT_EQ(s_.add_client(at, {1}, ping_test(200, 4)), 0U);
    EXPECT_EQ(
        s_.add_client(at, {1}, brw_test(20, {LstBrwOp::kWrite, LstCheck::kFull, 65536, 0}, 2)), 0U);
  }
  for (const std::size_t at : clients) EXPECT_EQ(s_.run(at), 0U);
  const std::size_t before = searches(1);
  for (const std::size_t at : clients) ASSERT_TRUE(s_.wait_until_idle(at)) << s_.world().explain();
  EXPECT_EQ(searches(1), before) << "no node had to ask another partition";
  for (const std::size_t at : clients) {
    EXPECT_EQ(s_.stat(at).framework.ping_errors + s_.stat(at).framework.brw_errors, 0U);
    EXPECT_EQ(s_.stat(at).rpc.sent, 200U * 4 + 20 * 2);
  }
  for (std::uint32_t cpt = 0; cpt < GetParam(); ++cpt)
    EXPECT_GE(s_.node(1).shard_state(cpt)->counters.global.recv_count, 4 / GetParam() * 840U)
        << "partition " << cpt << " has had its share";
  for (const std::size_t at : clients) s_.ask(1, LstDebug{}, {}, kLstFeatures, at);
  EXPECT_GT(searches(1), before)
      << "the owner shard of the portal has the only buffers of the framework";
  s_.expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(Cpts, OnPartitions, testing::Values(2U, 4U),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace ulnet::sim
