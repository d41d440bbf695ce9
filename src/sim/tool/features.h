// The features of docs/spec that random worlds exercise: a table of features, and in how many
// worlds each occurred. Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/scenario/run.h"

namespace ulnet::tools {

/// How to see that a feature occurred in a world: all that is given here holds.
struct Signs {
  const char* mark = nullptr;                 ///< of coverage_marks.h
  const char* act = nullptr;                  ///< an act under this word found something to do
  std::optional<sim::FaultKind> fault = {};   ///< such a fault struck
  std::optional<core::DropReason> drop = {};  ///< a message was dropped for this reason
  std::int32_t core::Globals::*global = {};   ///< a node begins with another value than the default
  std::int32_t core::Globals::*setting = {};  ///< an administrator sets it
  bool (*node)(const sim::NodeSetup&) = {};   ///< it holds for a node
  bool (*occurs)(const sim::Scenario& drawn, const sim::Report& report) = {};
};

struct Feature {
  const char* clause;  ///< in docs/spec: "multirail 10"; or the document that contains it
  const char* name;
  Signs signs;
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
