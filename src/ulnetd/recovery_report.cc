#include "ulnetd/recovery_report.h"

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
