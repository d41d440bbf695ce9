// Brings a running node from one configuration to another: at start all of it, at a reload the
// difference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admin/conf/diff.h"
#include "lnet/node/node.h"

namespace ulnet::tools {

struct Failure {
  std::string what;                    ///< for the log: "adding tcp(eth0)"
  Error error;                         ///< as the node returned it
  std::optional<conf::NiRef> ni = {};  ///< the NI that could not be added
};

struct Outcome {
  conf::Config now;  ///< the configuration in force: `to` without what failed
  std::vector<Failure> failures;
  std::vector<std::string> postponed;  ///< parameters that take effect at the next start
  std::vector<std::string> settings;   ///< settings that were set: "global retry_count = 3"
  std::size_t changes = 0;             ///< all changes made, those of NIs too
};

/// "1 change, 2 failures".
std::string summary(const Outcome& outcome);

/// Applies as much of `to` as possible. What fails is left out of `now`, so that the next call
/// tries it again. What the node already has as `to` wants it counts neither as a change nor as a
/// failure, whoever set it. An NI that is up with other tunables is removed and added again.
Outcome apply(node::Node& node, const conf::Config& from, const conf::Config& to);

}  // namespace ulnet::tools
