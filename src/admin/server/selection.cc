// /v1/selection: the node's selection policies in the form of the Multi-Rail design document.
// Source: spec/design-vs-today.md 2.5.
#include <nlohmann/json.hpp>

#include "admin/conf/policy_trees.h"
#include "admin/server/fields.h"
#include "admin/server/handlers.h"

namespace ulnet::node::control {

namespace {

using core::udsp::RuleList;

/// Reads the selection in the body of a request. The caller may read more keys of `fields` before
/// finish().
Result<conf::Selection> read_words(Fields& fields) {
  const std::string type = fields.text("type").value_or("");
  const std::string net = fields.text("net").value_or("");
  const std::string nid = fields.text("nid").value_or("");
  const std::string local = fields.text("local").value_or("");
  const std::string remote = fields.text("remote").value_or("");
  const auto priority = fields.integer("priority", 0, core::udsp::kPriorityMax);
  if (const auto finished = fields.finish(); !finished) return tl::unexpected(finished.error());
  return conf::parse_selection({type, net, nid, local, remote, priority});
}

}  // namespace

Reply show_selections(Context& context, const Request&) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  return reply_tree(conf::selection_tree(*node->state().udsp));
}

Reply add_selection(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const auto selection = read_words(fields);
  if (!selection) return reply_error(selection.error());
  return reply_result(
      node->change_udsp([&](RuleList& rules) { return conf::add_selection(rules, *selection); }));
}

Reply delete_selection(Context& context, const Request& request) {
  const auto node = context.slot.node();
  if (node == nullptr) return reply_not_configured();
  const auto body = parse_body(request.body);
  if (!body) return reply_error(body.error());
  Fields fields(*body);
  const auto id = fields.integer("id", 0, INT64_MAX);
  if (fields.has("priority")) fields.refuse(-EINVAL, "'priority' does not say which to delete");
  const auto match = read_words(fields);
  if (!match) return reply_error(match.error());
  return reply_result(
      node->change_udsp([&](RuleList& rules) { return conf::del_selection(rules, *match, id); }));
}

}  // namespace ulnet::node::control
