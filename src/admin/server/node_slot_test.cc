#include "admin/server/node_slot.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "admin/server/fake_node_fixture.h"

namespace ulnet::node::control {
namespace {

/// A node with a gateway: configure() waits until the test reports the gateway checked.
class UncheckedNode : public FakeNode {
 public:
  UncheckedNode() { routing_shown.wanted.check_before_use = true; }
  std::atomic<bool> checked = false;
  core::call::ShowRoutes routes() override {
    core::call::ShowRoutes shown;
    shown.routes.resize(1);
    if (!checked) shown.routes[0].trouble = core::RouteTrouble::kUntried;
    return shown;
  }
};

struct SlotWithRoutes : testing::Test {
  NodeSlot slot{[](const ConfigureOptions&) -> Result<std::unique_ptr<Node>> {
                  return std::make_unique<UncheckedNode>();
                },
                start_fake_service};
  /// Starts a node that waits for its gateway, and returns it. `answer` gets the result of
  /// configure().
  std::shared_ptr<UncheckedNode> waiting(std::future<Result<void>>& answer) {
    answer = std::async(std::launch::async, [this] { return slot.configure({}); });
    std::shared_ptr<Node> node;
    for (; node == nullptr; node = slot.node()) std::this_thread::yield();
    return std::dynamic_pointer_cast<UncheckedNode>(node);
  }
};

TEST_F(SlotWithRoutes, ConfiguringEndsWhenTheFirstChecksAreOver) {
  std::future<Result<void>> answer;
  const auto node = waiting(answer);
  EXPECT_EQ(answer.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  EXPECT_TRUE(slot.configure({})) << "there is a node already";
  node->checked = true;
  EXPECT_TRUE(answer.get());
}

TEST_F(SlotWithRoutes, RemovingTheNodeDoesNotWaitForGateways) {
  std::future<Result<void>> answer;
  const auto node = waiting(answer);
  EXPECT_TRUE(slot.unconfigure({}));
  EXPECT_TRUE(answer.get());
  EXPECT_EQ(node->stops, 1);
}

TEST_F(SlotWithRoutes, ADaemonThatEndsDoesNotWaitForGateways) {
  std::future<Result<void>> answer;
  const auto node = waiting(answer);
  slot.drain();
  slot.stop({});
  EXPECT_EQ(node->stops, 1);
  EXPECT_EQ(answer.get().error().code, -ESHUTDOWN);
}

}  // namespace
}  // namespace ulnet::node::control
