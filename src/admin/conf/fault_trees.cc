#include "admin/conf/fault_trees.h"

#include <nlohmann/json.hpp>

namespace ulnet::conf {

namespace {

using Tree = nlohmann::ordered_json;
using core::FaultRule;

bool is_drop(const FaultRule& rule) { return rule.kind == FaultRule::Kind::kDrop; }

}  // namespace

Tree fault_item(const FaultRule& rule) {
  Tree item = {{"rule_type", to_string(rule.kind)},
               {"fa_src", rule.source.to_string()},
               {"fa_dst", rule.destination.to_string()}};
  if (!rule.local.is_any()) item["fa_local_nid"] = rule.local.to_string();
  item["fa_ptl_mask"] = rule.portals;
  item["fa_msg_mask"] = rule.messages;
  const std::string letters = is_drop(rule) ? "da_" : "la_";
  item[letters + "rate"] = rule.rate;
  item[letters + "interval"] = rule.interval;
  if (!is_drop(rule)) item["la_latency"] = rule.latency;
  if (rule.errors != 0) item["da_health_error_mask"] = rule.errors;
  if (rule.random) item["da_random"] = true;
  if (rule.drop_all) item["da_drop_all"] = true;
  if (rule.seed != 0) item["seed"] = rule.seed;
  return item;
}

Tree fault_tree(const std::vector<core::FaultRow>& rows) {
  Tree list = Tree::array();
  for (const core::FaultRow& row : rows) {
    Tree item = fault_item(row.rule);
    item[is_drop(row.rule) ? "ds_dropped" : "ls_delayed"] = row.hits;
    item["fs_count"] = row.matched.sum();
    item["fs_put"] = row.matched.put;
    item["fs_ack"] = row.matched.ack;
    item["fs_get"] = row.matched.get;
    item["fs_reply"] = row.matched.reply;
    list.push_back(std::move(item));
  }
  return Tree{{"fault", std::move(list)}};
}

}  // namespace ulnet::conf
