// ulnetctl events: past events of the node, and new ones as they happen. Source:
// docs/CONTROL-API.md, GET /v1/events.
#include <sstream>

#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

using EventCommands = Workbench;

const Tree kEventDown = {
    {"number", 3},           {"unix_ns", 1795705301123456789}, {"type", "ni"}, {"level", "warning"},
    {"nid", "10.0.0.1@tcp"}, {"text", "is down: \"x\""},       {"count", 2}};
constexpr const char* kLineDown =
    "    - { number: 3, time: 2026-11-26T15:01:41.123Z, type: ni, level: warning, "
    "nid: 10.0.0.1@tcp, what: \"is down: \\\"x\\\"\", count: 2 }\n";

TEST_F(EventCommands, PastEventsAreYaml) {
  EXPECT_EQ(sh("ulnetctl events --types peer").out, "events:\n");
  EXPECT_EQ(Tree::parse(sh("ulnetctl events --types config --json").out),
            node.get("/v1/events?wait=0&types=config"));
  const Tree discovered = {{"number", 4},
                           {"unix_ns", 1795705301123456789},
                           {"type", "peer"},
                           {"level", "info"},
                           {"text", "discovered, NIDs 2"},
                           {"detail", 2},
                           {"nids", {"10.0.0.2@tcp", "10.0.1.2@tcp"}}};
  node.answer_as_recorded("GET /v1/events", {{"events", Tree::array({kEventDown, discovered})},
                                             {"lost", 2},
                                             {"restarted", false},
                                             {"last", "1-4"}});
  const Outcome shown = sh("ulnetctl events --types ni,peer --level info --after 1-2");
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_EQ(shown.out, std::string("events:\n    # 2 events are missing here\n") + kLineDown +
                           "    - { number: 4, time: 2026-11-26T15:01:41.123Z, type: peer, "
                           "what: \"discovered, NIDs 2\", "
                           "nids: [ 10.0.0.2@tcp, 10.0.1.2@tcp ] }\n");
  EXPECT_EQ(last_request(), "GET /v1/events?after=1-2&level=info&types=ni,peer&wait=0 ");
  const Tree read = tree_of_yaml(shown.out);
  EXPECT_EQ(read["events"][0]["what"], "is down: \"x\"");
  EXPECT_EQ(sh("ulnetctl events ni").code, 234);
}

TEST_F(EventCommands, NewEventsAreFollowed) {
  const auto add_event = [&] {
    node.running().events()->add({.type = node::NodeEvent::Type::kNi,
                                  .level = 2,
                                  .nid = Nid::parse("10.0.0.1@tcp").value(),
                                  .text = "is down: \"x\""});
    return node.get("/v1/events?wait=0&types=ni&level=warning")["events"].at(0);
  };
  const auto has_event = [](const std::string& out) { return out.find("is down") != out.npos; };
  // A stream that breaks off is an error. A stream that the node has ended is not an error.
  const std::string follow = "ulnetctl events --follow --types ni --level warning --after 1-7";
  const Tree event = add_event();
  auto following = sh_until(follow + " --json", has_event);
  EXPECT_EQ(last_request(), "GET /v1/events?after=1-7&level=warning&types=ni ");
  node.unconfigure();
  const Outcome as_json = following.get();
  EXPECT_EQ(as_json.code, 0) << as_json.err;
  std::vector<Tree> lines;
  std::istringstream text(as_json.out);
  for (std::string line; std::getline(text, line);) lines.push_back(Tree::parse(line));
  ASSERT_EQ(lines.size(), 3U) << as_json.out;
  EXPECT_EQ(lines[0]["lost"], nullptr) << "the gap";
  EXPECT_TRUE(lines[1]["id"].get<std::string>().ends_with("-" + event["number"].dump()));
  lines[1].erase("id");
  EXPECT_EQ(lines[1], event);
  EXPECT_EQ(lines[2], Tree({{"why", "the node has stopped"}})) << "the end";

  node.restart({});
  add_event();
  following = sh_until("ulnetctl events -f --after 1-7", has_event);
  node.unconfigure();
  const Outcome ended = following.get();
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(ended.out.ends_with("    # the node has stopped\n")) << ended.out;

  node.restart({});
  const std::string number = add_event()["number"].dump();
  following = sh_until(follow, has_event);
  node.close();
  const Outcome broken = following.get();
  EXPECT_EQ(broken.code, 234);
  EXPECT_TRUE(
      broken.out.starts_with("events:\n"
                             "    # the node was restarted: earlier events are lost\n"
                             "    - { number: " +
                             number + ", time: 2"))
      << broken.out;
  EXPECT_TRUE(
      broken.out.ends_with("Z, type: ni, level: warning, nid: 10.0.0.1@tcp, "
                           "what: \"is down: \\\"x\\\"\" }\n"))
      << broken.out;
  EXPECT_NE(broken.err.find("the node has closed the stream of events"), std::string::npos)
      << broken.err;
  EXPECT_EQ(sh("ulnetctl --control ./nobody.sock events -f").code, 234);
}

}  // namespace
}  // namespace ulnet::ctl::test
