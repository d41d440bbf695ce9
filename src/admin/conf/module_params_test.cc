#include "admin/conf/module_params.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "lnet/base/nearest_word.h"

namespace ulnet::conf {
namespace {

using Params = std::map<std::string, std::string>;
using Texts = std::vector<std::string>;

/// Returns "line:column reason" for each problem.
Texts problems_of_file(std::string_view text) {
  Texts all;
  if (const auto params = module_params(text); !params)
    for (const Problem& problem : params.error())
      all.push_back(std::to_string(problem.place.line) + ":" +
                    std::to_string(problem.place.column) + " " + problem.reason);
  return all;
}

TEST(ModuleParams, ModulesOfLNetAreRead) {  // spec/cli-lnetctl.md 11.3
  const auto params = module_params(
      "# of this machine\noptions lnet networks=\"tcp(eth0),   tcp1(eth1)\" lnet_retry_count=3\n"
      "options ksocklnd nagle=Y credits=64 \\\n  peer_credits=8\noptions libcfs cpu_npartitions=2\n"
      "options lnet-selftest rpc_timeout=5\noptions snd_hda_intel model=auto\noptions ksocklnd "
      "credits=128\n");
  ASSERT_TRUE(params) << params.error().front().reason;
  EXPECT_EQ(params->values, (Params{{"networks", "tcp(eth0), tcp1(eth1)"},
                                    {"lnet_retry_count", "3"},
                                    {"nagle", "1"},
                                    {"credits", "128"},
                                    {"peer_credits", "8"},
                                    {"cpu_npartitions", "2"},
                                    {"rpc_timeout", "5"}}));
  EXPECT_EQ(module_params("").value().values, Params());
}

TEST(ModuleParams, LongCommentsDoNotCountAgainstAValue) {  // spec/cli-lnetctl.md 11.3
  const auto params = module_params("options lnet ip2nets=\"tcp 10.0.0.*; # " +
                                    std::string(5000, 'c') + " \\\n     tcp1 10.0.1.*\"\n");
  ASSERT_TRUE(params) << params.error().front().reason;
  EXPECT_EQ(params->values.at("ip2nets"), "tcp 10.0.0.*; tcp1 10.0.1.*");
}

// Case 02 of the field: production logs "unknown parameter ignored", and loads the module.
TEST(ModuleParams, UnknownParametersAreSkippedWithANote) {
  const auto params = module_params(
      "options lnet networks=tcp(eth0) config_on_load=1\noptions ksocklnd backoff_init=100\n"
      "options libcfs libcfs_debug=0x3f0400\noptions lnet nosuch\noptions ksocklnd creditz=9\n"
      "options lnet-selftest\n");
  ASSERT_TRUE(params) << params.error().front().reason;
  EXPECT_EQ(params->values, (Params{{"networks", "tcp(eth0)"}}));
  EXPECT_EQ(params->places.at("networks"), (Place{1, 23}));
  Texts notes;
  for (const Problem& note : params->notes)
    notes.push_back(std::to_string(note.place.line) + ":" + std::to_string(note.place.column) +
                    " " + note.reason);
  EXPECT_EQ(notes,
            (Texts{"1:33 parameter 'config_on_load' has no effect in ulnet",
                   "2:18 parameter 'backoff_init' has no effect in ulnet",
                   "3:16 parameter 'libcfs_debug' has no effect in ulnet",
                   "4:14 parameter 'nosuch' is unknown and ignored",
                   "5:18 parameter 'creditz' is unknown and ignored" +
                       text::did_you_mean("creditz", std::array<std::string_view, 1>{"credits"})}));
}

TEST(ModuleParams, AreWrittenAsModprobeReadsThem) {
  const auto params = module_params(
      "options ksocklnd peer-credits=0x10 credits=0200 nagle\n"
      "options lnet ip2nets=\"tcp 10.0.0.* # all\" lnet_retry_count=3\n");
  ASSERT_TRUE(params) << params.error().front().reason;
  EXPECT_EQ(params->values, (Params{{"credits", "128"},
                                    {"ip2nets", "tcp 10.0.0.*"},
                                    {"lnet_retry_count", "3"},
                                    {"nagle", "1"},
                                    {"peer_credits", "16"}}));
}

TEST(ModuleParams, LinesAreJoinedAsModprobeJoinsThem) {
  const auto params = module_params(
      "options lnet networks=tcp(127.0.0.1),\\\ntcp1(127.0.0.2) lnet_retry_count=\\\n3\n"
      "# options lnet lnet_retry_count=7 \\\noptions lnet lnet_retry_count=8 \\\n accept=none\n");
  ASSERT_TRUE(params) << params.error().front().reason;
  EXPECT_EQ(params->values,
            (Params{{"lnet_retry_count", "3"}, {"networks", "tcp(127.0.0.1), tcp1(127.0.0.2)"}}));
}

TEST(ModuleParams, EveryMistakeHasItsPlace) {  // spec/cli-lnetctl.md 11.3
  EXPECT_EQ(
      problems_of_file("options lnet nosuch=1 accept=perhaps\noptions ksocklnd credits=many\n"),
      (Texts{"1:30 accept: 'perhaps' is not one of secure|all|none|trust",
             "2:26 credits: 'many' is not a number"}));
  EXPECT_EQ(problems_of_file("options lnet networks=\"tcp(eth0), \\\n  tcp1 (eth1\"\n"),
            Texts{"2:8 Invalid network specification 'tcp(eth0),     tcp1 (eth1': unbalanced "
                  "brackets in 'tcp1 (eth1'"});
  EXPECT_EQ(
      problems_of_file("options lnet ip2nets=\"tcp 10.0.0.*; \\\n # more \\\n  tcp1 10.0.0\"\n"),
      Texts{"3:8 invalid ip pattern '10.0.0': '10.0.0' is not an address of four octets"});
  EXPECT_EQ(problems_of_file("options lnet routes=\"tcp1 10.0.0.1@tcp; tcp2 0 10.0.0.1@tcp\"\n"),
            Texts{"1:46 hopcount '0' out of range (1 to 255)"});
  EXPECT_EQ(problems_of_file("options lnet routes=\"tcp[0-65535] [1-9]@gni\"\n"),
            Texts{"1:22 more than 65536 routes"});
  EXPECT_EQ(problems_of_file("options lnet routes=\"tcp1"),
            Texts{"1:21 a quote is not closed: '\"tcp1'"});
  EXPECT_EQ(problems_of_file("options lnet\noptions ksocklnd nagle credits\n"),
            Texts{"2:24 parameter 'credits' has no value"});
  EXPECT_EQ(problems_of_file("\xff"), Texts{"0:0 the text is not UTF-8"});
  EXPECT_EQ(problems_of_file("options lnet cpu_pattern=" + std::string(5000, '1')),
            Texts{"1:26 cpu_pattern: the text is too long"});
}

// Asserts only that reading ends, without a crash and without a sanitizer's report.
RC_GTEST_PROP(ModuleParams, SmokeAnyTextIsReadOrRefused, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "options lnet ", "networks=", "routes=", "ip2nets=", "\"", "tcp", "(eth0)", " ", "\n", "\\\n",
      "#", "1@gni", "*.*.*.*", ";", ",", "{"));
  std::string text;
  for (const std::string& word : words) text += word;
  static_cast<void>(module_params(text));
}

}  // namespace
}  // namespace ulnet::conf
