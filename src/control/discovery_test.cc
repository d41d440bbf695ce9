#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "control/counters.h"
#include "control/endpoints.h"
#include "control/fake_node.h"
#include "control/reply.h"

namespace ulnet::node::control {
namespace {

TEST(DiscoveryDoor, ShowsTheStepsThatCameAfterANumber) {
  FakeSlot slot;
  DoorCounters counters;
  Context context{.slot = slot.slot, .counters = counters, .name = "n1", .version = "0.1.0"};
  const auto ask = [&](std::vector<std::pair<std::string, std::string>> query) {
    Request request{.method = "GET", .path = "/v1/discovery", .query = std::move(query)};
    request.caller = {.access = Access::kRead};
    return answer(context, request);
  };
  // given: two steps that the node has taken
  const Nid peer = *Nid::parse("10.0.0.2@tcp");
  slot.fake->trace.add(peer, "ping sent", 0);
  slot.fake->trace.add(peer, "told NIDs", 2);
  // then: who asks gets both, who has the first one gets the second
  const Json all = Json::parse(ask({}).body)["discovery"];
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["step"], "ping sent");
  EXPECT_FALSE(all[0].contains("detail"));
  const Json later = Json::parse(ask({{"after", "1"}}).body)["discovery"];
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0]["number"], 2);
  EXPECT_EQ(later[0]["primary nid"], "10.0.0.2@tcp");
  EXPECT_EQ(later[0]["detail"], 2);
  for (const char* wrong : {"x", "-1", "1x", ""}) EXPECT_EQ(ask({{"after", wrong}}).status, 400);
}

}  // namespace
}  // namespace ulnet::node::control
