// What became of a run.
#pragma once

#include <string>
#include <vector>

#include "tools/ulst/run/measure.h"
#include "tools/ulst/run/pace.h"

namespace ulnet::tools::lst::run {

struct Problem {
  std::string node;  ///< its process id; empty: of the run
  std::string why;   ///< in words
};

struct StepResult {
  Step step;
  Pace pace;
  double seconds = 0;  ///< that it ran
  std::vector<Flow> clients, servers;
  Flow total;  ///< of the clients; percentiles are of those that tell
};

struct Outcome {
  std::vector<StepResult> steps;  ///< those that were begun
  std::vector<Problem> problems;
  std::vector<Problem> remarks;  ///< what is to be known of the results, and is no failure
  bool interrupted = false;
  bool broken = false;  ///< it could not be begun, or the console failed
};

/// Pairs of clients and servers, of a plan of one step.
struct Matrix {
  std::string unit;   ///< of the values
  std::string about;  ///< how they were got
  std::vector<std::string> rows, columns;
  std::vector<std::vector<std::optional<double>>> values;  ///< by row; nothing: not measured
};
Matrix matrix_of(const Plan& plan, const Outcome& outcome);
/// "write 1M, check none, concurrency 8": what all results of the step have in common.
std::string about(const Plan& plan, const StepResult& step);

inline constexpr int kSomethingFailed = 1;  ///< an RPC or a node failed, or data were wrong
inline constexpr int kInterrupted = 130;
/// Of the command: 0 when all went well.
int exit_code(const Outcome& outcome);
/// "10.0.0.1@tcp: why" a line.
std::string lines_of(const std::vector<Problem>& problems);

}  // namespace ulnet::tools::lst::run
