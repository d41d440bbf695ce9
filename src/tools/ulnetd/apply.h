// Brings a running node from one configuration to another: all of it at start, the difference at
// SIGHUP.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conf/diff.h"
#include "node/node.h"

namespace ulnet::tools {

struct Failure {
  std::string what;                    ///< for the log: "adding tcp(eth0)"
  Error error;                         ///< the node's
  std::optional<conf::NiRef> ni = {};  ///< the one that could not be added
};

struct Outcome {
  conf::Config now;  ///< what is in force: the wish without what failed
  std::vector<Failure> failures;
  std::vector<std::string> postponed;  ///< parameters that count at the next start only
  std::vector<std::string> settings;   ///< that were set: "global retry_count = 3"
  std::size_t changes = 0;             ///< all that was done, interfaces too
};

/// "1 change, 2 failures".
std::string summary(const Outcome& outcome);

/// Does as much as it can; what fails is left out of `now`, so that the next attempt tries it
/// again. What the node has already as `to` wants it is neither a change nor a failure, whoever did
/// it; an NI that is there with other tunables is brought up anew.
Outcome apply(node::Node& node, const conf::Config& from, const conf::Config& to);

}  // namespace ulnet::tools
