// Finds concentrations of counts that chance does not explain, in one host, or in hosts that have
// something in common. The measure is the likelihood ratio of a scan statistic, which prefers the
// smallest set with all of the surplus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ulnet::plan {

/// A host that could have been counted. Hosts of one role are expected to have equal counts.
struct CountedHost {
  std::size_t role = 0;
  std::vector<std::size_t> sets;  ///< the sets that contain it
};
struct HostCount {
  std::size_t host = 0;           ///< in the list of hosts
  std::vector<std::size_t> sets;  ///< the sets that it counts for
  std::uint64_t count = 0;
};

struct Cluster {
  bool one_host = false;
  std::size_t which = 0;  ///< number of the host, or of the set
  std::uint64_t count = 0;
  std::uint64_t of = 0;  ///< the sum of all counts, without those of earlier clusters
  double expected = 0;   ///< its count if all hosts of a role had equal counts
  double evidence = 0;   ///< twice the logarithm of the likelihood ratio
};

/// Finds at most `most` clusters, and returns the best ones first. After each cluster its hosts and
/// their counts are removed. Among equally good ones a host comes first, then the set with the
/// lowest number. A set is not a cluster if it has less than one and a half times the expected
/// count, if it has less than a hundredth of all counts, or if chance could well explain it.
std::vector<Cluster> clusters_of(std::vector<CountedHost> hosts, std::vector<HostCount> counts,
                                 std::size_t sets, std::size_t most);

}  // namespace ulnet::plan
