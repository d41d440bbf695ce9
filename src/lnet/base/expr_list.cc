#include "lnet/base/expr_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "lnet/base/text.h"

namespace ulnet {
namespace {

tl::unexpected<Error> bad_item(std::string_view item, std::string_view why) {
  return fail(-EINVAL, fmt::format("{}: {}", text::quoted(item), why));
}

// number | number "-" number | number "-" number "/" stride
Result<NumberRange> parse_item(std::string_view item, std::uint32_t max) {
  if (item.empty()) return bad_item(item, "a number is missing");
  const std::size_t dash = item.find('-');
  const std::size_t slash = item.find('/');
  const bool is_range = dash != std::string_view::npos;
  if (slash != std::string_view::npos && (!is_range || slash < dash))
    return bad_item(item, "a step needs a range");
  const auto lo = text::number(text::trim(item.substr(0, dash)), max);
  if (!lo) return bad_item(item, fmt::format("not a number from 0 to {}", max));
  if (!is_range) return NumberRange{*lo, *lo, 1};

  const std::size_t hi_length = slash == std::string_view::npos ? slash : slash - dash - 1;
  const auto hi = text::number(text::trim(item.substr(dash + 1, hi_length)), max);
  if (!hi) return bad_item(item, fmt::format("not a range of numbers from 0 to {}", max));
  if (*lo > *hi) return bad_item(item, "the range runs backwards");
  std::uint32_t stride = 1;
  if (slash != std::string_view::npos) {
    const auto given = text::number(text::trim(item.substr(slash + 1)), 0xffffffff);
    if (!given || *given == 0) return bad_item(item, "the step is not a number above 0");
    stride = *given;
  }
  return NumberRange{*lo, *hi, *lo == *hi ? 1 : stride};
}

}  // namespace

ExprList ExprList::of(std::uint32_t value) {
  ExprList list;
  list.ranges_.push_back({value, value, 1});
  return list;
}

ExprList ExprList::all() {
  ExprList list;
  list.all_ = true;
  return list;
}

Result<ExprList> ExprList::parse(std::string_view text, std::uint32_t max) {
  if (text == "*") return all();
  if (!text.starts_with('[')) {
    const auto value = text::number(text, max);
    if (!value)
      return bad_item(text, fmt::format("not a number from 0 to {}, nor a list in brackets", max));
    return of(*value);
  }
  if (!text.ends_with(']'))
    return bad_item(text, "the brackets are not closed, or something follows them");
  ExprList list;
  std::string_view rest = text.substr(1, text.size() - 2);
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const Result<NumberRange> range = parse_item(text::trim(rest.substr(0, comma)), max);
    if (!range) return tl::unexpected(range.error());
    list.ranges_.push_back(*range);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
  return list;
}

bool ExprList::matches(std::uint32_t value) const {
  return all_ || std::any_of(ranges_.begin(), ranges_.end(),
                             [value](const NumberRange& range) { return range.contains(value); });
}

bool ExprList::is_single() const {
  return !all_ && ranges_.size() == 1 && ranges_[0].lo == ranges_[0].hi;
}

Result<std::vector<std::uint32_t>> ExprList::expand(std::size_t limit, Repeats repeats) const {
  if (all_) return fail(-EINVAL, "'*' does not name single values");
  std::vector<std::uint32_t> values;
  std::unordered_set<std::uint32_t> seen;
  for (const NumberRange& range : ranges_) {
    for (std::uint64_t value = range.lo; value <= range.hi; value += range.stride) {
      if (!seen.insert(static_cast<std::uint32_t>(value)).second) {
        if (repeats == Repeats::kDropped) continue;
        return fail(-EEXIST, fmt::format("{} is there twice: write each number once", value));
      }
      if (values.size() == limit) return fail(-E2BIG, fmt::format("more than {} values", limit));
      values.push_back(static_cast<std::uint32_t>(value));
    }
  }
  return values;
}

std::string ExprList::to_string() const {
  if (all_) return "*";
  if (is_single()) return fmt::format("{}", ranges_[0].lo);
  std::string items;
  for (const NumberRange& range : ranges_) {
    if (!items.empty()) items += ',';
    items += fmt::format("{}", range.lo);
    if (range.lo != range.hi) items += fmt::format("-{}", range.hi);
    if (range.stride != 1) items += fmt::format("/{}", range.stride);
  }
  return fmt::format("[{}]", items);
}

}  // namespace ulnet
