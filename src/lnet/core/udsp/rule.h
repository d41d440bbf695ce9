// A rule of a selection policy (UDSP): its criteria and its priority. Source: spec/multirail.md
// 10.1.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lnet/core/udsp/criterion.h"

namespace ulnet::core::udsp {

/// The priority of an object that no rule names; lnetctl shows it as -1.
inline constexpr std::uint32_t kNoPriority = 0xffffffff;
/// The largest priority that a rule may give. 0 is preferred to all others.
inline constexpr std::int64_t kPriorityMax = 0x7fffffff;

/// | given     | the rule says                                                              |
/// |-----------|----------------------------------------------------------------------------|
/// | src       | the priority of those local nets, or local NIs                             |
/// | dst       | the priority of those nets of peers, or peer NIs                           |
/// | src + dst | those local NIs are preferred sources of those peer NIs                    |
/// | dst + rte | those gateways, by their primary NIDs, are preferred by those peer NIs     |
/// | rte       | nothing: it is kept and shown                                              |
///
/// A rule with two criteria is a preference: a NID is on the list or not. If it has a priority,
/// that is kept and shown, and changes no choice.
struct Rule {
  std::optional<Criterion> src, dst, rte;
  std::optional<std::uint32_t> priority;

  /// The number of criteria.
  int criteria() const { return src.has_value() + dst.has_value() + rte.has_value(); }
  /// Whether both rules name the same nets, NIDs and gateways; their priorities do not matter.
  bool same_criteria(const Rule& other) const {
    return src == other.src && dst == other.dst && rte == other.rte;
  }
  bool operator==(const Rule&) const = default;
};

/// A rule as text. A criterion that is not given is empty.
struct RuleText {
  std::string_view src, dst, rte;
  std::optional<std::int64_t> priority;
};

/// Parses the text; settled() checks the combination. -EINVAL "failed to parse src parameter" with
/// the reason, or "Invalid priority"; -E2BIG for a pattern that is too long.
Result<Rule> parse_rule(const RuleText& words);

/// Checks that a list may have the rule, and gives a rule with one criterion and no priority the
/// priority 0. -EINVAL: no criterion, src with rte, or all three.
Result<Rule> settled(Rule rule);

}  // namespace ulnet::core::udsp
