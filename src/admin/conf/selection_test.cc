// Selection rules in the form of the Multi-Rail design document (spec/design-vs-today.md 2.5): how
// they appear in the list of policies, and that the text that shows them can be read again.
#include "lnet/config/selection.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "admin/conf/diff.h"
#include "admin/conf/policy_trees.h"
#include "admin/conf/yaml_in.h"
#include "admin/conf/yaml_out.h"
#include "lnet/base/limits.h"
#include "lnet/base/rng.h"
#include "lnet/core/udsp/policy.h"
#include "lnet/core/udsp/udsp_fixture.h"

namespace ulnet::conf {
namespace {

using core::udsp::nid_of;
using core::udsp::rule_of;
using core::udsp::RuleList;
using core::udsp::words_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Selection selection(const SelectionText& words) { return parse_selection(words).value(); }

/// Returns the ids that a request for `wanted` shows.
std::vector<std::uint64_t> shown(const RuleList& rules, const Selection& wanted) {
  std::vector<std::uint64_t> ids;
  for (const ListedSelection& each : selections_of(rules))
    if (is_shown(each.selection, wanted)) ids.push_back(each.id);
  return ids;
}

TEST(Selection, EachTypeIsRulesOfTheList) {
  RuleList rules;
  EXPECT_TRUE(add_selection(rules, selection({.type = "net", .net = "o2ib*"})));
  EXPECT_TRUE(
      add_selection(rules, selection({.type = "nid", .nid = "10.1.1.[1-5]@tcp", .priority = 3})));
  EXPECT_TRUE(add_selection(
      rules,
      selection(
          {.type = "peer", .local = "10.1.1.1@tcp", .remote = "*@o2ib[1,2]", .priority = 4})));
  EXPECT_TRUE(add_selection(
      rules, selection({.type = "peer", .local = "10.1.1.2@tcp", .remote = "10.1.1.9@tcp"})));
  EXPECT_THAT(
      words_of(rules),
      ElementsAre("src=o2ib* 0", "src=10.1.1.[1-5]@tcp 3", "dst=10.1.1.[1-5]@tcp 3",
                  "src=10.1.1.1@tcp dst=*@o2ib[1,2] 4", "src=10.1.1.2@tcp dst=10.1.1.9@tcp"));
  EXPECT_EQ(priority_of_ni(rules, nid_of("10.1.1.4@tcp")), 3U)
      << "the rule matches a NID of this node and of a peer";
  EXPECT_EQ(priority_of_peer_ni(rules, nid_of("10.1.1.4@tcp")), 3U);
}

TEST(Selection, OtherRulesAreNotShown) {
  RuleList rules;
  for (const core::udsp::RuleText& words :
       std::vector<core::udsp::RuleText>{{.dst = "tcp"},
                                         {.src = "10.1.1.1@tcp"},
                                         {.dst = "10.1.1.2@tcp"},
                                         {.src = "tcp", .dst = "10.1.1.2@tcp"},
                                         {.dst = "tcp", .rte = "tcp"},
                                         {.rte = "tcp"}})
    ASSERT_TRUE(rules.add(rule_of(words)));
  EXPECT_THAT(selections_of(rules), IsEmpty());
  ASSERT_TRUE(rules.add(rule_of({.dst = "10.1.1.1@tcp", .priority = 5})));
  EXPECT_THAT(selections_of(rules), IsEmpty()) << "another priority is another rule";
  ASSERT_TRUE(rules.add(rule_of({.dst = "10.1.1.1@tcp"})));
  ASSERT_EQ(selections_of(rules).size(), 1U);
  EXPECT_EQ(selections_of(rules)[0].selection,
            selection({.type = "nid", .nid = "10.1.1.1@tcp", .priority = 0}));
}

TEST(Selection, TheSameMatchAgainChangesThePriority) {
  RuleList rules;
  const auto add = [&](std::int64_t priority) {
    return add_selection(rules,
                         selection({.type = "nid", .nid = "10.1.1.1@tcp", .priority = priority}));
  };
  EXPECT_TRUE(add(1));
  EXPECT_EQ(add(1).error().code, -EALREADY);
  ASSERT_TRUE(rules.del(1));
  EXPECT_TRUE(add(1)) << "the half that is missing";
  EXPECT_TRUE(add(2));
  EXPECT_THAT(words_of(rules), ElementsAre("src=10.1.1.1@tcp 2", "dst=10.1.1.1@tcp 2"));
}

TEST(Selection, IsDeletedByItsMatchItsIdOrBoth) {
  RuleList rules;
  const Selection net = selection({.type = "net", .net = "tcp1"});
  const Selection nid = selection({.type = "nid", .nid = "10.1.1.1@tcp", .priority = 7});
  const auto fill = [&] {
    rules.clear();
    EXPECT_TRUE(add_selection(rules, net));
    EXPECT_TRUE(add_selection(rules, nid));
    return selections_of(rules)[1].id;
  };
  const Selection any_nid = selection({.type = "nid"});
  std::uint64_t id = fill();
  EXPECT_TRUE(del_selection(rules, selection({.type = "nid", .nid = "10.1.1.[1]@tcp"}), {}));
  EXPECT_THAT(words_of(rules), ElementsAre("src=tcp1 0")) << "both halves, at any priority";
  EXPECT_EQ(del_selection(rules, nid, {}).error().code, -ENOENT);
  id = fill();
  EXPECT_TRUE(del_selection(rules, any_nid, id));
  EXPECT_EQ(del_selection(rules, any_nid, id).error().code, -ENOENT);
  id = fill();
  EXPECT_TRUE(del_selection(rules, nid, id));
  id = fill();
  for (const std::uint64_t other : {id - 1, id + 1, std::uint64_t{0}})
    EXPECT_EQ(del_selection(rules, nid, other).error().code, -EINVAL) << "they disagree";
  EXPECT_EQ(del_selection(rules, selection({.type = "net"}), id).error().code, -ENOENT)
      << "the id of another type";
  EXPECT_EQ(del_selection(rules, any_nid, {}).error().code, -EINVAL) << "neither is given";
  EXPECT_EQ(
      del_selection(rules, selection({.type = "peer", .local = "10.1.1.1@tcp"}), id).error().code,
      -EINVAL)
      << "half of a pair";
  EXPECT_EQ(rules.entries().size(), 3U);
}

TEST(Selection, WordsThatDoNotFitAreRefused) {
  const auto why = [](const SelectionText& words) {
    const auto read = parse_selection(words);
    return read ? std::string("taken") : read.error().reason;
  };
  EXPECT_THAT(why({.type = "nets"}), HasSubstr("no type of selection: 'nets'"));
  EXPECT_THAT(why({.type = "net", .nid = "10.1.1.1@tcp"}), HasSubstr("'nid' is of another type"));
  EXPECT_THAT(why({.type = "nid", .remote = "10.1.1.1@tcp"}), HasSubstr("'remote' is of another"));
  EXPECT_THAT(why({.type = "net", .net = "10.1.1.1@tcp"}), HasSubstr("names NIDs, not nets"));
  EXPECT_THAT(why({.type = "nid", .nid = "tcp1"}), HasSubstr("names nets, not NIDs"));
  EXPECT_THAT(why({.type = "net", .net = "foo"}), HasSubstr("net: "));
  EXPECT_THAT(why({.type = "net", .net = "tcp", .priority = -1}), HasSubstr("Invalid priority"));
  RuleList rules;
  EXPECT_THAT(add_selection(rules, selection({.type = "net"})).error().reason,
              HasSubstr("'net' must be given"));
  EXPECT_THAT(add_selection(rules, selection({.type = "peer", .local = "*@tcp"})).error().reason,
              HasSubstr("'local' and 'remote' must be given"));
}

TEST(Selection, TwoRulesNeedTwoFreeEntries) {
  RuleList rules;
  for (std::size_t i = 1; i < limits::kUdspRules; ++i)
    ASSERT_TRUE(rules.add(rule_of({.src = "tcp" + std::to_string(i)})));
  EXPECT_EQ(add_selection(rules, selection({.type = "nid", .nid = "*@tcp"})).error().code, -ENOSPC);
}

TEST(Selection, FiltersTakeThePatternOrOneThatItNames) {
  RuleList rules;
  for (const char* net : {"o2ib*", "o2ib[1,2]", "tcp"})
    EXPECT_TRUE(add_selection(rules, selection({.type = "net", .net = net})));
  EXPECT_TRUE(add_selection(
      rules, selection({.type = "peer", .local = "10.1.1.[1-3]@tcp", .remote = "*@o2ib"})));
  const auto nets = [&](const char* net) {
    return shown(rules, selection({.type = "net", .net = net}));
  };
  EXPECT_THAT(shown(rules, selection({.type = "net"})), ElementsAre(1, 2, 3));
  EXPECT_THAT(nets("o2ib2"), ElementsAre(1, 2));
  EXPECT_THAT(nets("o2ib[1,2]"), ElementsAre(2));
  EXPECT_THAT(nets("o2ib*"), ElementsAre(1));
  EXPECT_THAT(nets("kfi"), IsEmpty());
  const auto pairs = [&](const char* local, const char* remote) {
    return shown(rules, selection({.type = "peer", .local = local, .remote = remote}));
  };
  EXPECT_THAT(pairs("", ""), ElementsAre(4));
  EXPECT_THAT(pairs("10.1.1.3@tcp", ""), ElementsAre(4));
  EXPECT_THAT(pairs("10.1.1.3@tcp", "1.1.1.1@o2ib"), ElementsAre(4));
  EXPECT_THAT(pairs("10.1.1.3@tcp", "1.1.1.1@tcp"), IsEmpty());
  EXPECT_THAT(pairs("10.1.1.4@tcp", ""), IsEmpty());
}

TEST(Selection, ShownRulesAreReadBack) {
  static const std::vector<std::string_view> kNets = {"tcp", "tcp1", "o2ib*", "o2ib[1,2]", "*"};
  static const std::vector<std::string_view> kNids = {"10.1.1.[1-5]@tcp", "*@o2ib*", "*@*",
                                                      "10.1.1.9@tcp7", "2001:db8::/64@tcp"};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed);
    const auto nid = [&] { return kNids[rng.below(kNids.size())]; };
    RuleList rules;
    for (std::uint64_t i = rng.below(12); i > 0; --i) {
      SelectionText words;
      const std::uint64_t kind = rng.below(3);
      words.type = to_string(static_cast<SelectionType>(kind));
      if (kind == 0) words.net = kNets[rng.below(kNets.size())];
      if (kind == 1) words.nid = nid();
      if (kind == 2) words.local = nid();
      if (kind == 2) words.remote = nid();
      if (rng.below(2) == 0) words.priority = static_cast<std::int64_t>(rng.below(5));
      const auto added = add_selection(rules, selection(words));
      ASSERT_TRUE(added || added.error().code == -EALREADY) << "seed " << seed;
    }
    const std::string text = to_yaml(selection_tree(rules), YamlStyle::kClassic);
    const auto document = read_yaml(text);
    ASSERT_TRUE(document) << text;
    const auto config = to_config(*document, {});
    ASSERT_TRUE(config) << "seed " << seed << ": " << config.error()[0].reason << "\n" << text;
    RuleList back;
    for (const core::udsp::Rule& rule : config->udsp) ASSERT_TRUE(back.add(rule));
    ASSERT_EQ(words_of(back), words_of(rules)) << "seed " << seed << "\n" << text;
  }
}

TEST(Selection, ItsYamlIsReadStrictly) {
  const auto problem = [](const std::string& item) {
    const auto document = read_yaml("selection:\n" + item);
    for (const Item& each : document->items)
      if (const auto* wrong = std::get_if<Problem>(&each.what))
        return std::to_string(wrong->place.line) + " " + wrong->reason;
    return std::string("none");
  };
  EXPECT_EQ(problem("  - type: net\n    net: o2ib*\n    priority: 3\n    id: 9\n"), "none");
  EXPECT_EQ(problem("  - net: tcp\n"), "2 no value specified for key 'type'");
  EXPECT_EQ(problem("  - type: net\n    nett: tcp\n"), "3 invalid key 'nett': did you mean 'net'?");
  EXPECT_EQ(problem("  - type: net\n    net: [tcp]\n"), "3 invalid value '(a list)' for key 'net'");
  EXPECT_EQ(problem("  - type: net\n    net: tcp\n    priority: high\n"),
            "4 invalid value 'high' for key 'priority'");
  EXPECT_EQ(problem("  - type: router\n"), "2 no type of selection: 'router'");
}

}  // namespace
}  // namespace ulnet::conf
