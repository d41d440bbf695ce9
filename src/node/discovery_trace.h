// The last steps of discoveries, so that somebody can watch them (`ulnetctl discover --trace`).
// Memory is bounded: the oldest are forgotten. Any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "ulnet/nid.hpp"

namespace ulnet::node {

class DiscoveryTrace {
 public:
  static constexpr std::size_t kRemembered = 1024;

  struct Line {
    std::uint64_t number = 0;   ///< 1 for the first one of this node; without gaps
    std::uint64_t unix_ns = 0;  ///< when it was taken
    Nid nid;                    ///< the primary NID of the peer
    const char* text = "";      ///< static
    std::uint64_t detail = 0;   ///< what `text` counts; 0: nothing
  };

  void add(const Nid& nid, const char* text, std::uint64_t detail);
  /// Those with a larger number than `number`, the oldest first, as far as they are remembered.
  std::vector<Line> after(std::uint64_t number) const;
  /// The number of the newest one; 0: none yet.
  std::uint64_t newest() const;

 private:
  mutable std::mutex lock_;  // held briefly
  std::vector<Line> lines_;  // a ring: number n is at (n - 1) % kRemembered
  std::uint64_t newest_ = 0;
};

}  // namespace ulnet::node
