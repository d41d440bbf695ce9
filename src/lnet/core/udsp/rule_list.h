// The selection policies of a node (UDSP): rules in an order, the first of which wins where several
// name the same thing. A value; who shares a list with others shares it unchangeable. Source:
// spec/multirail.md 10.2.
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
    /// Given when the rule was added, never given again, and the same wherever the rule moves.
    std::uint64_t id = 0;
    Rule rule;
  };

  /// A list without rules, for those that share one.
  static std::shared_ptr<const RuleList> none();

  /// Puts the rule before the one at `idx`; without an `idx` of the list, at its end. If there is a
  /// rule with these criteria, that one gets the new priority and stays where it is. Errors: those
  /// of settled(); -EALREADY: it has that priority; -ENOSPC: limits::kUdspRules are there.
  Result<void> add(Rule rule, std::optional<std::size_t> idx = {});
  /// -ENOENT: there is no such rule.
  Result<void> del(std::size_t idx);
  void clear() { entries_.clear(); }

  const std::vector<Entry>& entries() const { return entries_; }
  /// The rule's place; nothing when there is none with this id, or with these criteria.
  std::optional<std::size_t> index_of(std::uint64_t id) const;
  std::optional<std::size_t> index_of(const Rule& rule) const;

 private:
  std::vector<Entry> entries_;
  std::uint64_t last_id_ = 0;
};

}  // namespace ulnet::core::udsp
