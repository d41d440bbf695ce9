// All checkers together.
#include "sim/checkers/all.h"

#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

TEST(Checkers, AreSilentWhereAllIsWell) {
  World world(1);
  add_all_checkers(world);
  Silent sink;
  std::vector<char> from(100), to(100);
  const iovec source{from.data(), from.size()}, target{to.data(), to.size()};
  SimNode& a = world.add_node({.name = "a", .nis = {{.nid = tcp(1)}}});
  SimNode& b = world.add_node({.name = "b", .nis = {{.nid = tcp(2)}}});
  MdSpec spec;
  spec.fragments = {&target, 1};
  spec.options = kOpPut | kOpGet | kManageRemote;
  spec.sink = &sink;
  const auto me = b.me_attach({5}, {}, {7}, {}, UnlinkMode::kUnlink, InsertPosition::kAfter);
  const MdHandle posted = b.md_attach(me.value(), spec, UnlinkMode::kUnlink).value();
  for (int i = 0; i < 20; ++i) {
    MdSpec out;
    out.fragments = {&source, 1};
    out.threshold = 2;
    out.sink = &sink;
    PutRequest put;
    put.md = a.md_bind(out, UnlinkMode::kUnlink).value();
    put.target = b.id();
    put.portal = {5};
    put.match_bits = {7};
    put.ack = AckRequest::kAck;
    ASSERT_TRUE(a.put(put).has_value());
  }
  ASSERT_TRUE(world.run_until_quiet().reached()) << world.explain();
  ASSERT_TRUE(b.md_unlink(posted).has_value());
  a.shutdown();
  b.shutdown();
  ASSERT_TRUE(world
                  .run_until([&](World&) {
                    return a.state() == SimNode::State::kStopped &&
                           b.state() == SimNode::State::kStopped;
                  })
                  .reached())
      << world.explain();
  EXPECT_TRUE(world.run_until_quiet().reached()) << world.explain();
}

}  // namespace
}  // namespace ulnet::sim
