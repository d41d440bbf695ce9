#include "fake_policies.h"

#include <nlohmann/json.hpp>

#include "lnet/config/selection.h"

namespace ulnet::ctl::test {

namespace {

using core::udsp::RuleList;

std::string text_of(const Tree& body, const char* key) { return body.value(key, std::string()); }

template <class Number>
std::optional<Number> number_of(const Tree& body, const char* key) {
  if (!body.contains(key)) return {};
  return body[key].get<Number>();
}

conf::Selection selection_of(const Tree& body) {
  const std::string type = text_of(body, "type"), net = text_of(body, "net"),
                    nid = text_of(body, "nid"), local = text_of(body, "local"),
                    remote = text_of(body, "remote");
  const auto priority = number_of<std::int64_t>(body, "priority");
  return conf::parse_selection({type, net, nid, local, remote, priority}).value();
}

}  // namespace

Result<void> add_udsp(RuleList& rules, const Tree& body) {
  const std::string src = text_of(body, "src"), dst = text_of(body, "dst"),
                    rte = text_of(body, "rte");
  const auto priority = number_of<std::int64_t>(body, "priority");
  return rules.add(core::udsp::parse_rule({src, dst, rte, priority}).value(),
                   number_of<std::size_t>(body, "idx"));
}

Result<void> del_udsp(RuleList& rules, const Tree& body) {
  if (const auto idx = number_of<std::size_t>(body, "idx")) return rules.del(*idx);
  rules.clear();
  return {};
}

Result<void> add_selection(RuleList& rules, const Tree& body) {
  RuleList changed = rules;
  const auto added = conf::add_selection(changed, selection_of(body));
  if (added) rules = changed;
  return added;
}

Result<void> del_selection(RuleList& rules, const Tree& body) {
  return conf::del_selection(rules, selection_of(body), number_of<std::uint64_t>(body, "id"));
}

Result<void> change_faults(Tree& rules, const std::string& method, const Tree& body) {
  if (method == "POST") {
    if (body.value("fa_ptl_mask", 0ULL) != 0 && body.value("fa_msg_mask", 0U) == 1)
      return fail(-EINVAL, "no message can match");
    rules.insert(rules.begin(), body);
    rules.front()["seed"] = 7;
  } else if (method == "DELETE") {
    Tree left = Tree::array();
    for (const Tree& rule : rules) {
      bool meant = true;
      for (const auto& [key, value] : body.items()) meant = meant && rule.at(key) == value;
      if (!meant) left.push_back(rule);
    }
    if (left.size() == rules.size()) return fail(-ENOENT, "no such fault rule");
    rules = left;
  }
  return {};
}

}  // namespace ulnet::ctl::test
