#include "selftest/ulst/rates.h"

#include <algorithm>
#include <optional>

#include "admin/client/tree_fields.h"

namespace ulnet::tools::lst {

namespace {

using ctl::count_in;

/// Returns the difference of counters of 32 bits, which wrap around. Counters of lengths have 64
/// bits.
double difference32(const Tree& earlier, const Tree& later, const char* key) {
  return static_cast<std::uint32_t>(count_in(later, key) - count_in(earlier, key));
}
double difference64(const Tree& earlier, const Tree& later, const char* key) {
  return static_cast<double>(count_in(later, key) - count_in(earlier, key));
}

/// Computes the rates of a node. Returns nothing when one of the two samples failed, or when the
/// node has a new session.
std::optional<NodeRates> rates_of(const Tree& earlier, const Tree& later) {
  const Tree& before = ctl::field_in(earlier, "counters");
  const Tree& after = ctl::field_in(later, "counters");
  if (!before.is_object() || !after.is_object()) return std::nullopt;
  if (count_in(after, "running_ms") <= count_in(before, "running_ms")) return std::nullopt;
  const double seconds = difference32(before, after, "running_ms") / 1000;
  NodeRates rates;
  rates.received = {difference32(before, after, "recv_count") / seconds,
                    difference64(before, after, "recv_length") / seconds};
  rates.sent = {difference32(before, after, "send_count") / seconds,
                difference64(before, after, "send_length") / seconds};
  return rates;
}

}  // namespace

Sample rates_between(const Tree& earlier, const Tree& later) {
  Sample sample;
  const Tree& before = ctl::list_in(earlier, "nodes");
  const Tree& after = ctl::list_in(later, "nodes");
  sample.changed = before.size() != after.size();
  for (std::size_t i = 0; i < after.size() && !sample.changed; ++i) {
    sample.ids.push_back(ctl::text_in(after[i], "id"));
    sample.changed = sample.ids.back() != ctl::text_in(before[i], "id");
    if (const auto rates = rates_of(before[i], after[i]))
      sample.rates.push_back(*rates);
    else
      ++sample.failed;
  }
  return sample;
}

Summary summarize(const std::vector<double>& values) {
  Summary summary;
  for (const double value : values) {
    summary.average += value / static_cast<double>(values.size());
    summary.most = std::max(summary.most, value);
    if (value != 0 && (summary.least == 0 || value < summary.least)) summary.least = value;
  }
  return summary;
}

}  // namespace ulnet::tools::lst
