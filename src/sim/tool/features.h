// The features of docs/spec that random worlds exercise: a table of features, and in how many
// worlds each occurred. Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/scenario/run.h"

namespace ulnet::tools {

struct Feature {
  const char* clause;  ///< in docs/spec: "multirail 10"; or the document that contains it
  const char* name;
  bool (*occurs)(const sim::Scenario& drawn, const sim::Report& report);
};
std::span<const Feature> features();

/// Counts in how many worlds each feature occurred.
class FeatureCounts {
 public:
  FeatureCounts() : counts_(features().size()) {}
  void add(const sim::Scenario& drawn, const sim::Report& report);
  std::uint64_t worlds() const { return worlds_; }
  /// Features that occurred in fewer than `least` of 10,000 worlds.
  std::vector<const Feature*> rarer_than(std::uint64_t least) const;
  /// A line for each feature: the clause, the name, in how many worlds it occurred.
  std::string table() const;

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t worlds_ = 0;
};

}  // namespace ulnet::tools
