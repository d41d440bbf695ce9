// A console on a real node: its commands come from many threads. What they do is told in
// svc/selftest/console.
#include "node/selftest_console.h"

#include <thread>

#include "node/node_fixture.h"

namespace ulnet::node {
namespace {

using namespace svc::selftest::console;
using std::chrono::seconds;

class SelftestConsoles : public TwoNodes {
 protected:
  void SetUp() override {
    TwoNodes::SetUp();
    at_a_ = *SelftestConsole::start(unowned(*a_));
    at_b_ = *SelftestConsole::start(unowned(*b_));
  }
  void TearDown() override {
    for (SelftestConsole* one : {at_b_.get(), at_a_.get()}) EXPECT_TRUE(one->stop(seconds(30)));
    at_a_ = nullptr;
    at_b_ = nullptr;
    TwoNodes::TearDown();
  }
  static std::shared_ptr<Lnet> unowned(Lnet& lnet) { return {std::shared_ptr<Lnet>(), &lnet}; }

  Result<SessionShown> begin() {
    Result<SessionShown> shown = fail(-EINTR);
    at_a_->run([&](Console& console, const auto& over) {
      console.new_session({.key = 1, .name = "rw"}, [&, over](const Result<SessionShown>& begun) {
        shown = begun;
        over();
      });
    });
    return shown;
  }

  std::unique_ptr<SelftestConsole> at_a_, at_b_;
};

TEST_P(SelftestConsoles, CommandsComeFromManyThreads) {
  const auto begun = begin();
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->id.console, id_a_.nid);
  std::atomic<int> active = 0;
  std::vector<std::thread> users;
  for (int i = 0; i < 8; ++i)
    users.emplace_back([&, name = "g" + std::to_string(i)] {
      EXPECT_TRUE(at_a_->run([&](Console& console, const auto& over) {
        console.add_nodes(1, name, {id_a_, id_b_}, [&, over](const Result<NodesAdded>& added) {
          EXPECT_TRUE(added);
          for (const MemberPtr& member : console.group(1, name).value()->members)
            active += member->state == svc::selftest::console::NodeState::kActive;
          over();
        });
      }));
    });
  for (std::thread& user : users) user.join();
  EXPECT_EQ(active, 16);
}

TEST_P(SelftestConsoles, WhoeverWaitsIsLetGoWhenItStops) {
  std::atomic<bool> inside = false;
  std::thread user([&] {
    EXPECT_FALSE(at_a_->run([&](Console&, const auto&) { inside = true; }));  // never over
  });
  while (!inside) std::this_thread::yield();
  EXPECT_TRUE(at_a_->stop(seconds(30)));
  user.join();
}

INSTANTIATE_TEST_SUITE_P(Modes, SelftestConsoles, testing::Values(Mode::kShared, Mode::kDedicated),
                         mode_name);

}  // namespace
}  // namespace ulnet::node
