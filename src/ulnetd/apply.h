// Brings a running node from one configuration to another: at the start all of it, at a reload the
// difference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admin/conf/diff.h"
#include "lnet/node/node.h"

namespace ulnet::tools {

struct Failure {
  std::string verb;                                 ///< "adding "; empty: the part was not set
  std::string part;                                 ///< the part's name (conf::name_of())
  Error error;                                      ///< as the node returned it
  std::optional<conf::NiRef> ni = {};               ///< the NI that could not be added
  std::string what() const { return verb + part; }  ///< for the log: "adding tcp(eth0)"
};

struct Outcome {
  conf::Config now;  ///< the configuration in force: `to` without the failed changes
  std::vector<Failure> failures;
  std::vector<std::string> postponed;  ///< parameters that take effect at the next start
  std::vector<std::string> settings;   ///< settings that were set: "global retry_count = 3"
  std::size_t changes = 0;             ///< all changes made, including those of NIs
};

/// "1 change, 2 failures".
std::string summary(const Outcome& outcome);

/// Applies as much of `to` as possible, in one transaction: all of it comes into force together.
/// `now` leaves out what fails, so that the next call tries it again. Parts of `to` that the node
/// already has count neither as changes nor as failures. An NI that is up with other tunables is
/// removed and added again.
Outcome apply(node::Node& node, const conf::Config& from, const conf::Config& to);

}  // namespace ulnet::tools
