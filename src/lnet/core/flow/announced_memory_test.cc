// The memory of MDs is announced to drivers that want to know it: lnet/core/contract/ports.h,
// AttachMemory and DetachMemory.
#include <gmock/gmock.h>

#include "lnet/core/flow/pipe_fixture.h"

namespace ulnet::core::test {
namespace {

struct AnnouncingShard : testing::Test {
  explicit AnnouncingShard(bool announces = true) { configure(announces); }

  void configure(bool announces) {
    const auto config = config_of({tcp(1)}, 1);
    config->announces_memory = announces;
    step(Config{config});
  }
  void step(const Input& input) {
    out.clear();
    shard.step(Instant{std::chrono::seconds(1)}, input, out);
  }
  template <class Body>
  Body call(Body body) {
    ApiCall made{std::move(body)};
    step(Api{&made});
    EXPECT_EQ(made.status, 0) << made.reason;
    return std::get<Body>(made.body);
  }
  MdSpec spec() {
    MdSpec made;
    made.fragments = fragments;
    made.sink = &sink;
    return made;
  }
  MdHandle bind() { return call(call::MdBind{spec()}).md; }

  std::vector<std::byte> memory = std::vector<std::byte>(300);
  std::vector<iovec> fragments{{memory.data(), 100}, {memory.data() + 200, 100}};
  Recorder sink;
  Shard shard{0};
  Actions out;
};

TEST_F(AnnouncingShard, AnnouncesTheFragmentsOfABoundMd) {
  const MdHandle md = bind();
  ASSERT_EQ(out.size(), 1U);
  const auto& attach = std::get<AttachMemory>(out[0]);
  EXPECT_EQ(attach.md, md);
  ASSERT_EQ(attach.count, 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(attach.fragments[i].iov_base, fragments[i].iov_base);
    EXPECT_EQ(attach.fragments[i].iov_len, fragments[i].iov_len);
  }
}

TEST_F(AnnouncingShard, AnnouncesTheEndBeforeTheLastEvent) {
  const MdHandle md = bind();
  call(call::MdUnlink{md});
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(std::get<DetachMemory>(out[0]).md, md);
  EXPECT_TRUE(std::get<Post>(out[1]).event.unlinked);
}

TEST_F(AnnouncingShard, AnnouncesTheMemoryOfAnMdOfAMatchEntry) {
  call::MeAttach me;
  me.portal = {5};
  me.match_id = {Nid::any(), Pid::any()};
  call::MdAttach attach{call(me).me, spec()};
  attach.spec.options = kOpPut;
  const MdHandle md = call(attach).md;
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(std::get<AttachMemory>(out[0]).md, md);
}

TEST_F(AnnouncingShard, AnnouncesTheEndOfAnMdWithoutHandler) {
  MdSpec silent = spec();
  silent.sink = nullptr;
  const MdHandle md = call(call::MdBind{silent}).md;
  call(call::MdUnlink{md});
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(std::get<DetachMemory>(out[0]).md, md);
}

struct SilentShard : AnnouncingShard {
  SilentShard() : AnnouncingShard(false) {}
};

TEST_F(SilentShard, AnnouncesNothing) {
  const MdHandle md = bind();
  EXPECT_TRUE(out.empty());
  call(call::MdUnlink{md});
  ASSERT_EQ(out.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<Post>(out[0]));
}

}  // namespace
}  // namespace ulnet::core::test
