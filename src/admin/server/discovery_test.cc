#include "admin/server/endpoints_fixture.h"

namespace ulnet::node::control {
namespace {

struct DiscoveryEndpoints : Endpoints {
  Reply ask(std::vector<std::pair<std::string, std::string>> query) {
    query_ = std::move(query);
    return Endpoints::ask("GET", "/v1/discovery", {}, Access::kRead);
  }
};

TEST_F(DiscoveryEndpoints, ShowsTheStepsThatCameAfterANumber) {
  // given: two steps that the node has taken
  const Nid peer = *Nid::parse("10.0.0.2@tcp");
  const auto step = [&](const char* text, std::uint64_t detail) {
    node().happened->add({.type = NodeEvent::Type::kDiscovery,
                          .of_discovery = true,
                          .nid = peer,
                          .detail = detail,
                          .text = text});
  };
  step("ping sent", 0);
  step("advertised NIDs", 2);
  // then: a request gets both steps, and a request that names the first step gets the second
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
