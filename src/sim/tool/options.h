// ulnet-sim's command line. Source: docs/man/ulnet-sim.1.scd.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>

namespace ulnet::tools {

/// The exit codes of ulnet-sim (docs/man/ulnet-sim.1.scd).
enum ExitCode : int {
  kExitGood = 0,      ///< the verdict is good
  kExitBad = 1,       ///< a violation, an unmet expectation, or the run did not end
  kExitUsage = 2,     ///< the command line
  kExitScenario = 3,  ///< the scenario file: file:line:column: reason on stderr
};

/// Options that run and replay have in common.
struct Showing {
  bool trace = false;  ///< on standard output
  std::string svg;     ///< file; empty: none
  bool json = false;
};
struct RunCommand {
  std::string file;
  std::optional<std::uint64_t> seed;
  Showing show;
};
struct SwarmCommand {
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  std::uint64_t seeds = 100;           ///< the number of worlds, or kNoLimit
  std::optional<std::uint64_t> first;  ///< none: random, and printed
  double minutes = 0;                  ///< 0: no limit
  unsigned jobs = 1;
  std::uint64_t stop_after = 100;  ///< failing seeds
  std::string keep;                ///< folder for the files of a failure; empty: none are written
  bool json = false;
};
struct ReplayCommand {
  std::uint64_t seed = 0;
  std::uint64_t until = std::numeric_limits<std::uint64_t>::max();
  bool shrink = false;
  Showing show;
};
struct DigestCommand {
  std::uint64_t first = 1, last = 1;
};
struct FeaturesCommand {
  SwarmCommand worlds{.seeds = 10'000};
  std::uint64_t least = 50;  ///< worlds of 10,000 in which each feature has to occur
};
using Command =
    std::variant<RunCommand, SwarmCommand, ReplayCommand, DigestCommand, FeaturesCommand>;

/// The command, or the exit code when there is nothing to run.
std::variant<Command, int> parse_options(int argc, char** argv);

}  // namespace ulnet::tools
