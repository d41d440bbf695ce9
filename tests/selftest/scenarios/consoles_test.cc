// Two consoles on the simulator that request the same nodes. spec/cli-lst.md 4,
// spec/wire-selftest.md 3.1, 3.3.
#include "selftest/console/console.h"
#include "sim/world/selftest_surroundings.h"
#include "tests/selftest/scenarios/script.h"

namespace ulnet::sim {
namespace {

namespace console = svc::selftest::console;
using console::NodeState;

constexpr std::uint32_t kKey = 1;

/// A console at one node of the scene.
class SimConsole {
 public:
  SimConsole(Script& script, std::size_t at) : script_(script), host_(script.host(at)) {}

  template <class Value, class Command>
  Result<Value> wait(Command command) {
    std::optional<Result<Value>> ended;
    host_.run([&] {
      command(console_, [&](Result<Value> result) {
        EXPECT_FALSE(ended) << "a command ends once";
        ended = std::move(result);
      });
    });
    if (!script_.wait_for([&] { return ended.has_value(); })) return fail(-ETIME, "never ended");
    return *ended;
  }
  /// Runs a command that sends requests to nodes, and returns their results.
  template <class Command>
  Result<console::NodeResults> ask(Command command) {
    return wait<console::NodeResults>(std::move(command));
  }
  Result<console::SessionShown> begin(const char* name, bool force = false) {
    return wait<console::SessionShown>([&](auto& it, auto done) {
      it.new_session({.key = kKey, .name = name, .force = force}, done);
    });
  }
  Result<console::NodesAdded> add(const char* group, const std::vector<std::size_t>& nodes) {
    std::vector<ProcessId> ids;
    for (const std::size_t node : nodes) ids.push_back(script_.node(node).id());
    return wait<console::NodesAdded>(
        [&](auto& it, auto done) { it.add_nodes(kKey, group, ids, done); });
  }
  Result<console::NodeResults> end() {
    return ask([](auto& it, auto done) { it.end_session(kKey, done); });
  }
  std::vector<NodeState> states(const char* group) {
    std::vector<NodeState> all;
    for (const auto& member : console_.group(kKey, group).value()->members)
      all.push_back(member->state);
    return all;
  }

 private:
  Script& script_;
  SelftestHost& host_;
  SelftestSurroundings surroundings_{host_};
  console::Console console_{surroundings_};
};

/// The name of the session that a node is in; empty: no session.
std::string held_by(Script& s, std::size_t node) {
  const auto* session = s.selftest(node).framework().session();
  return session == nullptr ? "" : std::string(session->name.text());
}

struct TwoConsoles : testing::Test {
  Script s{1, {.nodes = 5}};
  SimConsole first{s, 0}, second{s, 4};

  void SetUp() override {
    ASSERT_TRUE(first.begin("first"));
    ASSERT_TRUE(second.begin("second"));
    EXPECT_TRUE(first.add("g", {1, 2}).value().results.at(0).good());
  }
  void TearDown() override {
    EXPECT_TRUE(second.end());
    EXPECT_TRUE(first.end());
    s.expect_nothing_left();
  }
};

TEST_F(TwoConsoles, TheSecondFindsTheNodesBusyAndTheOthersItsOwn) {  // spec/cli-lst.md 4
  const auto added = second.add("g", {1, 3});
  ASSERT_TRUE(added);
  EXPECT_EQ(added->results.at(0).status, status(EBUSY));
  EXPECT_EQ(added->results.at(0).as<LstMakeSessionReply>()->name, LstName("first"));
  EXPECT_TRUE(added->results.at(1).good());
  EXPECT_EQ(second.states("g"), (std::vector{NodeState::kBusy, NodeState::kActive}));
  EXPECT_EQ(held_by(s, 1), "first");
  EXPECT_EQ(held_by(s, 3), "second");
  // Once the first session has ended at a node, a console that asks again gets the node.
  EXPECT_TRUE(first.end());
  EXPECT_TRUE(second.ask([](auto& it, auto done) { it.refresh_group(kKey, "g", done); }));
  EXPECT_EQ(second.states("g"), (std::vector{NodeState::kActive, NodeState::kActive}));
  ASSERT_TRUE(first.begin("first"));
}

TEST_F(TwoConsoles, ForceTakesANodeEndsItsTestsAndNotifiesTheFirstConsole) {  // spec/cli-lst.md 4
  ASSERT_TRUE(first.ask([](auto& it, auto done) {
    it.add_test(kKey, {.batch = "batch", .from = "g", .to = "g", .spec = {}}, done);
  }));
  ASSERT_TRUE(first.ask([](auto& it, auto done) { it.run(kKey, "batch", 0, done); }));
  s.world().run_for(milliseconds(50));
  EXPECT_EQ(s.selftest(1).framework().session()->running_batches(), 1U);

  ASSERT_TRUE(second.begin("second", true));
  EXPECT_TRUE(second.add("g", {1}).value().results.at(0).good());
  EXPECT_EQ(held_by(s, 1), "second");
  EXPECT_TRUE(s.selftest(1).framework().session()->batches.empty());
  EXPECT_TRUE(s.wait_for([&] { return s.selftest(1).framework().zombies() == 0; }));
  EXPECT_EQ(held_by(s, 2), "first") << "the other stays";

  // Each command of the first console reports the lost node.
  const auto asked = [&](auto command) {
    const auto results = first.ask(command);
    EXPECT_TRUE(results);
    return results.value_or(console::NodeResults(2));
  };
  const auto pinged = asked(
      [](auto& it, auto done) { it.ping(kKey, {.name = "g", .nodes = {}}, seconds(5), done); });
  EXPECT_EQ(pinged.at(0).as<LstDebugReply>()->name, LstName("second"));
  EXPECT_EQ(first.states("g"), (std::vector{NodeState::kBusy, NodeState::kActive}));
  const auto sampled = asked(
      [](auto& it, auto done) { it.sample(kKey, {.name = "g", .nodes = {}}, seconds(5), done); });
  EXPECT_EQ(sampled.at(0).status, status(ESRCH));
  EXPECT_TRUE(sampled.at(1).good());
  const auto queried =
      asked([](auto& it, auto done) { it.query(kKey, {.batch = "batch"}, seconds(5), done); });
  EXPECT_EQ(queried.at(0).status, status(ESRCH));
  EXPECT_EQ(queried.at(1).as<LstBatchReply>()->active, 1U);
  // The end of the first session leaves the second session alone.
  EXPECT_TRUE(first.end());
  EXPECT_EQ(held_by(s, 1), "second");
  EXPECT_EQ(held_by(s, 2), "");
  ASSERT_TRUE(first.begin("first"));
}

}  // namespace
}  // namespace ulnet::sim
