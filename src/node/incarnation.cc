#include "node/incarnation.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>

namespace ulnet::node {
namespace {

/// Of all nodes of this process.
std::atomic<std::uint64_t> process_last{0};

std::uint64_t grow(std::uint64_t candidate) {
  std::uint64_t seen = process_last.load();
  std::uint64_t mine;
  do {
    mine = std::max(candidate, seen + 1);
  } while (!process_last.compare_exchange_weak(seen, mine));
  return mine;
}

}  // namespace

Incarnations::Incarnations(const std::string& folder, const std::string& name) {
  if (folder.empty()) return;
  file_ = folder + "/" + name + ".incarnation";
  std::ifstream(file_) >> last_;  // absent or unreadable: 0
}

std::uint64_t Incarnations::next() {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count();
  last_ = grow(std::max(static_cast<std::uint64_t>(ns), last_ + 1));
  keep();
  return last_;
}

void Incarnations::used(std::uint64_t number) {
  if (number <= last_) return;
  last_ = number;
  grow(number);
  keep();
}

void Incarnations::keep() {
  if (file_.empty()) return;
  const std::string fresh = file_ + ".new";
  {
    std::ofstream out(fresh);
    out << last_ << '\n';
    if (!out) return;
  }
  std::rename(fresh.c_str(), file_.c_str());
}

}  // namespace ulnet::node
