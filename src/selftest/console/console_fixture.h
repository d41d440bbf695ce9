// For tests: a console with fake nodes, and commands that wait for their end.
#pragma once

#include <gtest/gtest.h>

#include <optional>

#include "selftest/console/console.h"
#include "selftest/console/fake_nodes_fixture.h"

namespace ulnet::svc::selftest::console::test {

class ConsoleTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kKey = 4711;

  /// Runs `command` with a `done`, and lets time pass until `done` has been called.
  template <class Value, class Command>
  Result<Value> wait(Command&& command) {
    std::optional<Result<Value>> ended;
    command([&](Result<Value> result) {
      EXPECT_FALSE(ended) << "a command ends once";
      ended = std::move(result);
    });
    if (!nodes.pass_until([&] { return ended.has_value(); })) return fail(-ETIME, "never ended");
    return *ended;
  }

  Result<SessionShown> begin(SessionAsked asked = {.key = kKey, .name = "rw"}) {
    return wait<SessionShown>([&](auto done) { console.new_session(asked, done); });
  }
  Result<NodeResults> end() {
    return wait<NodeResults>([&](auto done) { console.end_session(kKey, done); });
  }
  Result<NodesAdded> add(const std::string& group, std::initializer_list<std::uint32_t> lasts) {
    std::vector<ProcessId> ids;
    for (const std::uint32_t last : lasts) ids.push_back(node_id(last));
    return wait<NodesAdded>([&](auto done) { console.add_nodes(kKey, group, ids, done); });
  }
  /// Makes a session with a group "c" of nodes 1 to `clients` and a group "s" of nodes from 11.
  void parties(std::uint32_t clients, std::uint32_t servers) {
    ASSERT_TRUE(begin());
    for (std::uint32_t i = 1; i <= clients; ++i) ASSERT_TRUE(add("c", {i}));
    for (std::uint32_t i = 11; i < 11 + servers; ++i) ASSERT_TRUE(add("s", {i}));
  }
  Result<NodeResults> add_test(const TestSpec& spec, const std::string& batch = "batch",
                               const std::string& from = "c", const std::string& to = "s") {
    return wait<NodeResults>([&](auto done) {
      console.add_test(kKey, {.batch = batch, .from = from, .to = to, .spec = spec}, done);
    });
  }
  Result<NodeResults> run(const std::string& batch = "batch") {
    return wait<NodeResults>([&](auto done) { console.run(kKey, batch, 0, done); });
  }
  Result<NodeResults> stop(bool force = false) {
    return wait<NodeResults>([&](auto done) { console.stop(kKey, "batch", force, done); });
  }
  Result<NodeResults> query(std::size_t test = 0, bool server = false) {
    return wait<NodeResults>([&](auto done) {
      console.query(kKey, {.batch = "batch", .test = test, .server = server},
                    std::chrono::seconds(5), done);
    });
  }
  NodeState state_of(const std::string& group, std::size_t index) {
    return console.group(kKey, group).value()->members.at(index)->state;
  }
  static std::uint32_t active_at(const NodeResults& results, std::size_t index) {
    return results.at(index).as<wire::LstBatchReply>()->active;
  }
  /// Returns the requests of this type that a node has received.
  template <class Body>
  std::vector<Body> heard(std::uint32_t last) {
    std::vector<Body> all;
    for (const wire::LstMessage& message : nodes.node(last).heard)
      if (const auto* body = std::get_if<Body>(&message.body)) all.push_back(*body);
    return all;
  }

  FakeNodes nodes;
  Console console{nodes};
};

}  // namespace ulnet::svc::selftest::console::test
