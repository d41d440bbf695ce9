// How rules apply to nets and NIDs (spec/multirail.md 10.1, 10.2): each kind of rule, and random
// lists against a model of the clause that shares no code with the implementation.
#include "lnet/core/udsp/policy.h"

#include <gmock/gmock.h>

#include <array>
#include <map>
#include <set>

#include "lnet/base/rng.h"
#include "lnet/core/udsp/udsp_fixture.h"

namespace ulnet::core::udsp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

RuleList list_of(const std::vector<RuleText>& all) {
  RuleList list;
  for (const RuleText& words : all) EXPECT_TRUE(list.add(rule_of(words)));
  return list;
}

TEST(UdspPolicy, WithoutARuleThePriorityIsTheLowest) {  // spec/multirail.md 10.1
  const RuleList none;
  EXPECT_EQ(priority_of_net(none, net_of("tcp")), 0xffffffff);
  EXPECT_EQ(priority_of_ni(none, nid_of("10.0.0.1@tcp")), 0xffffffff);
  EXPECT_EQ(priority_of_peer_net(none, net_of("tcp")), 0xffffffff);
  EXPECT_EQ(priority_of_peer_ni(none, nid_of("10.0.0.1@tcp")), 0xffffffff);
  EXPECT_FALSE(prefers_source(none, nid_of("10.0.0.2@tcp"), nid_of("10.0.0.1@tcp")));
}

TEST(UdspPolicy, ANetAndItsNidsHavePrioritiesApart) {  // spec/multirail.md 10.1
  const RuleList list = list_of({{.src = "tcp1", .priority = 1},
                                 {.src = "10.0.0.1@tcp1", .priority = 2},
                                 {.dst = "tcp1", .priority = 3},
                                 {.dst = "10.0.0.1@tcp1", .priority = 4}});
  EXPECT_EQ(priority_of_net(list, net_of("tcp1")), 1U);
  EXPECT_EQ(priority_of_ni(list, nid_of("10.0.0.1@tcp1")), 2U);
  EXPECT_EQ(priority_of_ni(list, nid_of("10.0.0.2@tcp1")), kNoPriority);
  EXPECT_EQ(priority_of_peer_net(list, net_of("tcp1")), 3U);
  EXPECT_EQ(priority_of_peer_ni(list, nid_of("10.0.0.1@tcp1")), 4U);
  EXPECT_EQ(priority_of_net(list, net_of("tcp")), kNoPriority);
}

TEST(UdspPolicy, TheLowerIndexWins) {  // spec/multirail.md 10.2
  RuleList list = list_of({{.src = "tcp[1-3]", .priority = 9}, {.src = "tcp2", .priority = 1}});
  EXPECT_EQ(priority_of_net(list, net_of("tcp2")), 9U) << "though 1 is the higher priority";
  EXPECT_TRUE(list.del(0));
  EXPECT_EQ(priority_of_net(list, net_of("tcp2")), 1U);
  EXPECT_EQ(priority_of_net(list, net_of("tcp1")), kNoPriority) << "the effect has gone";
}

TEST(UdspPolicy, PreferredSourcesAccumulate) {  // spec/multirail.md 10.1
  const RuleList list = list_of({{.src = "10.0.0.1@tcp", .dst = "10.0.0.[7-9]@tcp"},
                                 {.src = "tcp1", .dst = "tcp"},
                                 {.src = "10.0.0.3@tcp", .dst = "10.0.0.99@tcp"}});
  const std::array locals = {nid_of("10.0.0.3@tcp"), nid_of("10.0.0.2@tcp1"),
                             nid_of("10.0.0.1@tcp")};
  EXPECT_THAT(preferred_sources(list, nid_of("10.0.0.8@tcp"), locals),
              ElementsAre(locals[1], locals[2]));
  EXPECT_THAT(preferred_sources(list, nid_of("10.0.0.8@tcp1"), locals), IsEmpty());
  EXPECT_TRUE(prefers_source(list, nid_of("10.0.0.99@tcp"), locals[0]));
}

TEST(UdspPolicy, PreferredRoutersAreForTheDestinationsNids) {  // spec/multirail.md 10.1
  const RuleList list = list_of({{.dst = "tcp1", .rte = "10.0.0.[1,2]@tcp"}});
  const std::array gateways = {nid_of("10.0.0.2@tcp"), nid_of("10.0.0.3@tcp")};
  EXPECT_TRUE(prefers_router(list, nid_of("10.1.0.1@tcp1"), gateways[0]));
  EXPECT_FALSE(prefers_router(list, nid_of("10.1.0.1@tcp1"), gateways[1]));
  EXPECT_FALSE(prefers_router(list, nid_of("10.1.0.1@tcp2"), gateways[0]));
  EXPECT_THAT(preferred_sources(list, nid_of("10.1.0.1@tcp1"), gateways), IsEmpty());
}

/// A priority on a pair is kept and changes no answer. A rule with `rte` alone has no effect.
TEST(UdspPolicy, PairsHaveNoPriorityAndARouterAloneNoEffect) {  // spec/multirail.md 10.1
  const RuleList list = list_of({{.src = "tcp1", .dst = "10.0.0.9@tcp", .priority = 1},
                                 {.dst = "tcp", .rte = "10.0.0.1@tcp", .priority = 2},
                                 {.rte = "*@*", .priority = 3}});
  EXPECT_EQ(list.entries()[0].rule.priority, 1U);
  EXPECT_EQ(priority_of_net(list, net_of("tcp1")), kNoPriority);
  EXPECT_EQ(priority_of_peer_ni(list, nid_of("10.0.0.9@tcp")), kNoPriority);
  EXPECT_EQ(priority_of_peer_net(list, net_of("tcp")), kNoPriority);
  EXPECT_TRUE(prefers_source(list, nid_of("10.0.0.9@tcp"), nid_of("10.0.0.1@tcp1")));
  EXPECT_FALSE(prefers_router(list, nid_of("10.0.0.9@o2ib"), nid_of("10.0.0.1@tcp")));
}

// ---- random lists -------------------------------------------------------------------------------

struct Place {  // a net, or a NID
  int net;
  int host = 0;
};
constexpr std::array kNets = {"tcp", "tcp1", "tcp2", "o2ib", "o2ib1"};
constexpr int kHosts = 4;

std::string text_of(Place place) {
  const std::string net = kNets[static_cast<std::size_t>(place.net)];
  return place.host == 0 ? net : "10.0.0." + std::to_string(place.host) + "@" + net;
}

/// A criterion as sets: the nets of kNets that it names, and the hosts (empty: it names the nets).
struct Named {
  std::string text;
  std::set<int> nets, hosts;
  bool is(Place place) const {
    return nets.contains(place.net) &&
           (hosts.empty() ? place.host == 0 : hosts.contains(place.host));
  }
  bool holds(Place nid) const {
    return nets.contains(nid.net) && (hosts.empty() || hosts.contains(nid.host));
  }
};

Named random_named(Rng& rng) {
  static const std::vector<std::pair<std::string, std::set<int>>> nets = {
      {"tcp", {0}},        {"tcp1", {1}}, {"tcp[0-1]", {0, 1}}, {"tcp[1,2]", {1, 2}},
      {"tcp*", {0, 1, 2}}, {"o2ib", {3}}, {"o2ib*", {3, 4}},    {"*", {0, 1, 2, 3, 4}}};
  static const std::vector<std::pair<std::string, std::set<int>>> hosts = {
      {"10.0.0.1", {1}},          {"10.0.0.2", {2}},   {"10.0.0.[1-3]", {1, 2, 3}},
      {"10.0.0.[1-4/3]", {1, 4}}, {"*", {1, 2, 3, 4}}, {"10.*.0.[2,4]", {2, 4}}};
  const auto& net = nets[rng.below(nets.size())];
  if (rng.below(2) == 0) return {net.first, net.second, {}};
  // Only "*" is a valid address on every kind of net.
  const auto& host = net.first == "*" ? hosts[4] : hosts[rng.below(hosts.size())];
  return {host.first + "@" + net.first, net.second, host.second};
}

struct Ref {
  std::optional<Named> src, dst, rte;
  std::optional<std::uint32_t> priority;

  static std::string text(const std::optional<Named>& named) { return named ? named->text : ""; }
  std::string key() const { return text(src) + "|" + text(dst) + "|" + text(rte); }
};

/// A literal model of 10.2: rules are applied in reverse order, each to every object.
struct Model {
  std::vector<Ref> rules;
  std::map<std::string, std::uint32_t> local, remote;  // priorities, by the text of a place
  std::map<std::string, std::set<std::string>> sources, routers;

  int add(Ref rule, std::optional<std::size_t> idx) {
    const int given = rule.src.has_value() + rule.dst.has_value() + rule.rte.has_value();
    if (given == 0 || (rule.src && rule.rte)) return -EINVAL;
    if (given == 1 && !rule.priority) rule.priority = 0;
    for (Ref& there : rules) {
      if (there.key() != rule.key()) continue;
      if (there.priority == rule.priority) return -EALREADY;
      there.priority = rule.priority;
      return 0;
    }
    if (!idx || *idx > rules.size()) idx = rules.size();
    rules.insert(rules.begin() + static_cast<std::ptrdiff_t>(*idx), rule);
    return 0;
  }

  void apply(const std::vector<Place>& nets, const std::vector<Place>& nids) {
    local.clear(), remote.clear(), sources.clear(), routers.clear();
    std::vector<Place> all = nets;
    all.insert(all.end(), nids.begin(), nids.end());
    for (auto rule = rules.rbegin(); rule != rules.rend(); ++rule)
      for (const Place& place : all) {
        if (rule->src && !rule->dst && rule->src->is(place))
          local[text_of(place)] = *rule->priority;
        if (rule->dst && !rule->src && !rule->rte && rule->dst->is(place))
          remote[text_of(place)] = *rule->priority;
        if (place.host == 0 || !rule->dst || !rule->dst->holds(place)) continue;
        for (const Place& other : nids) {
          if (rule->src && rule->src->holds(other)) sources[text_of(place)].insert(text_of(other));
          if (rule->rte && rule->rte->holds(other)) routers[text_of(place)].insert(text_of(other));
        }
      }
  }
};

Ref random_rule(Rng& rng) {
  Ref rule;
  switch (rng.below(8)) {
    case 0:
    case 1:
      rule.src = random_named(rng);
      break;
    case 2:
    case 3:
      rule.dst = random_named(rng);
      break;
    case 4:
      rule.src = random_named(rng);
      rule.dst = random_named(rng);
      break;
    case 5:
      rule.dst = random_named(rng);
      rule.rte = random_named(rng);
      break;
    case 6:
      rule.rte = random_named(rng);
      break;
    default:
      rule.src = random_named(rng);
      rule.rte = random_named(rng);
      if (rng.below(2) == 0) rule.dst = random_named(rng);
  }
  if (rng.below(3) != 0) rule.priority = static_cast<std::uint32_t>(rng.below(4));
  return rule;
}

RuleText words_of(const Ref& rule) {
  RuleText words;
  if (rule.src) words.src = rule.src->text;
  if (rule.dst) words.dst = rule.dst->text;
  if (rule.rte) words.rte = rule.rte->text;
  if (rule.priority) words.priority = *rule.priority;
  return words;
}

std::uint32_t priority_in(const std::map<std::string, std::uint32_t>& all, Place place) {
  const auto at = all.find(text_of(place));
  return at == all.end() ? kNoPriority : at->second;
}

void expect_same(const RuleList& list, const Model& model, const std::vector<Place>& nets,
                 const std::vector<Place>& nids) {
  for (const Place& net : nets) {
    ASSERT_EQ(priority_of_net(list, net_of(text_of(net))), priority_in(model.local, net));
    ASSERT_EQ(priority_of_peer_net(list, net_of(text_of(net))), priority_in(model.remote, net));
  }
  for (const Place& place : nids) {
    const Nid nid = nid_of(text_of(place));
    ASSERT_EQ(priority_of_ni(list, nid), priority_in(model.local, place));
    ASSERT_EQ(priority_of_peer_ni(list, nid), priority_in(model.remote, place));
    for (const Place& other : nids) {
      const auto has = [&](const std::map<std::string, std::set<std::string>>& lists) {
        const auto at = lists.find(text_of(place));
        return at != lists.end() && at->second.contains(text_of(other));
      };
      ASSERT_EQ(prefers_source(list, nid, nid_of(text_of(other))), has(model.sources));
      ASSERT_EQ(prefers_router(list, nid, nid_of(text_of(other))), has(model.routers));
    }
  }
}

TEST(UdspPolicy, RandomListsMatchTheModel) {  // spec/multirail.md 10.1, 10.2
  std::vector<Place> nets, nids;
  for (int net = 0; net < static_cast<int>(kNets.size()); ++net) {
    nets.push_back({net});
    for (int host = 1; host <= kHosts; ++host) nids.push_back({net, host});
  }
  std::map<int, int> outcomes;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    RuleList list;
    Model model;
    for (int step = 0; step < 30; ++step) {
      if (rng.below(5) == 0) {
        const std::size_t idx = rng.below(6);
        const bool there = idx < model.rules.size();
        ASSERT_EQ(list.del(idx).has_value(), there);
        if (there) model.rules.erase(model.rules.begin() + static_cast<std::ptrdiff_t>(idx));
        continue;
      }
      const Ref rule = model.rules.empty() || rng.below(3) != 0
                           ? random_rule(rng)
                           : model.rules[rng.below(model.rules.size())];
      std::optional<std::size_t> idx;
      if (rng.below(2) == 0) idx = rng.below(8);
      const auto added = list.add(rule_of(words_of(rule)), idx);
      const int code = added ? 0 : added.error().code;
      ++outcomes[code];
      ASSERT_EQ(code, model.add(rule, idx)) << rule.key();
      ASSERT_EQ(list.entries().size(), model.rules.size());
    }
    model.apply(nets, nids);
    expect_same(list, model, nets, nids);
    if (HasFatalFailure()) return;
  }
  for (const int code : {0, -EINVAL, -EALREADY}) EXPECT_GT(outcomes[code], 50) << code;
}

}  // namespace
}  // namespace ulnet::core::udsp
