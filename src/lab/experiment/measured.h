// What an experiment's loads did over its time, wherever it ran.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lnet/base/time.h"

namespace ulnet::tools::lab {

inline double seconds_of(Duration time) { return std::chrono::duration<double>(time).count(); }

/// What arrived in an interval, or of reads what their servers sent; times are since the experiment
/// began.
struct Interval {
  Duration from{}, to{};
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  bool operator==(const Interval&) const = default;
};

struct LoadRecord {
  std::vector<Interval> intervals;  ///< one after the other
  std::uint64_t operations = 0;     ///< that ended well
  std::uint64_t lost = 0;           ///< that ended with an error, or not at all
};

/// When a fault was there.
struct FaultRecord {
  Duration from{}, to{};
};

struct Measured {
  enum class Where : std::uint8_t { kSimulator, kNamespaces, kLoopback } where = Where::kSimulator;
  std::uint64_t seed = 1;            ///< of kSimulator
  std::vector<LoadRecord> loads;     ///< as Experiment::loads
  std::vector<FaultRecord> faults;   ///< as Experiment::faults
  std::vector<std::string> remarks;  ///< sentences for people
  /// Live: by so much the latest of all samples and faults came late.
  Duration late{};

  bool live() const { return where != Where::kSimulator; }
};
/// "simulated, seed 1", "live, in network namespaces", "live, on loopback".
std::string told(const Measured& measured);

}  // namespace ulnet::tools::lab
