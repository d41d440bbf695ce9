#include "ulnetd/reports.h"

#include <fmt/format.h>

#include <algorithm>

namespace ulnet::tools {

namespace {

constexpr std::size_t kNidsInALine = 20;

std::string line_of(const char* what, std::span<const Nid> nids) {
  std::string line =
      std::to_string(nids.size()) + " " + what + (nids.size() == 1 ? "" : "s") + " in recovery:";
  for (const Nid& nid : nids.first(std::min(nids.size(), kNidsInALine)))
    line += " " + nid.to_string();
  if (nids.size() > kNidsInALine)
    line += " and " + std::to_string(nids.size() - kNidsInALine) + " more";
  return line;
}

}  // namespace

std::string LateReport::look(Time now, const core::LateMessages& counted) {
  const auto before = std::exchange(before_, counted);
  const auto past =
      std::chrono::duration_cast<std::chrono::seconds>(now - std::exchange(last_, now));
  const bool anew = counted.count < before.count;
  const std::uint64_t count = counted.count - (anew ? 0 : before.count);
  if (count == 0) return {};
  const std::uint64_t nsec = counted.nsec - (anew ? 0 : before.nsec);
  const double average = static_cast<double>(nsec) / static_cast<double>(count) / 1e9;
  return fmt::format(
      "{} messages failed past their deadline in the last {} s, by {:.3f} s on average", count,
      past.count(), average);
}

std::string MemoryReport::look(Time now, bool is_short) {
  if (!reported_ && !is_short) return {};
  if (!reported_) {
    reported_ = true;
    since_ = now;
    return "memory is short: the reserve is in use; new connections of peers are refused and no "
           "payload is held until there is memory again";
  }
  if (now - since_ < kGap) return {};
  since_ = now;
  if (!restore_()) return {};
  reported_ = false;
  return "there is memory again: new connections of peers are taken";
}

std::vector<std::string> RecoveryReport::look(Time now, std::span<const Nid> own,
                                              std::span<const Nid> peers) {
  std::vector<std::string> lines;
  if (!own.empty()) lines.push_back(line_of("local NI", own));
  if (!peers.empty()) lines.push_back(line_of("peer NI", peers));
  gap_ = lines.empty() ? kFirstGap : std::min(2 * gap_, kLargestGap);
  next_ = now + gap_;
  return lines;
}

}  // namespace ulnet::tools
