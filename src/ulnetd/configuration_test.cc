#include "ulnetd/configuration.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// The problems as they are printed.
std::vector<std::string> texts_of(const conf::Problems& problems) {
  std::vector<std::string> texts;
  for (const conf::Problem& problem : problems) texts.push_back(to_string(problem));
  return texts;
}

class ReadConfiguration : public testing::Test {
 protected:
  std::optional<std::string> file(const std::string& text) {
    std::ofstream(file_) << text;
    return file_;
  }
  /// The mistakes, without the file's name in front.
  std::vector<std::string> mistakes(const std::string& text) {
    const auto read = read_configuration(file(text), {});
    if (read) return {"none"};
    std::vector<std::string> list;
    for (const std::string& mistake : texts_of(read.error())) {
      EXPECT_THAT(mistake, StartsWith(file_ + ":"));
      list.push_back(mistake.substr(file_.size() + 1));
    }
    return list;
  }

  const TempFolder temp_;
  const std::string folder_ = temp_.path(), file_ = folder_ + "/a.yaml";
};

TEST_F(ReadConfiguration, FileAndCommandLineAreJoined) {
  DaemonOptions options;
  options.interfaces = {"127.0.0.12"};
  options.net = "tcp1";
  options.params = {{"accept", "trust"}};
  const auto read = read_configuration(file("net:\n    - net type: tcp\n      local NI(s):\n       "
                                            " - interfaces:\n              0: 127.0.0.11\n"
                                            "global:\n    retry_count: 3\n"
                                            "param:\n    accept: all\n    accept_timeout: 9\n"),
                                       options);
  ASSERT_TRUE(read) << conf::lines_of(read.error());
  ASSERT_EQ(read->config.nets.size(), 2U);
  EXPECT_EQ(read->config.nets[0].nis.at(0).interface, "127.0.0.11");
  EXPECT_EQ(read->config.nets[1].net.to_string(), "tcp1");
  EXPECT_EQ(read->config.globals.at("retry_count"), 3);
  EXPECT_EQ(read->config.params.at("accept"), "trust");  // the command line wins
  EXPECT_EQ(read->config.params.at("accept_timeout"), "9");
  EXPECT_EQ(summary(read->config), "2 nets with 2 interfaces, 1 global setting, 2 parameters");
}

TEST_F(ReadConfiguration, PeersMayBeConfigured) {
  const auto read = read_configuration(file("peer:\n  - primary nid: 10.0.0.2@tcp\n"), {});
  ASSERT_TRUE(read) << conf::lines_of(read.error());
  EXPECT_EQ(summary(read->config),
            "0 nets with 0 interfaces, 0 global settings, 0 parameters, 1 peer");
  const auto bad = read_configuration(file("peer:\n  - primary nid: 10.0.0.*@tcp\n"), {});
  ASSERT_FALSE(bad);
  EXPECT_THAT(texts_of(bad.error()), ElementsAre(HasSubstr(":2:5: ")));
}

TEST_F(ReadConfiguration, NetworksOfTheParametersCount) {
  DaemonOptions options;
  options.params = {{"networks", "tcp(127.0.0.11),tcp1(127.0.0.12)"}};
  const auto read = read_configuration({}, options);
  ASSERT_TRUE(read) << conf::lines_of(read.error());
  EXPECT_EQ(read->config.nets.size(), 2U);
}

// spec/cli-lnetctl.md 11.3
TEST_F(ReadConfiguration, ModuleParametersRankBetweenFileAndCommandLine) {
  const auto modprobe = [&](const char* name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  };
  DaemonOptions options;
  options.modparams = {
      modprobe("a.conf", "options lnet networks=tcp(127.0.0.11) accept=none lnet_retry_count=1\n"),
      modprobe("b.conf", "options ksocklnd nagle=1\noptions lnet lnet_retry_count=4\n")};
  options.params = {{"accept", "trust"}};
  const std::string yaml = "param:\n    accept: all\n    nagle: 0\n    accept_timeout: 9\n";
  const auto read = read_configuration(file(yaml), options);
  ASSERT_TRUE(read) << conf::lines_of(read.error());
  EXPECT_EQ(read->config.nets.size(), 1U);
  EXPECT_EQ(read->config.params.at("accept"), "trust");
  EXPECT_EQ(read->config.params.at("nagle"), "1");
  EXPECT_EQ(read->config.params.at("lnet_retry_count"), "4") << "the later of two files counts";
  EXPECT_EQ(read->config.params.at("accept_timeout"), "9");

  options.modparams = {modprobe("a.conf", "options lnet lnet_retry_count=x\n"), folder_ + "/none"};
  EXPECT_THAT(texts_of(read_configuration(file(yaml), options).error()),
              ElementsAre(folder_ + "/a.conf:1:31: lnet_retry_count: 'x' is not a number",
                          folder_ + "/none: cannot open: No such file or directory"));
  // Case 02 of the field: production loads its modules in spite of the unknown parameter. Without
  // any net LNet uses its default net (case 04), which a machine without an interface does not
  // have.
  options.modparams = {modprobe("a.conf", "options lnet nosuch=1 config_on_load=1\n")};
  const auto odd = read_configuration(file(yaml), options);
  ASSERT_TRUE(odd) << conf::lines_of(odd.error());
  EXPECT_THAT(
      texts_of(odd->warnings),
      testing::Contains(folder_ + "/a.conf:1:14: parameter 'nosuch' is unknown and ignored"));
  if (odd->config.nets.empty())
    EXPECT_THAT(texts_of(odd->warnings), testing::Contains(HasSubstr("no usable interface")));
  else
    EXPECT_EQ(odd->config.nets[0].net.to_string(), "tcp");
  // The routes of a file stay as they are beside those of routes=.
  options.modparams = {modprobe("a.conf", "options lnet routes=\"tcp[1-2] 10.0.0.1@tcp\"\n")};
  const auto routed =
      read_configuration(file("route: [{net: tcp1, gateway: 10.0.0.1@tcp, hop: 3}]\n"), options);
  ASSERT_TRUE(routed) << conf::lines_of(routed.error());
  ASSERT_EQ(routed->config.routes.size(), 2U);
  EXPECT_EQ(routed->config.routes[0].hops, 3);
  EXPECT_FALSE(routed->config.routes[0].shared);
  EXPECT_TRUE(routed->config.routes[1].shared) << "the text may be the same on all nodes of a site";
}

TEST_F(ReadConfiguration, EveryMistakeIsReportedWithItsPlace) {
  EXPECT_THAT(mistakes("net: [\n"), ElementsAre(testing::ContainsRegex("^[0-9]+:[0-9]+: ")));
  EXPECT_THAT(mistakes("foo: 1\nglobal:\n    retry_count: x\n    discovery: 1\n    discovery: 2\n"),
              ElementsAre("1:1: invalid key 'foo'",
                          "5:5: key 'discovery' is given twice, first in line 4"));
  EXPECT_THAT(mistakes("foo: 1\nglobal:\n    retry_count: x\n    response_tracking: 9\n"),
              ElementsAre("1:1: invalid key 'foo'", "3:18: invalid value 'x' for key 'retry_count'",
                          "4:24: invalid value '9' for key 'response_tracking'"));
  EXPECT_THAT(mistakes("global:\n\tdiscovery: 1\n"),
              ElementsAre("2:1: a tab: YAML is indented by spaces only"));
  EXPECT_THAT(mistakes("param:\n    nosuch: 1\n"), ElementsAre(HasSubstr("nosuch")));
  EXPECT_THAT(mistakes("net:\n    - net type: o2ib\n      local NI(s):\n        - interfaces:\n"
                       "              0: ib0\n"),
              ElementsAre("2:7: nets whose type is not built in (only tcp is): o2ib (" + file_ +
                          ":2:7); --skip-unsupported leaves them out"));
  EXPECT_THAT(mistakes("net: \xff\xfe\n"), ElementsAre(HasSubstr("UTF-8")));
  EXPECT_THAT(mistakes("route:\n    - net: tcp1\n      gateway: nobody@tcp\n"),
              ElementsAre(HasSubstr("gateway")));
}

// A file of a production host, of which a node with only TCP takes what it can.
TEST_F(ReadConfiguration, NetsThatAreNotBuiltInAreLeftOutOnRequest) {
  const std::string text =
      "net:\n    - net type: o2ib\n      local NI(s):\n        - interfaces:\n"
      "              0: ib0\n    - net type: tcp\n      local NI(s):\n        - interfaces:\n"
      "              0: 127.0.0.11\n    - net type: efa\n      local NI(s):\n        - "
      "interfaces:\n"
      "              0: rdma0\n"
      "route:\n    - net: o2ib1\n      gateway: 10.0.0.1@o2ib\n"
      "    - net: o2ib2\n      gateway: 127.0.0.12@tcp\n";
  const auto refused = mistakes(text);
  ASSERT_EQ(refused.size(), 1U) << "one mistake names all nets";
  EXPECT_THAT(refused[0], HasSubstr("o2ib (" + file_ + ":2:7), efa (" + file_ + ":10:7)"));
  DaemonOptions options;
  options.settings.skip_unsupported = true;
  for (const bool in_file : {false, true}) {
    const auto read =
        in_file ? read_configuration(file(text + "daemon:\n    skip-unsupported: yes\n"), {})
                : read_configuration(file(text), options);
    ASSERT_TRUE(read) << conf::lines_of(read.error());
    ASSERT_EQ(read->config.nets.size(), 1U);
    EXPECT_EQ(read->config.nets[0].net.to_string(), "tcp");
    ASSERT_EQ(read->config.routes.size(), 1U);
    EXPECT_EQ(read->config.routes[0].net.to_string(), "o2ib2") << "by a router on tcp";
    EXPECT_THAT(texts_of(read->warnings),
                testing::Contains(HasSubstr("left out: nets whose type is not built in (o2ib, "
                                            "efa), 1 route through gateways on such nets")));
  }
}

TEST_F(ReadConfiguration, InterfacesOfNetsThatAreNotBuiltInAreNotAskedFor) {
  DaemonOptions options;
  options.settings.skip_unsupported = true;
  options.strict = true;
  const std::string rules =
      "net:\n    - net type: tcp\n      local NI(s):\n        - interfaces:\n"
      "              0: lo\nip2nets:\n    - net-spec: o2ib\n      interfaces:\n          0: ib0\n";
  const auto of_yaml = read_configuration(file(rules), options);
  ASSERT_TRUE(of_yaml) << conf::lines_of(of_yaml.error());
  EXPECT_EQ(of_yaml->config.nets.size(), 1U);
  EXPECT_THAT(texts_of(of_yaml->warnings),
              ElementsAre(file_ + ": left out: nets whose type is not built in (o2ib)"));

  std::ofstream(folder_ + "/m.conf") << "options lnet ip2nets=\"tcp(lo),o2ib(ib0) 127.0.0.*\"\n";
  options.modparams = {folder_ + "/m.conf"};
  const auto of_params = read_configuration(std::nullopt, options);
  ASSERT_TRUE(of_params) << conf::lines_of(of_params.error());
  EXPECT_EQ(of_params->config.nets.size(), 1U);
  options.settings.skip_unsupported.reset();
  EXPECT_THAT(
      texts_of(read_configuration(std::nullopt, options).error()),
      ElementsAre(HasSubstr("m.conf:1:23: nets whose type is not built in (only tcp is): o2ib")));
}

TEST_F(ReadConfiguration, ANetHasTheInterfacesThatItNames) {
  const auto flat = read_configuration(
      file("net:\n    - net type: tcp\n      interfaces:\n          0: 127.0.0.12\n"), {});
  ASSERT_TRUE(flat) << conf::lines_of(flat.error());
  ASSERT_EQ(flat->config.nets.at(0).nis.size(), 1U);
  EXPECT_EQ(flat->config.nets[0].nis[0].interface, "127.0.0.12");
  EXPECT_THAT(texts_of(flat->warnings), testing::IsEmpty());
  EXPECT_THAT(mistakes("net:\n    - net type: tcp\n      local NIs:\n        - interfaces:\n"
                       "              0: 127.0.0.12\n"),
              ElementsAre("3:7: invalid key 'local NIs': did you mean 'local NI(s)'?"));
  EXPECT_THAT(mistakes("net:\n    - net type: tcp\n"),
              ElementsAre("2:7: net 'tcp': creating a local NI needs at least one interface"));
}

TEST_F(ReadConfiguration, StrictTurnsWarningsIntoErrors) {
  const std::string odd =
      "net:\n    - net type: tcp\n      interfaces: {0: 127.0.0.12}\n"
      "      tunables:\n          peer_kredits: 8\nglobal:\n    discovery: 1\nglobal:\n"
      "    retry_count: 1\n";
  const std::string key = file_ +
                          ":5:11: Ignoring unrecognized key 'peer_kredits' for 'tunables': did you "
                          "mean 'peer_credits'?";
  const std::string twice = file_ + ":8:1: section 'global' is there already, in line 6";
  DaemonOptions options;
  const auto read = read_configuration(file(odd), options);
  ASSERT_TRUE(read) << conf::lines_of(read.error());
  EXPECT_THAT(texts_of(read->warnings), testing::UnorderedElementsAre(key, twice));
  options.strict = true;
  const auto strict = read_configuration(file(odd), options);
  ASSERT_FALSE(strict);
  EXPECT_THAT(texts_of(strict.error()), testing::UnorderedElementsAre(key, twice));
  const auto wrong = read_configuration(file(odd + "foo: 1\n"), options);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(texts_of(wrong.error()),
              testing::UnorderedElementsAre(key, twice, file_ + ":10:1: invalid key 'foo'"));
  EXPECT_FALSE(read_configuration(file("foo: 1\n"), options)) << "without a warning, too";
}

TEST_F(ReadConfiguration, TheFileMayHaveDefaultsWithoutRouting) {
  EXPECT_THAT(mistakes("route: []\nrouting:\n    enable: 0\nbuffers:\n    tiny: 0\n    small: 0\n"
                       "    large: 0\n"),
              ElementsAre("none"));
}

// spec/core-semantics.md 13.1, 13.3
TEST_F(ReadConfiguration, PartitionsThatTheMachineDoesNotHave) {
  const auto mistake = [&](std::map<std::string, std::string> params, const char* cpts = "[0]",
                           const char* machine = "pack:2 [numa] core:4 pu:1") {
    DaemonOptions options;
    options.params = std::move(params);
    const auto read = read_configuration(
        file(fmt::format("net:\n    - net type: tcp\n      local NI(s):\n        - interfaces:\n"
                         "              0: 127.0.0.11\n          CPT: {}\n",
                         cpts)),
        options, {machine});
    return read ? "none" : read.error().size() == 1 ? to_string(read.error().front()) : "several";
  };
  EXPECT_EQ(mistake({{"cpu_pattern", "0[0-3] 1[4-7]"}}, "[0-1]"), "none");
  EXPECT_EQ(mistake({{"npartitions", "4"}}, "[3]"), "none");
  const std::pair<std::map<std::string, std::string>, const char*> rows[] = {
      {{{"cpu_pattern", "0[0-3] 1[3-7]"}},
       "cpu_pattern: '1[3-7]': CPU 3 is in partition 0 already"},
      {{{"cpu_pattern", "0[0-3] 1[4-8]"}}, "cpu_pattern: '1[4-8]': CPU 8 is not online"},
      {{{"cpu_pattern", "0[0-3"}}, "cpu_pattern: '0[0-3'"},
      {{{"cpu_pattern", "N 0[0] 1[2]"}}, "cpu_pattern: '1[2]': no CPUs on node 2"},
      {{{"cpu_pattern", "0[0-3] 2[4-7]"}}, "cpu_pattern: '2[4-7]'"},
      {{{"cpu_npartitions", "9"}}, "9 CPU partitions on 8 CPUs: 1 to 8 are possible"},
  };
  for (const auto& [params, words] : rows) EXPECT_THAT(mistake(params), HasSubstr(words));
  EXPECT_THAT(mistake({{"cpu_pattern", "N"}}, "[0]", "numa:257 pu:1"),
              HasSubstr("257 CPU partitions: at most 256"));
  EXPECT_THAT(
      mistake({{"cpu_npartitions", "2"}}, "[0,2]"),
      HasSubstr(":2:7: adding tcp(127.0.0.11): invalid CPT value 2: the last CPU partition is 1"));
  EXPECT_THAT(mistake({{"cpu_npartitions", "2"}}, "[64]"), HasSubstr("CPT"));
}

TEST_F(ReadConfiguration, AMissingFileAndAFolderAreMistakes) {
  EXPECT_THAT(texts_of(read_configuration(folder_ + "/none", {}).error()),
              ElementsAre(HasSubstr("cannot open")));
  EXPECT_THAT(texts_of(read_configuration(folder_, {}).error()),
              ElementsAre(HasSubstr("cannot read")));
}

// As with `--config <(...)`: the writer may be slower than the reader.
TEST_F(ReadConfiguration, APipeIsReadToItsEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string begin = "global:\n    retry_count: 1\n", rest = "    numa_range: 7\n";
  std::thread writer([&] {
    EXPECT_EQ(::write(ends[1], begin.data(), begin.size()), static_cast<ssize_t>(begin.size()));
    for (int unread = 1; unread != 0; std::this_thread::yield())
      ::ioctl(ends[0], FIONREAD, &unread);
    EXPECT_EQ(::write(ends[1], rest.data(), rest.size()), static_cast<ssize_t>(rest.size()));
    ::close(ends[1]);
  });
  const auto read = read_configuration("/dev/fd/" + std::to_string(ends[0]), {});
  writer.join();
  ::close(ends[0]);
  ASSERT_TRUE(read) << conf::lines_of(read.error());
  EXPECT_EQ(read->config.globals.at("numa_range"), 7);
}

TEST_F(ReadConfiguration, AnInterfaceThatIsNotThereIsAWarning) {
  DaemonOptions options;
  options.interfaces = {"nosuch0"};
  const auto read = read_configuration({}, options);
  ASSERT_TRUE(read);
  EXPECT_THAT(texts_of(read->warnings), ElementsAre(HasSubstr("no interface 'nosuch0'")));
  const auto beside = read_configuration(file("global: {discovery: 1}\n"), options);
  ASSERT_TRUE(beside);
  EXPECT_THAT(texts_of(beside->warnings),
              ElementsAre(StartsWith("command line: net tcp: no interface")));
}

// `--check` and the start refuse the same, because both apply the configuration to a node.
TEST_F(ReadConfiguration, WhatTheNodeRefusesIsAMistakeWithItsPlace) {
  const std::string net = "net:\n    - net type: tcp\n      interfaces: {0: 127.0.0.11}\n";
  const auto route = [&](const char* to, const char* gateway) {
    return net + "route:\n    - net: " + to + "\n      gateway: " + gateway + "\n";
  };
  const auto peer = [](const char* primary, const char* other) {
    return std::string("    - primary nid: ") + primary +
           "\n      peer ni:\n        - nid: " + other + "\n";
  };
  const std::pair<std::string, const char*> rows[] = {
      {net + "      tunables: {credits: 0}\n", "2:7: adding tcp(127.0.0.11): invalid credits"},
      {"global:\n    retry_count: 9\n    transaction_timeout: 3\n",
       "3:26: global transaction_timeout: "},
      {route("tcp1", "127.0.0.12@tcp1"), "5:7: adding route to tcp1 through 127.0.0.12@tcp1: "},
      {route("tcp1", "127.0.0.12@tcp2"), "5:7: adding route to tcp1 through 127.0.0.12@tcp2: "},
      {route("tcp", "127.0.0.12@tcp"), "5:7: adding route to tcp through 127.0.0.12@tcp: "},
      {net + "peer:\n" + peer("10.0.0.1@tcp", "10.0.0.9@tcp") +
           peer("10.0.0.2@tcp", "10.0.0.9@tcp"),
       "8:7: adding peer 10.0.0.2@tcp: "},
      {net + "peer:\n" + peer("10.0.0.1@tcp", "127.0.0.11@tcp"), "5:7: adding peer 10.0.0.1@tcp: "},
  };
  for (const auto& [text, words] : rows) {
    SCOPED_TRACE(text);
    EXPECT_THAT(mistakes(text), ElementsAre(StartsWith(words)));
  }
}

// An interface may come later: what needs its net is tried with an address that no machine has.
TEST_F(ReadConfiguration, ARouteByAnInterfaceThatIsNotThereIsNoMistake) {
  const auto read =
      read_configuration(file("net:\n    - net type: tcp\n      interfaces: {0: nosuch0}\n"
                              "route:\n    - net: tcp1\n      gateway: 10.0.0.1@tcp\n"),
                         {});
  ASSERT_TRUE(read) << conf::lines_of(read.error());
  EXPECT_THAT(texts_of(read->warnings), ElementsAre(HasSubstr("no interface 'nosuch0'")));
}

}  // namespace
}  // namespace ulnet::tools
