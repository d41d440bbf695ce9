// A console on a real node: many threads give it commands. The tests of the commands themselves are
// in selftest/console.
#include "selftest/host/selftest_console.h"

#include <thread>

#include "lnet/config/params.h"
#include "lnet/node/node_fixture.h"
#include "lnet/node/runtime/clock.h"

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

/// Returns the session time-out that the node reports in its answer to a ping of the console.
std::uint32_t reported_timeout(SelftestConsole& selftest, const ProcessId& id) {
  std::uint32_t reported = 0;
  selftest.run([&](Console& console, const auto& over) {
    console.ping(1, {.nodes = {id}}, seconds(30), [&, over](const Result<NodeResults>& results) {
      reported = std::get<wire::LstDebugReply>(results.value().at(0).reply.body).timeout;
      over();
    });
  });
  return reported;
}

TEST_P(SelftestConsoles, ParametersAreGivenAtTheStartAndLater) {  // spec/cli-lst.md 9
  ASSERT_TRUE(at_a_->stop(seconds(30)));
  at_a_ = *SelftestConsole::start(unowned(*a_), {{"session_timeout", "77"}, {"accept", "all"}});
  ASSERT_TRUE(begin());
  at_a_->run([&](Console& console, const auto& over) {
    console.add_nodes(1, "g", {id_a_}, [over](const Result<NodesAdded>&) { over(); });
  });
  EXPECT_EQ(reported_timeout(*at_a_, id_a_), 77U);
  at_a_->set_param("session_timeout", "78");
  at_a_->set_param("accept_timeout", "9");  // not a parameter of selftest
  EXPECT_EQ(reported_timeout(*at_a_, id_a_), 78U);
}

TEST(SelftestParameters, HaveTheDefaultsOfTheRegistry) {  // spec/cli-lst.md 9
  using svc::selftest::Settings;
  for (const char* name : {"rpc_timeout", "session_timeout", "brw_inject_errors",
                           "brw_srv_workitems", "ping_srv_workitems"}) {
    const conf::Param* param = conf::find_param(name);
    ASSERT_NE(param, nullptr) << name;
    Settings settings;
    EXPECT_TRUE(set_setting(settings, name, param->initial));
    EXPECT_EQ(settings, Settings{}) << name;
    EXPECT_TRUE(set_setting(settings, name, "5"));
    EXPECT_NE(settings, Settings{}) << name << " says something";
  }
  Settings settings;
  EXPECT_EQ(set_setting(settings, "credits", "1").error().code, -ENOENT);
  EXPECT_EQ(set_setting(settings, "rpc_timeout", "soon").error().code, -EINVAL);
}

TEST(SelftestParameters, ConsolesAreNids) {
  const conf::Param* param = conf::find_param("selftest_consoles");
  ASSERT_NE(param, nullptr);
  svc::selftest::Settings settings;
  EXPECT_TRUE(set_setting(settings, param->name, param->initial));
  EXPECT_EQ(settings, svc::selftest::Settings{});
  const std::string some = "10.0.0.[1-4]@tcp,10.1.*.*@tcp1";
  EXPECT_EQ(said(check_param(*param, some)), "0");
  EXPECT_TRUE(set_setting(settings, param->name, some));
  EXPECT_EQ(settings.consoles.size(), 2U);
  EXPECT_EQ(check_param(*param, "10.0.0.[1-4]@tcp,").error().code, -EINVAL);
}

TEST_P(SelftestConsoles, WaitingForNodesCanBeInterrupted) {
  ASSERT_TRUE(begin());
  const ProcessId nobody{Nid::parse("127.1.2.3@tcp9").value(), Pid::lustre()};
  at_b_->stop(seconds(30));
  std::atomic<bool> inside = false;
  std::thread user([&] {
    EXPECT_TRUE(at_a_->run([&](Console& console, const auto& over) {
      console.add_nodes(1, "g", {id_b_, nobody}, [over](const Result<NodesAdded>& added) {
        EXPECT_EQ(added.value().results.at(0).error, -EINTR);
        over();
      });
      inside = true;
    }));
  });
  while (!inside) std::this_thread::yield();
  at_a_->interrupt();
  user.join();
  EXPECT_FALSE(at_a_->run([](Console&, const auto&) {}, now() + std::chrono::milliseconds(10)));
}

TEST_P(SelftestConsoles, StoppingReleasesWaiters) {
  std::atomic<bool> inside = false;
  std::thread user([&] {
    // the command never calls over
    EXPECT_FALSE(at_a_->run([&](Console&, const auto&) { inside = true; }));
  });
  while (!inside) std::this_thread::yield();
  EXPECT_TRUE(at_a_->stop(seconds(30)));
  user.join();
}

INSTANTIATE_TEST_SUITE_P(Modes, SelftestConsoles, testing::Values(Mode::kShared, Mode::kDedicated),
                         mode_name);

}  // namespace
}  // namespace ulnet::node
