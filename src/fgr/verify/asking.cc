#include "fgr/verify/asking.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgr/verify/verify_diagnosis.h"
#include "lnet/base/assert.h"

namespace ulnet::plan {
namespace {

constexpr unsigned kMaxDoublings = 6;  // a minute

Duration pause_after(unsigned round) {
  return std::chrono::seconds{1U << std::min(round, kMaxDoublings)};
}

bool has_down(const HostSeen& seen) {
  return std::ranges::any_of(seen.nis, [](const SeenNi& ni) { return !ni.up; }) ||
         std::ranges::any_of(seen.routes, [](const SeenRoute& one) { return one.up == false; });
}

}  // namespace

Asking::Asking(const VerifyChecks& checks, std::vector<AskedOne> ones, unsigned retries)
    : checks_(checks), retries_(retries), known_(checks.hosts.size()) {
  progress_.of_hosts = ones.size();
  for (std::size_t i = 0; i < ones.size(); ++i) {
    One& one = ones_.emplace_back();
    one.host = ones[i].host;
    one.way = std::move(ones[i].way);
    ready_.emplace(0, i);
    if (!one.host) continue;
    ULNET_ASSERT(!known_[*one.host]);
    known_[*one.host] = true;
    progress_.of_pings += checks.pings[*one.host].size();
  }
}

std::optional<Question> Asking::next(Instant now) {
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    const std::size_t whom = waiting_.begin()->second;
    waiting_.erase(waiting_.begin());
    ready_.emplace(ones_[whom].round, whom);
  }
  if (ready_.empty()) return std::nullopt;
  Question question{.whom = ready_.begin()->second, .pings = {}};
  ready_.erase(ready_.begin());
  One& one = ones_[question.whom];
  if (one.wants_state) return question;
  while (!one.todo.empty() && one.asked.size() < kPingsAtOnce) {
    one.asked.push_back(one.todo.back());
    one.todo.pop_back();
    question.pings.push_back(checks_.pings[*one.host][one.asked.back()]);
  }
  return question;
}

AskProgress Asking::progress() const {
  AskProgress progress = progress_;
  progress.again = waiting_.size();
  return progress;
}

Instant Asking::next_at() const { return waiting_.empty() ? kNever : waiting_.begin()->first; }

void Asking::configured(std::size_t whom, Result<HostSeen> answer, Instant now) {
  One& one = ones_[whom];
  one.wants_state = false;
  if (answer) {
    merge_state(one, std::move(*answer));
  } else if (one.states == 0) {
    one.seen.state = HostSeen::State::kSilent;
    one.seen.trouble = answer.error().reason;
  }
  if (!one.host && !know_host(whom)) return end(whom);
  if (one.states == 1 && one.round == 0) {
    const auto& targets = checks_.pings[*one.host];
    for (const PingTarget& target : targets) {
      one.seen.pings.push_back({.target = target, .answered = false, .nids = {}, .trouble = {}});
      one.seen.pings.back().asked = 0;
      one.todo.push_back(targets.size() - 1 - one.todo.size());
    }
  }
  go_on(whom, now);
}

void Asking::pinged(std::size_t whom, Result<std::vector<SeenPing>> answer, Instant now) {
  One& one = ones_[whom];
  if (answer) {
    ULNET_ASSERT(answer->size() == one.asked.size());
    one.trouble.clear();
    for (std::size_t i = 0; i < one.asked.size(); ++i) {
      SeenPing& ping = one.seen.pings[one.asked[i]];
      const unsigned times = ping.asked + 1;
      if (times == 1) ++progress_.pings;
      ping = std::move((*answer)[i]);
      ping.asked = times;
    }
  } else {
    one.trouble = answer.error().reason;
    one.todo.clear();
  }
  one.asked.clear();
  go_on(whom, now);
}

/// Merges a host's new answer into its state. The newest answer counts, but anything that was up in
/// an earlier one counts as up.
void Asking::merge_state(One& one, HostSeen answer) const {
  for (SeenNi& ni : answer.nis)
    ni.up = ni.up || std::ranges::any_of(one.seen.nis, [&](const SeenNi& before) {
              return before.nid == ni.nid && before.up;
            });
  for (SeenRoute& route : answer.routes)
    if (std::ranges::any_of(one.seen.routes, [&](const SeenRoute& before) {
          return before.net == route.net && before.gateway == route.gateway && before.up == true;
        }))
      route.up = true;
  answer.pings = std::move(one.seen.pings);
  one.seen = std::move(answer);
  ++one.states;
}

/// Finds which host of the site answered, and begins its pings. Returns false, after a note, if the
/// host is not known or another entry is the same host.
bool Asking::know_host(std::size_t whom) {
  One& one = ones_[whom];
  if (one.states == 0) {
    note(fmt::format("{}: {}", one.way, one.seen.trouble));
    return false;
  }
  const auto host = identify_host(one.seen);
  if (!host) {
    note(fmt::format(
        "{0}: its NIDs do not say which host of the site it is: name the host with --via NAME={0}",
        one.way));
    return false;
  }
  if (known_[*host]) {
    note(fmt::format(
        "{} was asked twice, and the second time does not count: name the host with --via NAME=...",
        checks_.hosts[*host].name));
    return false;
  }
  known_[*host] = true;
  one.host = host;
  progress_.of_pings += checks_.pings[*host].size();
  return true;
}

/// Finds the host that owns the NIDs of the answer; else the first client on the NIDs' net that is
/// not known yet.
std::optional<std::size_t> Asking::identify_host(const HostSeen& seen) const {
  std::vector<Nid> nids;
  for (const SeenNi& ni : seen.nis) nids.push_back(ni.nid);
  if (const auto owner = checks_.owner_of(nids)) return owner;
  for (std::size_t i = 0; i < checks_.hosts.size(); ++i) {
    if (!checks_.hosts[i].is(HostConfig::Kind::kClients) || known_[i]) continue;
    const NetId net = checks_.configs[checks_.hosts[i].config].nets.front().net;
    if (!nids.empty() &&
        std::ranges::all_of(nids, [&](const Nid& nid) { return nid.net() == net; }))
      return i;
  }
  return std::nullopt;
}

/// Continues after an answer: the rest of this round, the next round, or the end.
void Asking::go_on(std::size_t whom, Instant now) {
  One& one = ones_[whom];
  if (!one.todo.empty()) {
    ready_.emplace(one.round, whom);
    return;
  }
  if (one.states == 0 || one.round == retries_) return end(whom);
  one.wants_state = has_down(one.seen);
  for (std::size_t i = one.seen.pings.size(); i-- > 0;)
    if (!one.seen.pings[i].answered) one.todo.push_back(i);
  if (!one.wants_state && one.todo.empty()) return end(whom);
  waiting_.emplace(now + pause_after(one.round), whom);
  ++one.round;
}

void Asking::end(std::size_t whom) {
  ones_[whom].over = true;
  ++progress_.hosts;
}

Asked Asking::finish(const std::string& why) {
  Asked asked;
  asked.seen.resize(checks_.hosts.size());
  std::vector<std::string> left_out;
  for (One& one : ones_) {
    if (!one.over && one.states == 0) {
      left_out.push_back(one.host ? checks_.hosts[*one.host].name : one.way);
    } else if (one.host) {
      take_over(one, why);
      asked.seen[*one.host] = std::move(one.seen);
    }
  }
  std::ranges::sort(left_out);
  if (!left_out.empty())
    note(fmt::format("{} host{} not asked, {}: {}", left_out.size(),
                     left_out.size() == 1 ? " was" : "s were", why, few_of(left_out)));
  std::ranges::sort(notes_);
  asked.notes = std::move(notes_);
  return asked;
}

/// Keeps the results that count in `one.seen`, and notes those that do not.
void Asking::take_over(One& one, const std::string& why) {
  const std::string& name = checks_.hosts[*one.host].name;
  const std::size_t all = one.seen.pings.size();
  const auto not_made =
      std::erase_if(one.seen.pings, [](const SeenPing& ping) { return ping.asked == 0; });
  const auto unsure = std::erase_if(one.seen.pings, [&](const SeenPing& ping) {
    return !ping.answered && ping.asked <= retries_;
  });
  const std::string& reason = one.trouble.empty() ? why : one.trouble;
  if (not_made > 0)
    note(fmt::format("{}: {} of {} pings were not made: {}", name, not_made, all, reason));
  if (unsure > 0)
    note(fmt::format(
        "{}: {} of {} pings failed, were repeated less than {} times, and do not count: {}", name,
        unsure, all, retries_, reason));
  if (one.states > retries_ || !has_down(one.seen)) return;
  for (SeenNi& ni : one.seen.nis) ni.up = true;
  for (SeenRoute& route : one.seen.routes)
    if (route.up == false) route.up.reset();
  note(fmt::format(
      "{}: what is down there was queried again less than {} times, and does not count: {}", name,
      retries_, reason));
}

}  // namespace ulnet::plan
