#include "tools/fgr/verify/ask.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "plan/verify/verify_diagnosis.h"
#include "tools/fgr/verify/host_asker.h"

namespace ulnet::tools::fgr {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// What a ping of each NID takes at most beyond its own time, and a call as a whole.
constexpr milliseconds kCallTime{5000};

class Asking {
 public:
  Asking(const plan::VerifyChecks& checks, const std::vector<ViaHost>& hosts, const AskWish& wish,
         const std::function<void(const AskProgress&)>& told)
      : checks_(checks), hosts_(hosts), wish_(wish), told_(told), end_(Clock::now() + wish.within) {
    asked_.seen.resize(checks.hosts.size());
    progress_.of_hosts = hosts.size();
    for (const ViaHost& one : hosts)
      if (one.host) progress_.of_pings += checks.pings[*one.host].size();
  }

  Asked run() {
    const std::size_t count = std::clamp<std::size_t>(wish_.at_once, 1, hosts_.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    std::ranges::sort(left_out_);
    if (!left_out_.empty())
      asked_.notes.push_back(fmt::format("{} host{} not asked, {}: {}", left_out_.size(),
                                         left_out_.size() == 1 ? " was" : "s were", why_over(),
                                         plan::few_of(left_out_)));
    return std::move(asked_);
  }

 private:
  void work() {
    for (std::size_t next = next_++; next < hosts_.size(); next = next_++)
      if (!is_over())
        ask(hosts_[next]);
      else
        leave_out(hosts_[next]);
  }

  bool interrupted() const { return wish_.given_up && wish_.given_up(); }
  bool is_over() const { return interrupted() || Clock::now() >= end_; }
  const char* why_over() const { return interrupted() ? "interrupted" : "the time is over"; }
  void leave_out(const ViaHost& one) {
    const std::lock_guard held(lock_);
    left_out_.push_back(one.host ? checks_.hosts[*one.host].name : words_of(one.via));
  }

  void ask(const ViaHost& one) {
    plan::HostSeen seen;
    std::optional<std::size_t> host = one.host;
    const auto asker = asker_for(one.via, wish_);
    auto state = asker->state(time_for(wish_.patience));
    if (state) {
      seen = std::move(*state);
      if (!host) host = who_is(seen);
    } else if (interrupted()) {
      return leave_out(one);
    } else {
      seen.state = plan::HostSeen::State::kSilent;
      seen.trouble = state.error().reason;
    }
    if (!host) {
      note(state ? fmt::format("{}: its NIDs do not say which host of the site it is: --via "
                               "NAME={} says it",
                               words_of(one.via), words_of(one.via))
                 : fmt::format("{}: {}", words_of(one.via), seen.trouble));
    } else {
      if (!one.host) count_pings(checks_.pings[*host].size());
      if (state) ping_all(*asker, *host, seen);
      put(*host, std::move(seen));
    }
    step([](AskProgress& progress) { ++progress.hosts; });
  }

  void ping_all(HostAsker& asker, std::size_t host, plan::HostSeen& seen) {
    const auto& all = checks_.pings[host];
    for (std::size_t i = 0; i < all.size(); i += HostAsker::kPingsAtOnce) {
      const std::vector<plan::PingTarget> some(
          all.begin() + static_cast<std::ptrdiff_t>(i),
          all.begin() +
              static_cast<std::ptrdiff_t>(std::min(all.size(), i + HostAsker::kPingsAtOnce)));
      if (is_over())
        return note(fmt::format("{}: {} of {} pings were not asked for, {}",
                                checks_.hosts[host].name, all.size() - i, all.size(), why_over()));
      auto pings = asker.pings(some, time_for(some.size() * wish_.ping + kCallTime));
      if (!pings)
        return note(fmt::format("{}: {} of {} pings were not made: {}", checks_.hosts[host].name,
                                all.size() - i, all.size(), pings.error().reason));
      seen.pings.insert(seen.pings.end(), std::make_move_iterator(pings->begin()),
                        std::make_move_iterator(pings->end()));
      step([&](AskProgress& progress) { progress.pings += some.size(); });
    }
  }

  /// By its own NIDs; of clients the first that nobody else is.
  std::optional<std::size_t> who_is(const plan::HostSeen& seen) {
    std::vector<Nid> nids;
    for (const plan::SeenNi& ni : seen.nis) nids.push_back(ni.nid);
    if (const auto owner = checks_.owner_of(nids)) return owner;
    const std::lock_guard held(lock_);
    for (std::size_t i = 0; i < checks_.hosts.size(); ++i) {
      if (!checks_.hosts[i].is(plan::HostConfig::Kind::kClients)) continue;
      const NetId net = checks_.configs[checks_.hosts[i].config].nets.front().net;
      if (!nids.empty() &&
          std::ranges::all_of(nids, [&](const Nid& nid) { return nid.net() == net; }) &&
          std::ranges::none_of(hosts_, [&](const ViaHost& one) { return one.host == i; }) &&
          std::ranges::find(clients_taken_, i) == clients_taken_.end()) {
        clients_taken_.push_back(i);
        return i;
      }
    }
    return std::nullopt;
  }

  milliseconds time_for(milliseconds wanted) const {
    return std::clamp(std::chrono::duration_cast<milliseconds>(end_ - Clock::now()),
                      milliseconds{1}, wanted);
  }
  static std::string words_of(const Via& via) {
    if (via.way == Via::Way::kLocal) return "local";
    return fmt::format("{}:{}", via.way == Via::Way::kSsh ? "ssh" : "door", via.place);
  }
  void note(std::string text) {
    const std::lock_guard held(lock_);
    asked_.notes.push_back(std::move(text));
  }
  void put(std::size_t host, plan::HostSeen seen) {
    const std::lock_guard held(lock_);
    if (asked_.seen[host].state == plan::HostSeen::State::kNotAsked)
      asked_.seen[host] = std::move(seen);
    else
      asked_.notes.push_back(
          fmt::format("{} was asked twice, and the second time does not count: --via NAME=... says "
                      "who it is",
                      checks_.hosts[host].name));
  }
  void count_pings(std::size_t count) {
    step([&](AskProgress& progress) { progress.of_pings += count; });
  }
  template <class Change>
  void step(Change change) {
    const std::lock_guard held(lock_);
    change(progress_);
    told_(progress_);
  }

  const plan::VerifyChecks& checks_;
  const std::vector<ViaHost>& hosts_;
  const AskWish& wish_;
  const std::function<void(const AskProgress&)>& told_;
  const Clock::time_point end_;
  std::atomic<std::size_t> next_{0};
  std::mutex lock_;
  AskProgress progress_;
  Asked asked_;
  std::vector<std::size_t> clients_taken_;
  std::vector<std::string> left_out_;  ///< who was not asked
};

}  // namespace

Asked ask_all(const plan::VerifyChecks& checks, const std::vector<ViaHost>& hosts,
              const AskWish& wish, const std::function<void(const AskProgress&)>& told) {
  Asked asked = Asking(checks, hosts, wish, told).run();
  std::ranges::sort(asked.notes);
  return asked;
}

}  // namespace ulnet::tools::fgr
