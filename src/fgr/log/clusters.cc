#include "fgr/log/clusters.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ulnet::plan {
namespace {

constexpr double kMinRatio = 1.5;
constexpr double kMinShare = 0.01;  ///< of all counts: a smaller cluster is of no use
/// The least evidence, to which twice the logarithm of the number of candidate sets is added. If
/// the lines of a log were independent, chance alone would reach 10 with one candidate once in some
/// hundreds of logs.
constexpr double kMinEvidence = 10;

double evidence_of(double count, double expected, double all) {
  if (count <= expected || expected <= 0) return 0;
  const double rest = all - count;
  const double outside = rest > 0 ? rest * std::log(rest / (all - expected)) : 0;
  return 2 * (count * std::log(count / expected) + outside);
}

class ClusterSearch {
 public:
  ClusterSearch(std::vector<CountedHost> hosts, std::vector<HostCount> counts, std::size_t sets)
      : hosts_(std::move(hosts)), counts_(std::move(counts)), gone_(hosts_.size()), sets_(sets) {
    for (const CountedHost& host : hosts_) roles_ = std::max(roles_, host.role + 1);
    for (const HostCount& each : counts_) in_the_beginning_ += static_cast<double>(each.count);
  }

  std::optional<Cluster> next() {
    add_up();
    std::optional<Cluster> best;
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      if (!gone_[i]) weigh(best, {true, i, by_host_[i], all_, rate_[hosts_[i].role], 0});
    for (std::size_t i = 0; i < sets_; ++i) {
      double expected = 0;
      for (std::size_t role = 0; role < roles_; ++role)
        expected += static_cast<double>(in_set_[i * roles_ + role]) * rate_[role];
      weigh(best, {false, i, by_set_[i], all_, expected, 0});
    }
    if (best) take_away(*best);
    return best;
  }

 private:
  void add_up() {
    by_host_.assign(hosts_.size(), 0);
    by_set_.assign(sets_, 0);
    in_set_.assign(sets_ * roles_, 0);
    std::vector<double> members(roles_);
    rate_.assign(roles_, 0);
    all_ = 0;
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      if (gone_[i]) continue;
      ++members[hosts_[i].role];
      for (const std::size_t set : hosts_[i].sets) ++in_set_[set * roles_ + hosts_[i].role];
    }
    for (const HostCount& each : counts_) {
      by_host_[each.host] += each.count;
      for (const std::size_t set : each.sets) by_set_[set] += each.count;
      rate_[hosts_[each.host].role] += static_cast<double>(each.count);
      all_ += each.count;
    }
    for (std::size_t role = 0; role < roles_; ++role)
      if (members[role] > 0) rate_[role] /= members[role];
  }

  void weigh(std::optional<Cluster>& best, Cluster cluster) const {
    constexpr double kAlike = 1e-9;  // tolerance for sums of the same numbers in another order
    const auto count = static_cast<double>(cluster.count);
    cluster.evidence = evidence_of(count, cluster.expected, static_cast<double>(all_));
    const double least = kMinEvidence + 2 * std::log(static_cast<double>(hosts_.size() + sets_));
    if (cluster.evidence < least || count < kMinRatio * cluster.expected ||
        count < kMinShare * in_the_beginning_)
      return;
    if (!best || cluster.evidence > best->evidence * (1 + kAlike)) best = cluster;
  }

  void take_away(const Cluster& cluster) {
    const auto among = [&](const std::vector<std::size_t>& sets) {
      return std::ranges::find(sets, cluster.which) != sets.end();
    };
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      if (cluster.one_host ? i == cluster.which : among(hosts_[i].sets)) gone_[i] = true;
    std::erase_if(counts_, [&](const HostCount& each) {
      return gone_[each.host] || (!cluster.one_host && among(each.sets));
    });
  }

  std::vector<CountedHost> hosts_;
  std::vector<HostCount> counts_;
  std::vector<bool> gone_;
  std::size_t sets_, roles_ = 0;
  double in_the_beginning_ = 0;

  std::uint64_t all_ = 0;
  std::vector<std::uint64_t> by_host_, by_set_, in_set_;
  std::vector<double> rate_;  ///< by role: mean count of a host
};

}  // namespace

std::vector<Cluster> clusters_of(std::vector<CountedHost> hosts, std::vector<HostCount> counts,
                                 std::size_t sets, std::size_t most) {
  ClusterSearch search(std::move(hosts), std::move(counts), sets);
  std::vector<Cluster> found;
  while (found.size() < most) {
    const auto cluster = search.next();
    if (!cluster) break;
    found.push_back(*cluster);
  }
  return found;
}

}  // namespace ulnet::plan
