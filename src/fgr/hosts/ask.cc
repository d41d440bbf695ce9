#include "fgr/hosts/ask.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "fgr/hosts/host_asker.h"

namespace ulnet::tools::fgr {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// A call that pings several targets may take this much longer than the time-outs of its pings
/// together.
constexpr milliseconds kCallTime{5000};
/// How often a waiting thread checks whether the caller has given up.
constexpr milliseconds kLook{100};

std::string words_of(const Via& via) {
  if (via.way == Via::Way::kLocal) return "local";
  return fmt::format("{}:{}", via.way == Via::Way::kSsh ? "ssh" : "door", via.place);
}
std::vector<plan::AskedOne> ones_of(const std::vector<ViaHost>& hosts) {
  std::vector<plan::AskedOne> ones;
  for (const ViaHost& host : hosts) ones.push_back({host.host, words_of(host.via)});
  return ones;
}

/// Threads that carry questions to hosts and their answers back.
class Carriers {
 public:
  Carriers(const plan::VerifyChecks& checks, const std::vector<ViaHost>& hosts,
           const AskOptions& options,
           const std::function<void(const plan::AskProgress&)>& on_progress)
      : options_(options),
        on_progress_(on_progress),
        asking_(checks, ones_of(hosts), options.retries) {
    for (const ViaHost& host : hosts) askers_.push_back(asker_for(host.via, options));
  }

  plan::Asked run() {
    const std::size_t count = std::clamp<std::size_t>(options_.at_once, 1, askers_.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    return asking_.finish(interrupted() ? "interrupted" : "the time is over");
  }

 private:
  void work() {
    std::unique_lock held(lock_);
    while (!asking_.done() && !is_over()) {
      if (auto question = asking_.next(now())) {
        carry(*question, held);
        on_progress_(asking_.progress());
        changed_.notify_all();
      } else {
        const auto wait =
            std::chrono::ceil<milliseconds>(std::min<Duration>(asking_.next_at() - now(), kLook));
        changed_.wait_for(held, wait);
      }
    }
  }

  /// Asks a host, releases the lock meanwhile, and passes the answer on. Drops a failed answer if
  /// the asking is over.
  void carry(const plan::Question& question, std::unique_lock<std::mutex>& held) {
    held.unlock();
    HostAsker& asker = *askers_[question.whom];
    if (question.pings.empty()) {
      auto answer = asker.state(time_for(options_.patience));
      held.lock();
      if (answer || !is_over()) asking_.configured(question.whom, std::move(answer), now());
    } else {
      auto answer =
          asker.pings(question.pings, time_for(question.pings.size() * options_.ping + kCallTime));
      held.lock();
      if (answer || !is_over()) asking_.pinged(question.whom, std::move(answer), now());
    }
  }

  bool interrupted() const { return options_.given_up && options_.given_up(); }
  bool is_over() const { return interrupted() || Clock::now() - begin_ >= options_.within; }
  Instant now() const { return Instant(Clock::now() - begin_); }
  milliseconds time_for(milliseconds wanted) const {
    const auto left = begin_ + options_.within - Clock::now();
    return std::clamp(std::chrono::duration_cast<milliseconds>(left), milliseconds{1}, wanted);
  }

  const AskOptions& options_;
  const std::function<void(const plan::AskProgress&)>& on_progress_;
  const Clock::time_point begin_ = Clock::now();
  std::vector<std::unique_ptr<HostAsker>> askers_;  ///< each is used by one thread at a time
  std::mutex lock_;
  std::condition_variable changed_;
  plan::Asking asking_;  ///< under the lock
};

}  // namespace

plan::Asked ask_all(const plan::VerifyChecks& checks, const std::vector<ViaHost>& hosts,
                    const AskOptions& options,
                    const std::function<void(const plan::AskProgress&)>& on_progress) {
  return Carriers(checks, hosts, options, on_progress).run();
}

}  // namespace ulnet::tools::fgr
