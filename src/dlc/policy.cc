// Selection policies and fault rules. Source: spec/cli-lnetctl.md 3.14, 3.15, 4.8, 4.9.
#include <cerrno>
#include <nlohmann/json.hpp>

#include "ctl/tree_fields.h"
#include "dlc/library.h"
#include "ulnet/lnetconfig.h"

using namespace ulnet::dlc;
using ulnet::Result;
using ulnet::ctl::LnetConfig;
using ulnet::ctl::Tree;

namespace {

Result<ulnet::conf::UdspEntry> udsp_of(const char* src, const char* dst, const char* rte,
                                       const std::string& type, unsigned int priority, int idx) {
  ulnet::conf::UdspEntry rule;
  if (idx >= 0) rule.idx = idx;
  rule.src = text_of(src);
  rule.dst = text_of(dst);
  rule.rte = text_of(rte);
  if (rule.src.empty() && rule.dst.empty() && rule.rte.empty())
    return ulnet::fail(-EFAULT, "Missing required argument(s)");
  if (!rule.src.empty() && !rule.rte.empty())
    return ulnet::fail(-EINVAL, "src and rte cannot be combined");
  if (type == "priority")
    rule.priority = priority;
  else if (type != "pref")
    return ulnet::fail(-EINVAL, "the type of a policy is 'priority' or 'pref', not '" + type + "'");
  return rule;
}

/// The rule as an item of `fault show`.
Result<Tree> fault_of(const std::string& src, const std::string& dst, const std::string& local_nid,
                      const yaml_lnet_fault_attr& attr) {
  if (src.empty() || dst.empty()) return ulnet::fail(-EINVAL, "source and destination are needed");
  if (!attr.drop_all && (attr.rate == 0) == (attr.interval == 0))
    return ulnet::fail(-EINVAL, "either rate or interval must be given");
  if (attr.random && attr.interval == 0) return ulnet::fail(-EINVAL, "random needs an interval");
  if (attr.delay && attr.latency == 0) return ulnet::fail(-EINVAL, "latency must be above 0");
  Tree rule = {{"rule_type", attr.delay ? "delay" : "drop"}, {"fa_src", src}, {"fa_dst", dst}};
  if (!local_nid.empty()) rule["fa_local_nid"] = local_nid;
  rule["fa_ptl_mask"] = attr.portal_mask;
  rule["fa_msg_mask"] = attr.message_mask;
  const std::string letter = attr.delay ? "la_" : "da_";
  rule[letter + "rate"] = attr.rate;
  rule[letter + "interval"] = attr.interval;
  if (attr.delay) {
    rule["la_latency"] = attr.latency;
  } else {
    rule["da_health_error_mask"] = attr.health_mask;
    rule["da_random"] = attr.random;
    rule["da_drop_all"] = attr.drop_all;
  }
  return rule;
}

Result<void> change_faults(LnetConfig& lnet, yaml_lnet_fault_op op, const std::string& src,
                           const std::string& dst, const std::string& local_nid,
                           const yaml_lnet_fault_attr& attr) {
  if (op == YAML_LNET_FAULT_ADD) {
    const auto rule = fault_of(src, dst, local_nid, attr);
    return rule ? lnet.config_fault("add", *rule) : tl::unexpected(rule.error());
  }
  Tree which = {{"rule_type", attr.delay ? "delay" : "drop"}};
  if (op == YAML_LNET_FAULT_RESET) return lnet.config_fault("reset", which);
  if (src.empty() != dst.empty()) return ulnet::fail(-EINVAL, "source and destination go together");
  if (!src.empty()) which.update(Tree{{"fa_src", src}, {"fa_dst", dst}});
  return lnet.config_fault("del", which);
}

}  // namespace

extern "C" {

int lustre_lnet_add_udsp(const char* src, const char* dst, const char* rte, const char* type,
                         unsigned int priority, int idx, int seq_no, cYAML** err_rc) {
  return change({"add", "udsp", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const auto rule = udsp_of(src, dst, rte, text_of(type), priority, idx);
    return rule ? lnet.add_udsp(*rule) : tl::unexpected(rule.error());
  });
}

int lustre_lnet_del_udsp(int idx, int seq_no, cYAML** err_rc) {
  return change({"del", "udsp", seq_no, err_rc}, [&](LnetConfig& lnet) {
    return lnet.del_udsp(idx < 0 ? std::nullopt : std::optional<std::int64_t>(idx));
  });
}

int lustre_lnet_show_udsp(int idx, int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show({"show", "udsp", seq_no, err_rc}, show_rc, [&](LnetConfig& lnet) -> Result<Tree> {
    auto all = lnet.show_udsp();
    if (!all || idx < 0) return all;
    Tree rules = Tree::array();
    for (const Tree& rule : ulnet::ctl::list_in(*all, "udsp"))
      if (ulnet::ctl::number_in(rule, "idx", -1) == idx) rules.push_back(rule);
    return Tree{{"udsp", std::move(rules)}};
  });
}

int yaml_lnet_fault_rule(cYAML** results, yaml_lnet_fault_op op, const char* src, const char* dst,
                         const char* local_nid, const yaml_lnet_fault_attr* attr) {
  if (op == YAML_LNET_FAULT_SHOW)
    return show({"show", "fault", -1, nullptr}, results,
                [](LnetConfig& lnet) { return lnet.show_fault(); });
  const char* const words[] = {"add", "del", "reset"};
  const std::size_t word = op == YAML_LNET_FAULT_ADD ? 0 : op == YAML_LNET_FAULT_DEL ? 1 : 2;
  return change({words[word], "fault", -1, nullptr}, [&](LnetConfig& lnet) {
    return change_faults(lnet, op, text_of(src), text_of(dst), text_of(local_nid),
                         attr == nullptr ? yaml_lnet_fault_attr{} : *attr);
  });
}

}  // extern "C"
