// The hosts of a site as they answer over time, for tests of its verification: pings are lost by
// chance, and routers are gone for a while, which hosts report by the states of their routes.
#pragma once

#include <map>
#include <vector>

#include "fgr/verify/asking.h"
#include "fgr/verify/real_site_fixture.h"
#include "lnet/base/rng.h"

namespace ulnet::plan {

class SimulatedHosts {
 public:
  /// All random choices follow from the seed. `site` must outlive this object.
  SimulatedHosts(const RealSite& site, std::uint64_t seed)
      : site_(site), rng_(seed), lost_per_mille_(rng_.below(31)) {
    std::vector<std::size_t> routers;
    for (std::size_t i = 0; i < hosts().size(); ++i)
      if (hosts()[i].is(HostKind::kRouter)) routers.push_back(i);
    for (auto count = rng_.below(4); count > 0; --count) {
      const Instant begin{milliseconds(rng_.below(10'000))};
      outages_.push_back({.router = routers[rng_.below(routers.size())],
                          .begin = begin,
                          .end = begin + milliseconds(100 + rng_.below(6'000)),
                          .silent = rng_.below(2) == 0});
    }
  }

  /// Asks all hosts, `at_once` at a time.
  Asked ask(std::size_t at_once, unsigned retries = 4) {
    std::vector<AskedOne> ones;
    for (const std::size_t host : asked_) ones.push_back({host, "door"});
    Asking asking(site_.checks(), std::move(ones), retries);
    std::multimap<Instant, Question> asked;  // by the time of its answer
    Instant now{};
    while (!asking.done()) {
      while (asked.size() < at_once) {
        auto question = asking.next(now);
        if (!question) break;
        const Instant answered = now + time_of(*question, now);
        asked.emplace(answered, std::move(*question));
      }
      if (asked.size() < at_once && (asked.empty() || asking.next_at() < asked.begin()->first)) {
        now = asking.next_at();
        continue;
      }
      now = asked.begin()->first;
      answer(asking, asked.begin()->second, now);
      asked.erase(asked.begin());
    }
    return asking.finish("");
  }

 private:
  using milliseconds = std::chrono::milliseconds;
  struct Outage {
    std::size_t router = 0;
    Instant begin, end;
    bool silent = false;  ///< answers nothing; false: it only does not forward
  };

  /// Returns how long the answer takes: a few milliseconds, and a second for each lost ping,
  /// because the pings of a question are made one by one.
  Duration time_of(const Question& question, Instant now) {
    if (question.pings.empty()) return milliseconds(1 + rng_.below(50));
    auto& made = pings_[question.whom];
    made.clear();
    Duration took{};
    for (const PingTarget& target : question.pings) {
      made.push_back(ping(host_of(question), target, now + took));
      took += made.back().answered ? milliseconds(1) : milliseconds(1000);
    }
    return took;
  }
  void answer(Asking& asking, const Question& question, Instant now) {
    if (!question.pings.empty()) return asking.pinged(question.whom, pings_[question.whom], now);
    HostSeen seen = site_.state(host_of(question));
    if (!seen.asked()) return asking.configured(question.whom, fail(-EIO, seen.trouble), now);
    for (const Outage& outage : outages_) {
      if (now < outage.begin || now >= outage.end) continue;
      for (SeenRoute& route : seen.routes)
        if (hosts()[outage.router].has(route.gateway)) route.up = false;
      if (outage.silent && outage.router == host_of(question))
        for (SeenNi& ni : seen.nis) ni.up = false;
    }
    asking.configured(question.whom, std::move(seen), now);
  }
  SeenPing ping(std::size_t from, const PingTarget& target, Instant at) {
    SeenPing lost{.target = target, .answered = false, .nids = {}, .trouble = "timed out"};
    if (rng_.below(1000) < lost_per_mille_) return lost;
    const bool routed =
        hosts()[from].is(HostKind::kClients) && hosts()[target.host].is(HostKind::kServer);
    for (const Outage& outage : outages_) {
      if (at < outage.begin || at >= outage.end) continue;
      if (outage.silent && (from == outage.router || target.host == outage.router)) return lost;
      // Until the loss is known, about half of the messages use this router, in one direction or
      // the other.
      if (routed && rng_.below(2) == 0) return lost;
    }
    return site_.ping(from, target);
  }

  const std::vector<VerifyHost>& hosts() const { return site_.checks().hosts; }
  std::size_t host_of(const Question& question) const { return asked_[question.whom]; }

  const RealSite& site_;
  const std::vector<std::size_t> asked_ = site_.asked();
  Rng rng_;
  const std::uint64_t lost_per_mille_;
  std::vector<Outage> outages_;
  /// by host: the results of its open question
  std::map<std::size_t, std::vector<SeenPing>> pings_;
};

}  // namespace ulnet::plan
