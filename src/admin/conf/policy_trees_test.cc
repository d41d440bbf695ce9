// The text that shows selection policies can be read again, with the same result
// (spec/cli-lnetctl.md 4.8, 5.2, 6).
#include "admin/conf/policy_trees.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "admin/conf/diff.h"
#include "admin/conf/yaml_in.h"
#include "admin/conf/yaml_out.h"
#include "lnet/base/rng.h"
#include "lnet/core/udsp/udsp_fixture.h"

namespace ulnet::conf {
namespace {

using core::udsp::Rule;
using core::udsp::rule_of;
using core::udsp::RuleList;
using core::udsp::words_of;
using testing::ElementsAre;

std::string yaml_of(const RuleList& rules) {
  return to_yaml(udsp_tree(rules), YamlStyle::kClassic);
}

/// Returns the rules of a configuration with this text, or a problem in their place.
std::vector<std::string> read_back(const std::string& text) {
  const auto document = read_yaml(text);
  if (!document) return {document.error().reason};
  const auto config = to_config(*document, {});
  if (!config) return {config.error().front().reason};
  std::vector<std::string> words;
  for (const Rule& rule : config->udsp) words.push_back(words_of(rule));
  return words;
}

TEST(PolicyTrees, MatchLnetctlByteForByte) {  // spec/cli-lnetctl.md 4.8
  RuleList rules;
  ASSERT_TRUE(rules.add(rule_of({.src = "tcp"})));
  ASSERT_TRUE(rules.add(rule_of({.src = "10.1.1.1@tcp", .dst = "10.1.1.2@tcp"})));
  EXPECT_EQ(yaml_of(rules),
            "udsp:\n"
            "    - idx: 0\n"
            "      src: tcp\n"
            "      action:\n"
            "          priority: 0\n"
            "    - idx: 1\n"
            "      src: 10.1.1.1@tcp\n"
            "      dst: 10.1.1.2@tcp\n");
}

TEST(PolicyTrees, FormsOfOlderVersionsAreRead) {  // spec/cli-lnetctl.md 4.8
  EXPECT_THAT(read_back("udsp:\n    - idx: 0\n      src: tcp1\n      dst: NA\n      rte: NA\n"
                        "      action: {priority: 4}\n"),
              ElementsAre("src=tcp1 4"));
}

TEST(PolicyTrees, BadRulesAreRefusedWithTheirPlace) {  // spec/cli-lnetctl.md 5.2
  const auto document = read_yaml(
      "udsp:\n  - src: tcp\n  - dst: 10.1.1.300@tcp\n  - src: tcp\n    rte: tcp\n  - src: ''\n");
  ASSERT_TRUE(document);
  const auto config = to_config(*document, {});
  ASSERT_FALSE(config);
  std::vector<std::string> problems;
  for (const Problem& problem : config.error())
    problems.push_back(std::to_string(problem.place.line) + " " + problem.reason.substr(0, 30));
  EXPECT_THAT(problems,
              ElementsAre("3 failed to parse dst parameter:", "4 src and rte cannot be combined",
                          "6 invalid value '' for key 'src'"));
}

/// spec/multirail.md 10.2: Rules are kept in the order of the file. A pair behind a priority has no
/// priority of its own. A rule with only `rte` does not affect other rules. A rule that the list
/// already has changes its priority, or nothing.
TEST(PolicyTrees, FaultsOfTheImportAreNotCopied) {
  EXPECT_THAT(read_back("udsp:\n  - src: tcp\n    action: {priority: 5}\n"
                        "  - src: tcp\n    dst: tcp1\n  - rte: 10.1.1.1@tcp\n"
                        "  - src: tcp\n    dst: tcp1\n  - src: tcp\n    action: {priority: 6}\n"),
              ElementsAre("src=tcp 6", "src=tcp dst=tcp1", "rte=10.1.1.1@tcp 0"));
}

Rule random_rule(Rng& rng) {
  static const std::vector<std::string_view> kTexts = {"tcp",
                                                       "tcp7",
                                                       "o2ib*",
                                                       "o2ib[1,2]",
                                                       "*",
                                                       "*@*",
                                                       "*@kfi",
                                                       "lo",
                                                       "10.1.1.[1-5]@tcp[1-3]",
                                                       "10.*.[0-254/2].7@o2ib",
                                                       "[1-9]@gni",
                                                       "0@lo",
                                                       "7@kfi",
                                                       "2001:db8::/48@tcp",
                                                       "2001:db8::1@tcp*"};
  const auto text = [&] { return kTexts[rng.below(kTexts.size())]; };
  core::udsp::RuleText words;
  const std::uint64_t kind = rng.below(5);
  if (kind == 0 || kind == 2) words.src = text();
  if (kind >= 1 && kind <= 3) words.dst = text();
  if (kind >= 3) words.rte = text();
  if (rng.below(2) == 0) words.priority = static_cast<std::int64_t>(rng.below(0x80000000));
  return rule_of(words);
}

TEST(PolicyTrees, EveryListIsReadBackAsItWas) {  // spec/multirail.md 10.2
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    RuleList rules;
    for (std::uint64_t i = rng.below(20); i > 0; --i) {
      const auto added = rules.add(random_rule(rng), rng.below(20));
      ASSERT_TRUE(added || added.error().code == -EALREADY) << "seed " << seed;
    }
    for (const YamlStyle style : {YamlStyle::kClassic, YamlStyle::kWide}) {
      const std::string text = to_yaml(udsp_tree(rules), style);
      ASSERT_EQ(read_back(text), words_of(rules)) << "seed " << seed << "\n" << text;
    }
  }
}

TEST(PolicyTrees, OnlyOtherRulesAreADifference) {
  const auto config = [](const char* text) {
    return to_config(read_yaml(text).value(), {}).value();
  };
  const Config none, two = config("udsp:\n  - src: tcp\n  - src: tcp1\n");
  EXPECT_TRUE(difference(two, two).empty());
  EXPECT_TRUE(difference(none, config("udsp: []\n")).empty());
  EXPECT_EQ(difference(none, two).udsp, two.udsp);
  EXPECT_EQ(difference(two, none).udsp, std::vector<Rule>{});
  const Config turned = config("udsp:\n  - src: tcp1\n  - src: tcp\n");
  EXPECT_EQ(difference(two, turned).udsp, turned.udsp) << "their order counts";
}

}  // namespace
}  // namespace ulnet::conf
