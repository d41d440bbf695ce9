#include "node/discovery_trace.h"

#include <algorithm>
#include <chrono>

namespace ulnet::node {

void DiscoveryTrace::add(const Nid& nid, const char* text, std::uint64_t detail) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  const std::lock_guard brief(lock_);
  const std::size_t place = newest_++ % kRemembered;
  if (place == lines_.size()) lines_.emplace_back();
  lines_[place] = {newest_, static_cast<std::uint64_t>(ns), nid, text, detail};
}

std::vector<DiscoveryTrace::Line> DiscoveryTrace::after(std::uint64_t number) const {
  std::vector<Line> lines;
  const std::lock_guard brief(lock_);
  const std::uint64_t oldest = newest_ - lines_.size();  // the number before it
  for (std::uint64_t n = std::max(number, oldest); n < newest_; ++n)
    lines.push_back(lines_[n % kRemembered]);
  return lines;
}

std::uint64_t DiscoveryTrace::newest() const {
  const std::lock_guard brief(lock_);
  return newest_;
}

}  // namespace ulnet::node
