// Reads a rule of a selection policy from text, and checks and completes it. Source:
// spec/multirail.md 10.1.
#include "lnet/core/udsp/rule.h"

#include <fmt/format.h>

namespace ulnet::core::udsp {
namespace {

Result<void> read(std::string_view name, std::string_view words, std::optional<Criterion>& to) {
  if (words.empty()) return {};
  auto criterion = Criterion::parse(words);
  if (!criterion)
    return fail(criterion.error().code,
                fmt::format("failed to parse {} parameter: {}", name, criterion.error().reason));
  to = *std::move(criterion);
  return {};
}

}  // namespace

Result<Rule> parse_rule(const RuleText& words) {
  Rule rule;
  if (auto src = read("src", words.src, rule.src); !src) return tl::unexpected<Error>(src.error());
  if (auto dst = read("dst", words.dst, rule.dst); !dst) return tl::unexpected<Error>(dst.error());
  if (auto rte = read("rte", words.rte, rule.rte); !rte) return tl::unexpected<Error>(rte.error());
  if (!words.priority) return rule;
  if (*words.priority < 0 || *words.priority > kPriorityMax)
    return fail(-EINVAL, fmt::format("Invalid priority \"{}\"", *words.priority));
  rule.priority = static_cast<std::uint32_t>(*words.priority);
  return rule;
}

Result<Rule> settled(Rule rule) {
  const int given = rule.criteria();
  if (given == 0) return fail(-EINVAL, "Missing required argument(s): src, dst or rte");
  if (given == 3) return fail(-EINVAL, "The combination of src, dst and rte is not supported");
  if (rule.src && rule.rte) return fail(-EINVAL, "src and rte cannot be combined");
  if (given == 1 && !rule.priority) rule.priority = 0;
  return rule;
}

}  // namespace ulnet::core::udsp
