#include "conf/diff.h"

#include <gtest/gtest.h>

namespace ulnet::conf {
namespace {

std::vector<LocalInterface> machine() {
  return {{.name = "eth0", .addresses = {Nid::parse("10.0.0.1@tcp").value()}},
          {.name = "eth1", .addresses = {Nid::parse("10.0.1.1@tcp").value()}}};
}

Result<Config> config(std::string_view yaml) {
  const auto document = read_yaml(yaml);
  if (!document) return tl::unexpected(document.error());
  return to_config(*document, machine());
}

std::string ni(const std::string& net, const std::string& interface, const std::string& more = {}) {
  return "  - net type: " + net + "\n    local NI(s):\n      - interfaces: {0: " + interface +
         "}\n" + more;
}

TEST(ToConfig, JoinsNetsAndResolvesRules) {
  const auto joined = config("net:\n" + ni("tcp", "eth0") + ni("tcp1", "eth0") + ni("tcp", "eth1") +
                             "ip2nets:\n  - net-spec: tcp2\n    ip-range: {0: 10.0.1.*}\nglobal:\n "
                             " retry_count: 3\nparam:\n  nagle: yes\n");
  ASSERT_TRUE(joined.has_value()) << joined.error().reason;
  ASSERT_EQ(joined->nets.size(), 3U);
  EXPECT_EQ(joined->nets[0].nis.size(), 2U);
  EXPECT_EQ(joined->nets[2].nis[0].interface, "eth1");
  EXPECT_EQ(joined->globals.at("retry_count"), 3);
  EXPECT_EQ(joined->params.at("nagle"), "1");
  EXPECT_EQ(config("net:\n  - net type: tcp\n")->nets[0].nis[0].interface, "eth0")
      << "the first usable interface";
  EXPECT_TRUE(
      config("net:\n  - net type: lo\n    local NI(s):\n      - nid: 0@lo\n")->nets.empty());
}

TEST(ToConfig, TheFirstProblemIsTheError) {
  EXPECT_EQ(config("net:\n" + ni("tcp", "eth0") + "global:\n  bogus: 1\n").error().reason,
            "line 6: invalid key 'bogus'");
  EXPECT_FALSE(config("global:\n  response_tracking: 10\n").has_value());
  EXPECT_FALSE(config("param:\n  accept: everybody\n").has_value());
  EXPECT_FALSE(config("net:\n" + ni("tcp", "eth0") + ni("tcp", "eth0")).has_value());
  EXPECT_EQ(config("route:\n  - net: tcp1\n    gateway: 10.0.0.9@tcp\n").error().code, -ENOSYS);
  EXPECT_EQ(config("ip2nets:\n  - net-spec: tcp\n    ip-range: {0: 1.1.1.1}\n").error().reason,
            "line 2: No ip2nets rules applied");
}

TEST(Difference, NothingToDo) {
  const Config same = config("net:\n" + ni("tcp", "eth0")).value();
  EXPECT_TRUE(difference(same, same).empty());
  EXPECT_TRUE(difference({}, {}).empty());
}

TEST(Difference, AddDelSetAndRestart) {
  const Config from = config("net:\n" + ni("tcp", "eth0") + ni("tcp1", "eth0") +
                             ni("tcp2", "eth0") + ni("tcp3", "eth0"))
                          .value();
  const Config to =
      config("net:\n" + ni("tcp", "eth0") +
             ni("tcp1", "eth0", "        lnd tunables: {conns_per_peer: 4}\n") +
             ni("tcp2", "eth0", "        tunables: {credits: 64}\n") + ni("tcp", "eth1"))
          .value();
  const Difference d = difference(from, to);
  ASSERT_EQ(d.set.size(), 1U);
  EXPECT_EQ(d.set[0].net.num, 1);
  ASSERT_EQ(d.del.size(), 2U);
  EXPECT_EQ(d.del[0].net.num, 3);
  EXPECT_EQ(d.del[1].net.num, 2) << "other tunables need a restart of the NI";
  ASSERT_EQ(d.add.size(), 2U);
  EXPECT_EQ(d.add[0].ni.interface, "eth1");
  EXPECT_EQ(d.add[1].net.num, 2);
}

TEST(Difference, SettingsNoLongerNamedReturnToTheirDefaults) {
  const Config from =
      config("global:\n  retry_count: 5\n  discovery: 0\nparam:\n  nagle: 1\n  accept_timeout: 5\n")
          .value();
  const Config to =
      config("global:\n  discovery: 0\n  numa_range: 9\nparam:\n  wait: spin\n").value();
  const Difference d = difference(from, to);
  EXPECT_EQ(d.globals,
            (std::map<std::string, std::int64_t>{{"numa_range", 9}, {"retry_count", 2}}));
  EXPECT_EQ(d.params, (std::map<std::string, std::string>{{"nagle", "0"}, {"wait", "spin"}}));
}

}  // namespace
}  // namespace ulnet::conf
