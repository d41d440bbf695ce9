// The measurements of an experiment's loads over its time, live or simulated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lnet/base/time.h"

namespace ulnet::tools::lab {

inline double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }

/// The bytes that arrived at a load's servers in an interval; for reads, the bytes that the servers
/// sent. Times are since the experiment began.
struct Interval {
  Duration from{}, to{};
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Interval&) const = default;
};

struct LoadRecord {
  std::vector<Interval> intervals;  ///< one after the other
  std::uint64_t operations = 0;     ///< operations that ended well
  std::uint64_t lost = 0;           ///< operations that ended with an error, or not at all
};

/// The time during which a fault existed.
struct FaultRecord {
  Duration from{}, to{};
};

struct Measured {
  enum class Where : std::uint8_t { kSimulator, kNamespaces, kLoopback } where = Where::kSimulator;
  std::uint64_t seed = 1;            ///< for kSimulator
  std::vector<LoadRecord> loads;     ///< in the order of Experiment::loads
  std::vector<FaultRecord> faults;   ///< in the order of Experiment::faults
  std::vector<std::string> remarks;  ///< sentences for people
  /// Live: the largest delay of all samples and faults.
  Duration late{};

  bool live() const { return where != Where::kSimulator; }
};
/// Returns "simulated, seed 1", "live, in network namespaces", "live, on loopback".
std::string description(const Measured& measured);

}  // namespace ulnet::tools::lab
