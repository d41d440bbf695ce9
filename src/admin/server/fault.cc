// /v1/fault: rules by which the node drops, fails or delays messages on purpose. Source:
// spec/cli-lnetctl.md 3.15, 4.9, spec/multirail.md 11.
#include <nlohmann/json.hpp>

#include "admin/conf/fault_trees.h"
#include "admin/server/fields.h"
#include "admin/server/handlers.h"

namespace ulnet::node::control {

namespace {

using core::FaultNids;
using core::FaultRule;
using Kind = FaultRule::Kind;

Kind read_kind(Fields& fields) {
  const auto type = fields.text("rule_type");
  if (type == "delay") return Kind::kDelay;
  if (type != "drop") fields.refuse(-EINVAL, "rule_type is drop or delay");
  return Kind::kDrop;
}

std::optional<FaultNids> read_nids(Fields& fields, const char* key) {
  const auto text = fields.text(key);
  if (!text) return std::nullopt;
  const auto nids = FaultNids::parse(*text);
  if (nids) return *nids;
  fields.refuse(nids.error().code, nids.error().reason);
  return std::nullopt;
}

std::uint32_t read_number(Fields& fields, const char* key) {
  return static_cast<std::uint32_t>(fields.integer(key, 0, UINT32_MAX).value_or(0));
}

Result<FaultRule> read_rule(const Json& body) {
  Fields fields(body);
  FaultRule rule;
  rule.kind = read_kind(fields);
  const bool drop = rule.kind == Kind::kDrop;
  const auto source = read_nids(fields, "fa_src");
  const auto destination = read_nids(fields, "fa_dst");
  if (!source || !destination)
    fields.refuse(-EINVAL, "Please provide both source and destination of " +
                               std::string(to_string(rule.kind)) + " rule");
  if (const auto local = fields.nid("fa_local_nid")) rule.local = *local;
  rule.portals = fields.natural("fa_ptl_mask").value_or(0);
  rule.messages = read_number(fields, "fa_msg_mask");
  rule.rate = read_number(fields, drop ? "da_rate" : "la_rate");
  rule.interval = read_number(fields, drop ? "da_interval" : "la_interval");
  if (drop) {
    rule.errors = read_number(fields, "da_health_error_mask");
    rule.random = fields.boolean("da_random").value_or(false);
    rule.drop_all = fields.boolean("da_drop_all").value_or(false);
  } else {
    rule.latency = read_number(fields, "la_latency");
  }
  rule.seed = fields.natural("seed").value_or(0);
  if (const auto finished = fields.finish(); !finished) return tl::unexpected(finished.error());
  rule.source = *source;
  rule.destination = *destination;
  return core::settled(rule);
}

}  // namespace

Reply show_faults(Context& context, const Request&) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto rows = node->faults();
  return rows ? reply_tree(conf::fault_tree(*rows)) : reply_error(rows.error());
}

Reply add_fault(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  const auto rule = read_rule(*body);
  if (!rule) return reply_error(rule.error());
  const auto added = node->fault_add(*rule);
  return added ? reply_tree(conf::fault_item(*added)) : reply_error(added.error());
}

Reply delete_fault(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const Kind kind = read_kind(fields);
  const auto source = read_nids(fields, "fa_src");
  const auto destination = read_nids(fields, "fa_dst");
  if (const auto finished = fields.finish(); !finished) return reply_error(finished.error());
  const auto gone = node->fault_del(kind, source, destination);
  return gone ? reply_tree({{"deleted", *gone}}) : reply_error(gone.error());
}

Reply reset_faults(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const Kind kind = read_kind(fields);
  if (const auto finished = fields.finish(); !finished) return reply_error(finished.error());
  return reply_result(node->fault_reset(kind));
}

}  // namespace ulnet::node::control
