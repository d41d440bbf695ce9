// Shows the checker wrong announcements of the memory of MDs.
#include "sim/checkers/checkers_fixture.h"

namespace ulnet::sim {
namespace {

struct AnnouncedChecker : Lies<memory_announced_checker> {
  AnnouncedChecker() { const_cast<NodeSetup&>(a.setup()).announces_memory = true; }
  core::AttachMemory begins(MdHandle md) { return {md, &memory, 1}; }
  static core::Post last_event(MdHandle md) { return post(md, EventType::kUnlink, 1, 0, true); }
  core::CopyPayload copy(std::size_t at) {
    const auto* to = reinterpret_cast<std::byte*>(bytes.data());
    return {ByteView(to, 8), ByteSpan(const_cast<std::byte*>(to) + at, 8)};
  }
  static constexpr MdHandle kMd{0x801};
};

TEST_F(AnnouncedChecker, IsSilentWhenAnMdIsAnnouncedBeforeItsUseAndBeforeItsEnd) {
  step(core::Tick{}, {begins(kMd), copy(0)});
  step(core::Tick{}, {core::DetachMemory{kMd}, last_event(kMd)});
  EXPECT_EQ(said(), "");
}

TEST_F(AnnouncedChecker, SeesTheSameMdTwice) {
  step(core::Tick{}, {begins(kMd), begins(kMd)});
  EXPECT_EQ(said(), "the memory of an MD is attached twice");
}

TEST_F(AnnouncedChecker, SeesAnEndWithoutABeginning) {
  step(core::Tick{}, {core::DetachMemory{kMd}});
  EXPECT_EQ(said(), "memory is detached that is not attached");
}

TEST_F(AnnouncedChecker, SeesTheLastEventBeforeTheEnd) {
  step(core::Tick{}, {begins(kMd), last_event(kMd)});
  EXPECT_EQ(said(), "an MD's last event comes while its memory is attached");
}

TEST_F(AnnouncedChecker, SeesPayloadInMemoryThatIsNotAttached) {
  step(core::Tick{}, {begins(kMd), copy(bytes.size() - 4)});
  EXPECT_EQ(said(), "payload is copied to memory that is not attached");
}

TEST_F(AnnouncedChecker, SeesAMessageInMemoryThatIsNotAttached) {
  auto [self, msg] = state.messages.make();
  core::Md* md = state.memory.find(bind());
  msg->md = md;
  core::Send sent = send(state.name(self));
  sent.payload = {&memory, 1, 0, 64};
  step(core::Tick{}, {sent});
  msg->md = nullptr;
  state.messages.erase(self);
  EXPECT_EQ(said(), "a driver gets memory of an MD that is not attached");
}

TEST_F(AnnouncedChecker, SeesAnMdThatIsNotAnnounced) {
  bind();
  checker.check_all(world);
  EXPECT_THAT(said(), HasSubstr("the memory of 0 is attached"));
}

/// Nodes that announce the memory of MDs, while messages move both ways.
TEST(MemoryAnnounced, HoldsInASoundWorld) {
  World world{1};
  Checker& checker = world.add_checker(memory_announced_checker());
  SimNode& a = world.add_node({.name = "a", .nis = {{.nid = tcp(1)}}, .announces_memory = true});
  SimNode& b = world.add_node({.name = "b", .nis = {{.nid = tcp(2)}}, .announces_memory = true});
  Silent sink;
  std::vector<char> bytes(100);
  const iovec memory{bytes.data(), bytes.size()};
  MdSpec spec;
  spec.fragments = {&memory, 1};
  spec.sink = &sink;
  spec.threshold = 1;
  PutRequest put;
  put.target = b.id();
  put.portal = {5};
  put.match_bits = {7};
  for (int i = 0; i < 3; ++i) {
    put.md = a.md_bind(spec, UnlinkMode::kUnlink).value();
    ASSERT_TRUE(a.put(put).has_value());
  }
  ASSERT_TRUE(world.run_until_quiet({.time = hours(1)}).reached());
  checker.check_all(world);
  EXPECT_FALSE(world.violation().has_value()) << world.violation()->what;
}

}  // namespace
}  // namespace ulnet::sim
