// The paths between the switches of a topology. Links form no ring, so there is at most one path.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/topology/topology.h"

namespace ulnet::tools::lab {

/// Returns the loss of two wires one after the other, in a million.
constexpr std::uint32_t both_losses(std::uint32_t a_ppm, std::uint32_t b_ppm) {
  constexpr std::uint64_t kAll = 1'000'000;
  return static_cast<std::uint32_t>(kAll - (kAll - a_ppm) * (kAll - b_ppm) / kAll);
}

class SwitchPaths {
 public:
  /// The topology must outlive this object.
  explicit SwitchPaths(const Topology& topology);
  /// Returns the links from `a` to `b`, as indices of Topology::switch_links; empty when `a` and
  /// `b` are one switch, or are not joined.
  std::vector<std::uint32_t> between(SwitchNumber a, SwitchNumber b) const;
  /// Returns the loss of all links between `a` and `b`, in a million.
  std::uint32_t loss(SwitchNumber a, SwitchNumber b) const;

 private:
  struct Step {
    SwitchNumber to = 0;
    std::uint32_t link = 0;
  };
  const Topology& topology_;
  std::vector<std::vector<Step>> steps_;  ///< from each switch
};

}  // namespace ulnet::tools::lab
