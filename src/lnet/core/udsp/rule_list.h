// The selection policies of a node (UDSP): rules in an order; the first wins if several rules name
// the same object. A value; a list that is shared is const. Source: spec/multirail.md 10.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lnet/core/udsp/rule.h"

namespace ulnet::core::udsp {

class RuleList {
 public:
  struct Entry {
    /// Assigned when the rule is added, never reused, and the same wherever the rule moves.
    std::uint64_t id = 0;
    Rule rule;
  };

  /// A list without rules, for all that share an empty list.
  static std::shared_ptr<const RuleList> none();

  /// Puts the rule before the one at `idx`, or at the end if `idx` is absent or past the end. If
  /// the list has a rule with these criteria, that rule gets the new priority and stays where it
  /// is. Errors: those of settled(); -EALREADY: the rule has that priority; -ENOSPC: the list has
  /// limits::kUdspRules rules.
  Result<void> add(Rule rule, std::optional<std::size_t> idx = {});
  /// Deletes the rule at `idx`. -ENOENT: there is no such rule.
  Result<void> del(std::size_t idx);
  void clear() { entries_.clear(); }

  const std::vector<Entry>& entries() const { return entries_; }
  /// The rule's index; nothing if no rule has this id, or these criteria.
  std::optional<std::size_t> index_of(std::uint64_t id) const;
  std::optional<std::size_t> index_of(const Rule& rule) const;

 private:
  std::vector<Entry> entries_;
  std::uint64_t last_id_ = 0;
};

}  // namespace ulnet::core::udsp
