#include "admin/ulnetctl/discovery_watch.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "text/shell/speak.h"

namespace ulnet::tools {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

}  // namespace

DiscoveryWatch::DiscoveryWatch(std::string control) : connection_(std::move(control)) {
  answers_ = look(false);
  if (answers_) thread_ = std::thread([this] { run(); });
}

DiscoveryWatch::~DiscoveryWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard brief(lock_);
    over_ = true;
  }
  ending_.notify_one();
  thread_.join();
  if (answers_) look(true);
}

void DiscoveryWatch::run() {
  std::unique_lock lock(lock_);
  while (!ending_.wait_for(lock, kBetweenLooks, [this] { return over_; })) {
    lock.unlock();
    answers_ = look(true);
    lock.lock();
    if (!answers_) return;
  }
}

bool DiscoveryWatch::look(bool print) {
  const auto client = connection_.open(ctl::Intent::kShow);
  const auto steps = client ? (*client)->get("/v1/discovery?after=" + std::to_string(seen_))
                            : Result<ctl::Tree>(tl::unexpected(client.error()));
  if (!steps) {
    err("# the discovery cannot be watched: " + steps.error().reason + "\n");
    return false;
  }
  for (const ctl::Tree& step : steps->value("discovery", ctl::Tree::array())) {
    seen_ = step.value("number", seen_);
    if (!print) continue;
    const std::uint64_t now = step.value("unix_ns", std::uint64_t{0});
    if (begun_ns_ == 0) begun_ns_ = now;
    const double ms = static_cast<double>(now - begun_ns_) / 1e6;
    err(fmt::format("# {:9.3f} ms  {}: {}\n", ms, step.value("primary nid", ""),
                    step.value("step", "")));
  }
  return true;
}

}  // namespace ulnet::tools
