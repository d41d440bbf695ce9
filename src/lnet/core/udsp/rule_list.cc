// Adds rules to the list of selection policies, deletes them and finds them. Source:
// spec/multirail.md 10.2.
#include "lnet/core/udsp/rule_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lnet/base/limits.h"

namespace ulnet::core::udsp {

std::shared_ptr<const RuleList> RuleList::none() {
  static const auto kNone = std::make_shared<const RuleList>();
  return kNone;
}

Result<void> RuleList::add(Rule rule, std::optional<std::size_t> idx) {
  auto checked = settled(std::move(rule));
  if (!checked) return tl::unexpected<Error>(std::move(checked.error()));
  if (const auto at = index_of(*checked)) {
    Rule& there = entries_[*at].rule;
    if (there.priority == checked->priority) return fail(-EALREADY, "the rule is there already");
    there.priority = checked->priority;
    return {};
  }
  if (entries_.size() >= limits::kUdspRules)
    return fail(-ENOSPC, fmt::format("there are {} rules, the most there may be", entries_.size()));
  const std::size_t place = std::min(idx.value_or(entries_.size()), entries_.size());
  entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(place),
                  Entry{++last_id_, *std::move(checked)});
  return {};
}

Result<void> RuleList::del(std::size_t idx) {
  if (idx >= entries_.size()) return fail(-ENOENT, fmt::format("there is no rule {}", idx));
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(idx));
  return {};
}

std::optional<std::size_t> RuleList::index_of(std::uint64_t id) const {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].id == id) return i;
  return {};
}

std::optional<std::size_t> RuleList::index_of(const Rule& rule) const {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].rule.same_criteria(rule)) return i;
  return {};
}

}  // namespace ulnet::core::udsp
