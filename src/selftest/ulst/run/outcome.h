// The results of a run, and what went wrong.
#pragma once

#include <string>
#include <vector>

#include "selftest/ulst/run/measure.h"
#include "selftest/ulst/run/pace.h"

namespace ulnet::tools::lst::run {

struct Problem {
  std::string node;  ///< process id of the node; empty: the problem concerns the whole run
  std::string why;   ///< in words
};

struct StepResult {
  Step step;
  Pace pace;
  double seconds = 0;  ///< duration of the test
  std::vector<Flow> clients, servers;
  Flow total;  ///< the sum of all clients; its percentiles cover only the clients that report them
};

struct Outcome {
  std::vector<StepResult> steps;  ///< the steps that were started
  std::vector<Problem> problems;
  std::vector<Problem> remarks;  ///< notes about the results that are not failures
  bool interrupted = false;
  bool broken = false;  ///< the run could not be started, or the console failed
};

/// A value for each pair of client and server. The plan has one step.
struct Matrix {
  std::string unit;   ///< unit of the values
  std::string about;  ///< the conditions of the test
  std::vector<std::string> rows, columns;
  std::vector<std::vector<std::optional<double>>> values;  ///< by row; empty: not measured
};
Matrix matrix_of(const Plan& plan, const Outcome& outcome);
/// Describes the conditions that all results of the step share: "write 1M, check none, concurrency
/// 8".
std::string about(const Plan& plan, const StepResult& step);

inline constexpr int kSomethingFailed = 1;  ///< an RPC or a node failed, or data were wrong
inline constexpr int kInterrupted = 130;
/// Returns the command's exit code: 0 when all went well.
int exit_code(const Outcome& outcome);
/// Formats the problems, one a line: "10.0.0.1@tcp (client1): why" for a problem of a node, "ulst:
/// why" for a problem of the run.
std::string lines_of(const Plan& plan, const std::vector<Problem>& problems);

}  // namespace ulnet::tools::lst::run
