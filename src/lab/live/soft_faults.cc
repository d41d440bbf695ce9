#include "lab/live/soft_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "admin/client/batch.h"
#include "admin/client/tree_fields.h"
#include "lnet/core/contract/fault.h"

namespace ulnet::tools::lab {

namespace {

using ctl::Tree;

/// The upper half of the seeds of a laboratory's rules: "LAB" and a version.
constexpr std::uint64_t kSign = 0x4c41'4201ULL << 32;
constexpr std::uint64_t kSignMask = 0xffff'ffffULL << 32;

enum class Part : std::uint8_t { kDeaf, kDumb, kFar, kLossIn, kLossOut, kDelay };

std::uint64_t seed_of(NodeNumber node, std::uint32_t rail, Part part) {
  return kSign | std::uint64_t{node} << 16 | std::uint64_t{rail} << 8 |
         static_cast<std::uint64_t>(part);
}

Tree drop_rule(std::uint64_t seed, const char* error = nullptr, std::uint32_t rate = 1) {
  Tree rule = {
      {"rule_type", "drop"}, {"fa_src", "*"}, {"fa_dst", "*"}, {"da_rate", rate}, {"seed", seed}};
  if (error != nullptr) rule["da_health_error_mask"] = core::fault_error_bit(error);
  return rule;
}

Tree local(Tree rule, const Nid& nid) {
  rule["fa_local_nid"] = nid.to_string();
  return rule;
}

/// Rounds delays of half a second or more to seconds. Shorter ones become 0.
std::uint32_t whole_seconds(Duration delay) {
  return static_cast<std::uint32_t>(std::chrono::round<std::chrono::seconds>(delay).count());
}

void add_cut(const Topology& topology, NodeNumber node, std::uint32_t rail, NodeNumber at,
             std::vector<Tree>& rules) {
  const Rail& cut = topology.nodes[node].rails[rail];
  const Nid nid = topology.nid_of(cut);
  if (node == at) {
    rules.push_back(local(drop_rule(seed_of(node, rail, Part::kDeaf)), nid));
    rules.push_back(local(drop_rule(seed_of(node, rail, Part::kDumb), "local_dropped"), nid));
    return;
  }
  if (!topology.nodes[at].is_on(cut.net)) return;
  Tree rule = drop_rule(seed_of(node, rail, Part::kFar), "network_timeout");
  rule["fa_dst"] = nid.to_string();
  rules.push_back(std::move(rule));
}

void add_wire(const Topology& topology, NodeNumber node, std::uint32_t number,
              std::vector<Tree>& rules) {
  const Rail& rail = topology.nodes[node].rails[number];
  const Nid nid = topology.nid_of(rail);
  if (rail.wire.loss_ppm > 0) {
    const std::uint32_t rate =
        std::max(1U, (1'000'000 + rail.wire.loss_ppm / 2) / rail.wire.loss_ppm);
    rules.push_back(local(drop_rule(seed_of(node, number, Part::kLossIn), nullptr, rate), nid));
    rules.push_back(
        local(drop_rule(seed_of(node, number, Part::kLossOut), "network_timeout", rate), nid));
  }
  if (const std::uint32_t seconds = whole_seconds(rail.wire.delay); seconds > 0)
    rules.push_back({{"rule_type", "delay"},
                     {"fa_src", "*"},
                     {"fa_dst", "*"},
                     {"fa_local_nid", nid.to_string()},
                     {"la_rate", 1},
                     {"la_latency", seconds},
                     {"seed", seed_of(node, number, Part::kDelay)}});
}

std::uint64_t seed_in(const Tree& rule) {
  const auto seed = rule.find("seed");
  return seed != rule.end() && seed->is_number_unsigned() ? seed->get<std::uint64_t>() : 0;
}

/// Returns the body that makes a rule, from the rule as `GET /v1/fault` shows it.
Tree without_counters(const Tree& row) {
  Tree rule = Tree::object();
  for (const auto& [key, value] : row.items())
    if (!key.starts_with("ds_") && !key.starts_with("ls_") && !key.starts_with("fs_"))
      rule[key] = value;
  return rule;
}

using Pair = std::pair<std::string, std::pair<std::string, std::string>>;
Pair pair_of(const Tree& rule) {
  return {ctl::text_in(rule, "rule_type"),
          {ctl::text_in(rule, "fa_src"), ctl::text_in(rule, "fa_dst")}};
}

bool is_on_the_way(const Wire& wire) { return wire.delay.count() > 0 || wire.loss_ppm > 0; }

}  // namespace

bool is_lab_seed(std::uint64_t seed) { return (seed & kSignMask) == kSign; }

std::vector<Tree> wanted_rules(const Topology& topology, const Record& record, NodeNumber at) {
  std::vector<Tree> rules;
  for (std::uint32_t rail = 0; rail < topology.nodes[at].rails.size() && !record.netem; ++rail)
    add_wire(topology, at, rail, rules);
  if (record.spaces || record.down.empty()) return rules;
  for (NodeNumber node = 0; node < topology.nodes.size(); ++node)
    for (std::uint32_t rail = 0; rail < topology.nodes[node].rails.size(); ++rail)
      if (record.down.contains(rail_name(topology, node, rail)))
        add_cut(topology, node, rail, at, rules);
  return rules;
}

std::vector<std::string> shortcomings(const Topology& topology, const Record& record) {
  bool rates = false, delays = false, losses = false, links = false;
  for (const Node& node : topology.nodes)
    for (const Rail& rail : node.rails) {
      rates |= rail.wire.bits_per_second > 0;
      delays |= rail.wire.delay.count() > 0 && whole_seconds(rail.wire.delay) == 0;
      losses |= rail.wire.loss_ppm > 0;
    }
  for (const SwitchLink& link : topology.switch_links) links |= is_on_the_way(link.wire);
  std::vector<std::string> all;
  const std::string place = record.spaces ? "this kernel has no netem (sch_netem)" : "on loopback";
  if (rates && !record.spaces) all.push_back("on loopback rates are not kept: they need --netns");
  if (record.netem) return all;
  if (delays)
    all.push_back(place +
                  ": delays of less than half a second are not made, since LNet's fault "
                  "rules know whole seconds");
  if (losses) all.push_back(place + ": LNet's fault rules lose messages, instead of packets");
  if (links && record.spaces)
    all.push_back(place + ": links of switches have no delay and lose nothing");
  if (!record.spaces && !topology.switch_links.empty())
    all.push_back("on loopback there are no switches: their links cannot be cut, and have no rate");
  return all;
}

Result<std::set<std::string>> reconcile(ctl::ControlApi& api, const std::vector<Tree>& wanted) {
  const auto shown = api.get("/v1/fault");
  if (!shown) return tl::unexpected(shown.error());
  std::set<std::uint64_t> wanted_seeds, there;
  for (const Tree& rule : wanted) wanted_seeds.insert(seed_in(rule));
  std::set<Pair> stale;
  std::set<std::string> mended;
  for (const Tree& row : ctl::list_in(*shown, "fault"))
    if (is_lab_seed(seed_in(row))) {
      there.insert(seed_in(row));
      if (wanted_seeds.contains(seed_in(row))) continue;
      stale.insert(pair_of(row));
      if (const std::string nid = ctl::text_in(row, "fa_local_nid"); !nid.empty())
        mended.insert(nid);
    }
  ctl::Batch batch;
  for (const Pair& pair : stale)
    static_cast<void>(batch.del("/v1/fault", {{"rule_type", pair.first},
                                              {"fa_src", pair.second.first},
                                              {"fa_dst", pair.second.second}}));
  // The node shows its newest rule first.
  const Tree rows = ctl::list_in(*shown, "fault");
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    const bool kept = !is_lab_seed(seed_in(*row)) || wanted_seeds.contains(seed_in(*row));
    if (kept && stale.contains(pair_of(*row)))
      static_cast<void>(batch.post("/v1/fault", without_counters(*row)));
  }
  for (const Tree& rule : wanted)
    if (!there.contains(seed_in(rule))) static_cast<void>(batch.post("/v1/fault", rule));
  if (batch.size() == 0) return mended;
  const auto answers = batch.send(api);
  if (!answers) return tl::unexpected(answers.error());
  for (const ctl::BatchAnswer& answer : *answers)
    if (!answer.result) return tl::unexpected(answer.result.error());
  return mended;
}

Result<void> set_health(ctl::ControlApi& api, const Nid& nid, bool well) {
  const auto set = api.patch("/v1/net", {{"nid", nid.to_string()}, {"health", well ? 1000 : 0}});
  if (!set) return tl::unexpected(set.error());
  return {};
}

}  // namespace ulnet::tools::lab
