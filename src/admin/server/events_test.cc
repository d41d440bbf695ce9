#include "admin/server/endpoints_fixture.h"
#include "admin/server/limits.h"

namespace ulnet::node::control {
namespace {

struct EventsEndpoints : Endpoints {
  Reply ask(std::vector<std::pair<std::string, std::string>> query, Access access = Access::kRead) {
    query_ = std::move(query);
    return Endpoints::ask("GET", "/v1/events", {}, access);
  }
  void add(NodeEvent::Type type, const char* text) {
    node().happened->add({.type = type, .nid = nid_of("10.0.0.2@tcp"), .text = text});
  }
  /// Returns the texts of a list.
  static std::vector<std::string> texts(const Reply& reply) {
    std::vector<std::string> all;
    const Json list = tree(reply);
    for (const Json& event : list["events"]) all.push_back(event["text"]);
    return all;
  }
};

TEST_F(EventsEndpoints, ListsWhatTheNodeRemembers) {
  add(NodeEvent::Type::kNi, "is down");
  add(NodeEvent::Type::kRoute, "cannot be used");
  const Reply all = ask({{"wait", "0"}});
  EXPECT_EQ(texts(all), (std::vector<std::string>{"is down", "cannot be used"}));
  EXPECT_EQ(tree(all)["lost"], 0);
  EXPECT_EQ(tree(all)["restarted"], false);
  EXPECT_EQ(tree(all)["events"][0]["nid"], "10.0.0.2@tcp");
  // and: a request can select events
  EXPECT_EQ(texts(ask({{"wait", "0"}, {"types", "ni,peer"}})), std::vector<std::string>{"is down"});
  EXPECT_EQ(texts(ask({{"wait", "0"}, {"after", "1"}})),
            std::vector<std::string>{"cannot be used"});
  node().happened->add({.level = 0, .text = "ping sent"});
  EXPECT_EQ(texts(ask({{"wait", "0"}, {"level", "info"}})).size(), 2U);
  EXPECT_EQ(texts(ask({{"wait", "0"}, {"level", "debug"}})).size(), 3U);
  const std::string last = tree(ask({{"wait", "0"}}))["last"];
  EXPECT_TRUE(texts(ask({{"wait", "0"}, {"after", last}})).empty());
}

TEST_F(EventsEndpoints, KnowsAnIdOfANodeBeforeThisOne) {
  add(NodeEvent::Type::kNi, "is down");
  // Another incarnation of the node; more events than this one had.
  for (const char* before : {"17-1", "7"}) {
    const Reply reply = ask({{"wait", "0"}, {"after", before}});
    EXPECT_EQ(tree(reply)["restarted"], true) << before;
    EXPECT_EQ(texts(reply).size(), 1U);
  }
}

TEST_F(EventsEndpoints, AListOfManyIsWhole) {
  for (std::size_t i = 0; i < NodeEvents::kRemembered + 7; ++i)
    node().happened->add({.of_discovery = true, .text = "x"});
  const Reply reply = ask({{"wait", "0"}});
  EXPECT_EQ(texts(reply).size(), NodeEvents::kRemembered);
  EXPECT_EQ(tree(reply)["lost"], 7);
}

TEST_F(EventsEndpoints, RefusesWhatItDoesNotUnderstand) {
  expect_error(ask({{"types", "nis"}}), 400, -EINVAL, "'nis' is not a type of event");
  expect_error(ask({{"level", "warn"}}), 400, -EINVAL,
               "'warn' is not a level (debug, info, warning or error)");
  expect_error(ask({{"wait", "2"}}), 400, -EINVAL, "'wait' must be 0 or 1");
  for (const char* wrong : {"x", "-1", "1x", "1-", "-", "1-2-3", ""})
    expect_error(ask({{"after", wrong}}), 400, -EINVAL, "'after' must be");
  expect_error(ask({{"since", "1"}}), 400, -EINVAL, "unknown query key 'since'");
  expect_error(ask({}, Access::kMetrics), 403, -EPERM, "not you");
}

TEST_F(EventsEndpoints, StreamsAreHandedOverUpToTheLimit) {
  std::vector<Reply> streams;
  for (std::size_t i = 0; i < limits::kEventStreams; ++i) {
    streams.push_back(ask({}));
    EXPECT_EQ(streams.back().status, 200);
    EXPECT_TRUE(streams.back().hand_over);
    EXPECT_STREQ(streams.back().content_type, "text/event-stream");
  }
  const Reply refused = ask({});
  expect_error(refused, 503, -EBUSY, "too many event streams");
  EXPECT_EQ(refused.headers, (http::Headers{{"Retry-After", "10"}}));
  EXPECT_EQ(counters_.streams_refused, 1U);
  // A list is not a stream.
  EXPECT_EQ(ask({{"wait", "0"}}).status, 200);
  streams.pop_back();
  EXPECT_EQ(ask({{"wait", "1"}}).status, 200);
}

TEST_F(EventsEndpoints, AChangeThatIsAskedForIsAnEvent) {
  query_ = {};
  Endpoints::ask("DELETE", "/v1/stats");
  const Reply reply = ask({{"wait", "0"}, {"types", "config"}});
  EXPECT_EQ(texts(reply),
            std::vector<std::string>{"stats reset: done, asked by ulnetctl (pid 7, uid 0)"});
}

TEST_F(EventsEndpoints, IsNotThereWithoutANode) {
  ASSERT_TRUE(slot_.slot.unconfigure({}));
  expect_error(ask({{"wait", "0"}}), 503, -ENETDOWN, "");
}

}  // namespace
}  // namespace ulnet::node::control
