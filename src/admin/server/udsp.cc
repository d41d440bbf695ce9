// /v1/udsp: the node's selection policies. Source: spec/cli-lnetctl.md 3.14, 4.8, spec/multirail.md
// 10.
#include <nlohmann/json.hpp>

#include "admin/conf/policy_trees.h"
#include "admin/server/fields.h"
#include "admin/server/handlers.h"

namespace ulnet::node::control {

namespace {

using core::udsp::RuleList;

struct Addition {
  core::udsp::Rule rule;
  std::optional<std::size_t> idx;
};

Result<Addition> read_addition(const Json& body) {
  Fields fields(body);
  const std::string src = fields.text("src").value_or("");
  const std::string dst = fields.text("dst").value_or("");
  const std::string rte = fields.text("rte").value_or("");
  const auto priority = fields.integer("priority", 0, core::udsp::kPriorityMax);
  const auto idx = fields.integer("idx", 0, INT32_MAX);
  if (const auto finished = fields.finish(); !finished) return tl::unexpected(finished.error());
  auto rule = core::udsp::parse_rule({src, dst, rte, priority});
  if (!rule) return tl::unexpected(rule.error());
  Addition addition{*std::move(rule), {}};
  if (idx) addition.idx = static_cast<std::size_t>(*idx);
  return addition;
}

}  // namespace

Reply show_udsps(Context& context, const Request&) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  return reply_tree(conf::udsp_tree(*node->state().udsp));
}

Reply add_udsp(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  auto addition = read_addition(*body);
  if (!addition) return reply_error(addition.error());
  return reply_result(node->change_udsp(
      [&](RuleList& rules) { return rules.add(std::move(addition->rule), addition->idx); }));
}

Reply delete_udsp(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const auto idx = fields.integer("idx", 0, INT32_MAX);
  const bool all = fields.boolean("all").value_or(false);
  if (idx.has_value() == all) fields.refuse(-EINVAL, "either 'idx' or 'all' must be given");
  if (const auto finished = fields.finish(); !finished) return reply_error(finished.error());
  return reply_result(node->change_udsp([&](RuleList& rules) -> Result<void> {
    if (idx) return rules.del(static_cast<std::size_t>(*idx));
    rules.clear();
    return {};
  }));
}

}  // namespace ulnet::node::control
