// Where counts are concentrated more than chance would have it: in one host, or in hosts that have
// something in common. The measure is the likelihood ratio of a scan statistic: it prefers the
// smallest set that has all of the surplus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ulnet::plan {

/// A host that might have been counted. Hosts of one role are taken to be counted alike.
struct CountedHost {
  std::size_t role = 0;
  std::vector<std::size_t> sets;  ///< it is in these
};
struct HostCount {
  std::size_t host = 0;           ///< in the list of hosts
  std::vector<std::size_t> sets;  ///< it counts for these
  std::uint64_t count = 0;
};

struct Cluster {
  bool one_host = false;
  std::size_t which = 0;  ///< of the hosts, or of the sets
  std::uint64_t count = 0;
  std::uint64_t of = 0;  ///< the sum of the counts; without those of the clusters before it
  double expected = 0;   ///< what it would have, were all hosts of a role counted alike
  double evidence = 0;   ///< twice the logarithm of the likelihood ratio
};

/// The best ones first, at most so many. Each time a cluster was found its hosts and counts are
/// taken away. Of equally good ones a host is first, then the set with the lowest number. What has
/// not at least half more than expected, has less than a hundredth of all counts, or could well be
/// chance, is none.
std::vector<Cluster> clusters_of(std::vector<CountedHost> hosts, std::vector<HostCount> counts,
                                 std::size_t sets, std::size_t most);

}  // namespace ulnet::plan
