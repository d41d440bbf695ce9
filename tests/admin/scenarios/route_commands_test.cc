// route add, del, show; routing show; set routing and buffers; import and export of them: texts and
// exit codes as recorded, and the requests to the node. Source: spec/cli-lnetctl.md 3.6, 3.7, 4.3,
// 4.4, 5.2, 6.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <set>

#include "admin/client/lnetconfig.h"
#include "workbench.h"

namespace ulnet::ctl::test {
namespace {

/// 10.99.0.4@tcp and 10.99.0.6@tcp are routers; nobody has 10.99.0.5@tcp.
class RouteCommands : public Workbench {
 protected:
  void SetUp() override {
    ASSERT_EQ(sh("ulnetctl net add --net tcp --if eth0").code, 0);
    for (const char* router : {"10.99.0.4@tcp", "10.99.0.6@tcp"})
      network.host({router}, {{"forwarding", "enabled"}});
  }
  static std::string framed(const char* op, int code, const std::string& descr) {
    return std::string("---\n") + op + ":\n-     route:\n      errno: " + std::to_string(code) +
           "\n      descr: ! \"" + descr + "\"\n...\n";
  }
  /// The tree of an export. A node puts each route at a random place; here they are in order.
  static Tree in_order(const std::string& yaml) {
    Tree tree = tree_of_yaml(yaml);
    std::set<std::string> routes;
    for (const Tree& route : tree["route"]) routes.insert(route.dump());
    tree["route"] = routes;
    return tree;
  }
};

TEST_F(RouteCommands, AddSendsOneRequestForAListOfGateways) {  // spec/cli-lnetctl.md 3.6
  EXPECT_EQ(
      sh("lnetctl route add --net tcp7 --gateway 10.99.0.[4-6]@tcp --hop 3 --priority 7").code, 0);
  EXPECT_EQ(last_request(),
            R"(POST /v1/route {"net":"tcp7","gateway":"10.99.0.[4-6]@tcp","hop":3,"priority":7})");
  EXPECT_EQ(sh("lnetctl route add -n tcp14 -g 10.99.0.4@tcp,10.99.0.5@tcp -c -1 -p -1").code, 0);
  EXPECT_EQ(last_request(),
            R"(POST /v1/route {"net":"tcp14","gateway":"10.99.0.4@tcp,10.99.0.5@tcp"})");
  EXPECT_EQ(node.routes().size(), 5U);
}

// route_add_show.txt
TEST_F(RouteCommands, ErrorsAreAsRecorded) {  // spec/cli-lnetctl.md 3.6
  const auto add = [&](const std::string& args) { return sh_merged("lnetctl route add " + args); };
  ASSERT_EQ(add("--net tcp1 --gateway 10.99.0.4@tcp").code, 0);
  for (const auto& [args, code, descr] :
       {std::tuple("--net tcp1 --gateway 10.99.0.4@tcp --priority 5", -17,
                   "Route already exists or the specified network is local"),
        {"--net tcp8 --gateway 10.99.0.5@tcp --hop 0", -22,
         "invalid hop count must be between 1 and 255"},
        {"--net tcp --gateway 10.99.0.4@tcp", -22, "invalid settings for route creation"},
        {"--net lo --gateway 10.99.0.4@tcp", -13, "setting @lo not allowed"},
        {"--net foo --gateway 10.99.0.4@tcp", -6, "setting LNET_NET_ANY not allowed"},
        {"--net tcp13 --gateway 10.99.0.4", -22,
         "\\\"Unable to parse nidlist: no valid NIDs in string\\\""},
        {"--net tcp13 --gateway 10.99.5.4@tcp8", -113,
         "No interface configured on the same net as gateway"}}) {
    const Outcome outcome = add(args);
    const auto hint = outcome.out.find("# ");  // ulnet's addition
    EXPECT_EQ(outcome.out.substr(0, hint), framed("add", code, descr)) << args;
    EXPECT_EQ(outcome.code, 234) << args;
  }
  EXPECT_THAT(add("--net tcp13 --gateway 10.99.0.4").out,
              testing::HasSubstr("# '10.99.0.4' has no net: write '10.99.0.4@tcp' for net tcp\n"));
  EXPECT_EQ(add("--net tcp9 --gateway 10.99.0.5@tcp --priority abc").code, 234);
  EXPECT_EQ(add("--net tcp9 --gateway '10.99.0.5@tcp,,'").code, 234);
  for (const char* verb : {"add", "del"}) {
    const std::string route = std::string("lnetctl route ") + verb;
    for (const auto& [args, names] : {std::pair("", "net , gateway"),
                                      {" --net tcp14", "gateway"},
                                      {" --gateway 10.99.0.4@tcp", "net"}}) {
      const Outcome outcome = sh(route + args);
      EXPECT_EQ(outcome.out, std::string("missing mandatory parameters:'") + names + "'\n");
      EXPECT_EQ(outcome.code, 234);
    }
  }
  EXPECT_EQ(sh_merged("lnetctl route del --net tcp13 --gateway 10.99.0.4@tcp").out,
            framed("del", -2, "failed to delete route"));
  EXPECT_EQ(sh("lnetctl route add --foo").code, 0) << "its help";
}

TEST_F(RouteCommands, ShowAsRecordedAndWhyARouteIsDown) {  // spec/cli-lnetctl.md 3.6, 4.3
  sh("lnetctl route add --net tcp1 --gateway 10.99.0.4@tcp; "
     "lnetctl route add --net tcp7 --gateway 10.99.0.[4-5]@tcp --hop 3 --priority 7");
  node.wait_for_silent("10.99.0.5@tcp");
  EXPECT_EQ(sh("lnetctl route show --net tcp1").out,
            "route:\n-     net: tcp1\n      gateway: 10.99.0.4@tcp\n");
  const std::string one =
      "route:\n-     net: tcp7\n      gateway: 10.99.0.5@tcp\n      hop: 3\n      priority: 7\n"
      "      state: down\n      type: multi-hop\n";
  for (const char* level : {"-v", "-v 4", "--verbose 2"})
    EXPECT_EQ(sh(std::string("lnetctl route show --gateway 10.99.0.5@tcp ") + level).out, one);
  EXPECT_EQ(sh("ulnetctl route show -v --gateway 10.99.0.[5-9]@tcp").out,
            one + "      why: the gateway does not answer\n");
  EXPECT_EQ(Tree::parse(sh("ulnetctl route show --gateway 10.99.0.4@tcp,10.99.0.5@tcp "
                           "--hop 200 --priority 9 --json")
                            .out)["route"]
                .size(),
            3U)
      << "hop and priority are ignored";
  EXPECT_EQ(sh("lnetctl route show --net tcp9").out, "");
  EXPECT_EQ(sh("lnetctl route del --net tcp7 --gateway 10.99.0.[4-5]@tcp").code, 0);
  EXPECT_EQ(node.routes().size(), 1U);
}

// spec/cli-lnetctl.md 3.7, 4.4; routing_router_setup.txt
TEST_F(RouteCommands, RoutingAsRecorded) {
  EXPECT_EQ(sh("lnetctl routing show").out, "");
  EXPECT_EQ(sh("lnetctl set tiny_buffers 128; lnetctl set small_buffers 256; "
               "lnetctl set large_buffers 32; lnetctl set tiny_buffers -1; lnetctl set routing 1")
                .code,
            0);
  EXPECT_EQ(sh("lnetctl routing show").out,
            "routing:\n    - cpt[0]:\n"
            "          tiny:\n              npages: 0\n              nbuffers: 128\n"
            "              credits: 128\n              mincredits: 128\n"
            "          small:\n              npages: 1\n              nbuffers: 256\n"
            "              credits: 256\n              mincredits: 256\n"
            "          large:\n              npages: 256\n              nbuffers: 32\n"
            "              credits: 32\n              mincredits: 32\n"
            "    - enable: 3\nbuffers:\n    tiny: 128\n    small: 256\n    large: 32\n")
      << "it is starting, as recorded";
  const Outcome two = sh_merged("lnetctl set routing 2");
  EXPECT_EQ(two.out,
            "parser:\n    - set:\n          errno: -1\n"
            "          descr: cannot parse routing value.\n"
            "                 must be 0 for disable or 1 for enable\n");
  EXPECT_EQ(two.code, 255);
  EXPECT_NE(sh("lnetctl set tiny_buffers -5").code, 0);
}

/// A message from tcp to tcp1, which this router cannot pass on, is in a buffer.
TEST_F(RouteCommands, RoutingThatIsBeingTurnedOffStaysOff) {  // spec/cli-lnetctl.md 3.7
  node.restart({{"forwarding", "enabled"}});
  sh("lnetctl net add --net tcp --if eth0; lnetctl net add --net tcp1 --if eth1");
  network.stall("10.99.1.9@tcp1");
  node::Node& sender = network.host({"10.99.0.8@tcp"});
  const core::Route route{NetId::parse("tcp1").value(), Nid::parse("10.99.0.3@tcp").value()};
  ASSERT_TRUE(sender.change(conf::change::AddRoutes{{{route}}}));
  auto sent = std::async(std::launch::async, [&] {
    PingRequest request{.target = {Nid::parse("10.99.1.9@tcp1").value(), Pid::lustre()}};
    request.timeout = std::chrono::seconds(30);
    return sender.ping(request);
  });
  const auto tiny = [&] { return node.get("/v1/routing")["routing"][0]["cpt[0]"]["tiny"]; };
  while (tiny()["credits"] == tiny()["nbuffers"] &&
         sent.wait_for(std::chrono::milliseconds(1)) == std::future_status::timeout) {
  }
  EXPECT_EQ(sh("lnetctl set routing 0").code, 0);
  const Outcome busy = sh_merged("lnetctl set routing 1");
  EXPECT_EQ(busy.out,
            "add:\n    - routing:\n          errno: -16\n"
            "          descr: \"cannot enable routing Device or resource busy\"\n");
  EXPECT_EQ(busy.code, 240);
  sender.stop(std::chrono::seconds(0));
  EXPECT_FALSE(sent.get());
}

TEST_F(RouteCommands, CreditsBelow0AreUnsignedInLnetctl) {  // spec/cli-lnetctl.md 4.4
  node.answer_as_recorded("GET /v1/routing", Tree::parse(R"({"routing": [{"cpt[0]": {"large":
      {"npages": 256, "nbuffers": 2, "credits": 2, "mincredits": -1}}}, {"enable": 1}],
      "buffers": {"large": 2}})"));
  EXPECT_NE(sh("lnetctl routing show").out.find("mincredits: 4294967295\n"), std::string::npos);
  EXPECT_NE(sh("ulnetctl routing show").out.find("mincredits: -1\n"), std::string::npos);
}

TEST_F(RouteCommands, ImportTakesWhatExportPrints) {  // spec/cli-lnetctl.md 4.3, 5.2, 6
  sh("lnetctl route add --net tcp1 --gateway 10.99.0.[4-6]@tcp; "
     "lnetctl route add --net tcp7 --gateway 10.99.0.4@tcp --hop 3 --priority 7; "
     "lnetctl set small_buffers 64; "
     "ulnetctl param set router_ping_timeout=0 alive_router_check_interval=0; "
     "lnetctl set routing 1");
  node.wait_for_routing();
  const std::string backup = sh("ulnetctl export --backup").out;
  EXPECT_NE(backup.find("-     net: tcp1\n      gateway: 10.99.0.4@tcp\n      hop: -1\n"
                        "      priority: 0\n"),
            std::string::npos)
      << backup;
  EXPECT_NE(backup.find("routing:\n    enable: 1\nbuffers:\n    tiny: 2048\n    small: 64\n"),
            std::string::npos)
      << backup;
  const std::string whole = sh("ulnetctl export").out;
  for (const std::string& text : {backup, whole}) {
    node.restart({});
    const int before = node.batches();
    const Outcome outcome = sh("ulnetctl import", text);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(node.batches(), before + 1);
    EXPECT_EQ(in_order(sh("ulnetctl export --backup").out), in_order(backup));
  }
  EXPECT_EQ(sh("ulnetctl import --del", backup).code, 0);
  EXPECT_TRUE(node.routes().empty());
  EXPECT_EQ(node.routing("enable"), 0);
  EXPECT_EQ(node.routing("small"), 0) << "the default again";
}

TEST_F(RouteCommands, ABackupWithoutRoutingHasOnlyDifferences) {  // spec/cli-lnetctl.md 4.3
  const auto routing = [&] {
    const std::string text = sh("ulnetctl export --backup").out;
    const auto from = std::min(text.find("routing:"), text.find("buffers:"));
    return from == text.npos ? "" : text.substr(from, text.find("global:") - from);
  };
  EXPECT_EQ(routing(), "");
  sh("lnetctl set large_buffers 3; lnetctl set routing 1; lnetctl set routing 0");
  EXPECT_EQ(routing(), "buffers:\n    tiny: 0\n    small: 0\n    large: 3\n");
}

TEST_F(RouteCommands, ImportSaysWhatIsWrong) {  // spec/cli-lnetctl.md 5.2; route_yaml.txt
  const auto said = [&](const std::string& yaml) { return sh("ulnetctl import", yaml).err; };
  for (const auto& [item, code] : {std::pair("{net: tcp7}", -19),
                                   {"{gateway: 10.99.0.4@tcp}", -19},
                                   {"{net: tcp, gateway: 10.99.0.4@tcp}", -22},
                                   {"{net: tcp7, gateway: 10.99.9.4@tcp9}", -113},
                                   {"{net: tcp7, gateway: 10.99.0.4@tcp, hop: 999}", -22},
                                   {"{net: tcp7, gateway: bogus}", -19}}) {
    const std::string text = said(std::string("route:\n    - ") + item + "\n");
    EXPECT_NE(text.find("import:\n      errno: " + std::to_string(code) + "\n"), std::string::npos)
        << item << "\n"
        << text;
  }
  EXPECT_EQ(sh("ulnetctl import", "routing:\n    - enable: 5\n").code, 0) << "another number";
  EXPECT_EQ(sh("ulnetctl import", "routing:\n    - enable: x\n").code, 234);
  EXPECT_EQ(sh("ulnetctl import --show", "route: [{net: tcp1, gateway: 10.99.0.4@tcp}]\n").code,
            234)
      << "the route does not exist";
  sh("lnetctl route add --net tcp1 --gateway 10.99.0.[4-6]@tcp");
  EXPECT_NE(sh("ulnetctl import --show", "route: [{net: tcp1, gateway: 10.99.0.5@tcp}]\n")
                .out.find("gateway: 10.99.0.5@tcp\n"),
            std::string::npos);
}

TEST_F(RouteCommands, TenThousandRoutesAreOneRequest) {
  std::string yaml = "route:\n";
  for (int net = 1; net <= 20; ++net)
    yaml += "    - net: tcp" + std::to_string(net) + "\n      gateway: 10.99.[1-5].[1-100]@tcp\n";
  EXPECT_EQ(sh("ulnetctl import", yaml).code, 0);
  EXPECT_EQ(node.routes().size(), 10'000U);
}

}  // namespace
}  // namespace ulnet::ctl::test
