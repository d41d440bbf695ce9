// Selection policies and fault rules. Source: spec/cli-lnetctl.md 3.14, 3.15, 4.8, 4.9.
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "admin/dlc/library.h"
#include "ulnet/lnetconfig.h"

using namespace ulnet;
using namespace ulnet::dlc;

namespace {

Result<core::udsp::Rule> rule_of(const char* src, const char* dst, const char* rte,
                                 const std::string& type, unsigned int priority) {
  const std::string from = text_of(src), to = text_of(dst), through = text_of(rte);
  if (from.empty() && to.empty() && through.empty())
    return fail(-EFAULT, "Missing required argument(s)");
  if (type != "priority" && type != "pref")
    return fail(-EINVAL, "the type of a policy is 'priority' or 'pref', not '" + type + "'");
  core::udsp::RuleText words{from, to, through, {}};
  if (type == "priority") words.priority = priority;
  auto rule = core::udsp::parse_rule(words);
  return rule ? settled(*std::move(rule)) : rule;
}

/// Returns the index that an argument names; nothing for -1. -EINVAL for a smaller number.
Result<std::optional<std::int64_t>> index_of(int idx) {
  if (idx < -1) return fail(-EINVAL, "Invalid index \"" + std::to_string(idx) + "\"");
  if (idx == -1) return std::optional<std::int64_t>();
  return std::optional<std::int64_t>(idx);
}

/// Returns the code of a call. If the node refused, the error is lnetctl's, and the node's own
/// reason becomes the hint. Other errors stay as they are. Call it only inside Library::call().
int answered(const Report& report, const Result<void>& result) {
  if (result) return succeeded();
  const Error& error = result.error();
  if (error.code == -ECONNRESET || error.code == -ENETDOWN)
    return failed(report, error, Library::get().take_hint());
  const std::string what = "cannot " + std::string(report.op) + " udsp: ";
  return failed(report, {error.code, what + std::strerror(-error.code)}, error.reason);
}

core::FaultRule::Kind kind_of(const yaml_lnet_fault_attr& attr) {
  return attr.delay ? core::FaultRule::Kind::kDelay : core::FaultRule::Kind::kDrop;
}

Result<core::FaultRule> fault_of(const std::string& src, const std::string& dst,
                                 const std::string& local_nid, const yaml_lnet_fault_attr& attr) {
  if (src.empty() || dst.empty()) return fail(-EINVAL, "source and destination are needed");
  if ((attr.rate == 0) == (attr.interval == 0))
    return fail(-EINVAL, "either rate or interval must be given");
  if (attr.random && attr.interval == 0) return fail(-EINVAL, "random needs an interval");
  if (attr.delay && attr.latency == 0) return fail(-EINVAL, "latency must be above 0");
  const auto source = core::FaultNids::parse(src), destination = core::FaultNids::parse(dst);
  if (!source) return tl::unexpected(source.error());
  if (!destination) return tl::unexpected(destination.error());
  core::FaultRule rule{.kind = kind_of(attr), .source = *source, .destination = *destination};
  if (!local_nid.empty()) {
    const auto local = Nid::parse(local_nid);
    if (!local) return fail(-EINVAL, "invalid NID '" + local_nid + "'");
    rule.local = *local;
  }
  rule.portals = attr.portal_mask;
  rule.messages = attr.message_mask;
  rule.rate = attr.rate;
  rule.interval = attr.interval;
  if (attr.delay) {
    rule.latency = attr.latency;
  } else {
    rule.errors = attr.health_mask;
    rule.random = attr.random;
    rule.drop_all = attr.drop_all;
  }
  return rule;
}

Result<void> change_faults(LnetConfig& lnet, yaml_lnet_fault_op op, const std::string& src,
                           const std::string& dst, const std::string& local_nid,
                           const yaml_lnet_fault_attr& attr) {
  if (op == YAML_LNET_FAULT_ADD) {
    const auto rule = fault_of(src, dst, local_nid, attr);
    return rule ? lnet.change(AddFault{*rule}) : tl::unexpected(rule.error());
  }
  if (op == YAML_LNET_FAULT_RESET) return lnet.change(ResetFaults{kind_of(attr)});
  if (src.empty() != dst.empty()) return fail(-EINVAL, "source and destination go together");
  DelFault del{kind_of(attr)};
  if (src.empty()) return lnet.change(del);
  const auto source = core::FaultNids::parse(src), destination = core::FaultNids::parse(dst);
  if (!source) return tl::unexpected(source.error());
  if (!destination) return tl::unexpected(destination.error());
  del.source = *source;
  del.destination = *destination;
  return lnet.change(del);
}

}  // namespace

extern "C" {

int lustre_lnet_add_udsp(const char* src, const char* dst, const char* rte, const char* type,
                         unsigned int priority, int idx, int seq_no, cYAML** err_rc) {
  const Report report{"add", "udsp", seq_no, err_rc};
  return Library::get().call(report, ctl::Intent::kChange, [&](LnetConfig& lnet) {
    const auto rule = rule_of(src, dst, rte, text_of(type), priority);
    if (!rule) return failed(report, rule.error());
    const auto at = index_of(idx);
    return at ? answered(report, lnet.change(AddPolicy{*rule, *at})) : failed(report, at.error());
  });
}

int lustre_lnet_del_udsp(int idx, int seq_no, cYAML** err_rc) {
  const Report report{"del", "udsp", seq_no, err_rc};
  return Library::get().call(report, ctl::Intent::kChange, [&](LnetConfig& lnet) {
    const auto at = index_of(idx);
    return at ? answered(report, lnet.change(DelPolicy{*at})) : failed(report, at.error());
  });
}

int lustre_lnet_show_udsp(int idx, int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show({"show", "udsp", seq_no, err_rc}, show_rc, [&](LnetConfig& lnet) -> Result<Tree> {
    const auto at = index_of(idx);
    return at ? lnet.show_udsp(*at) : tl::unexpected(at.error());
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
