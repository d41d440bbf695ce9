// Adds up what runs exercised, and prints it.
#pragma once

#include <string>

#include "sim/scenario/run.h"

namespace ulnet::tools {

/// Adds what `report` exercised, whatever its ending.
class Totals {
 public:
  void add(const sim::Report& report);
  std::uint64_t runs() const { return runs_; }
  std::uint64_t messages() const;
  std::uint64_t steps() const { return sum_.steps; }
  /// A table to read: faults by kind, messages, events, drops by reason, node changes, marks.
  std::string table() const;
  std::string json() const;

 private:
  sim::Report sum_;
  std::uint64_t runs_ = 0;
};

/// A report as one line of JSON, and back: a child sends its report to the parent this way.
std::string to_json(const sim::Report& report);
sim::Report from_json(const std::string& line);

}  // namespace ulnet::tools
