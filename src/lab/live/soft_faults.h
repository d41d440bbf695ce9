// Faults that LNet's fault rules at the nodes make, because no wire can: rails that are cut on
// loopback, and losses and delays that the kernel cannot make. The seed of a rule marks it as the
// laboratory's. Rules that an administrator gave a node stay as they are.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "admin/client/control_api.h"
#include "lab/live/record.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// Whether this is the seed of a laboratory's rule.
bool is_lab_seed(std::uint64_t seed);

/// Returns the rules that the node should have while the laboratory is as the record says, as
/// bodies of POST /v1/fault. The topology must have addresses.
///
/// A rail that is cut, on loopback: its NI loses messages that it receives, and its sends fail with
/// local_dropped; at all other nodes on its net, sends to it fail with network_timeout. A loss of
/// one in N: the NI loses one of N messages that it receives, and one of N sends fails with
/// network_timeout. A delay gives a rule only from half a second on, since rules use whole seconds.
std::vector<ctl::Tree> wanted_rules(const Topology& topology, const Record& record, NodeNumber at);

/// Returns the features of the topology that the laboratory cannot provide, in sentences: rates on
/// loopback, delays that are too short.
std::vector<std::string> shortcomings(const Topology& topology, const Record& record);

/// Makes the laboratory's rules at the node equal to `wanted`. When a rule is deleted, the counters
/// of other rules with the same source and destination begin at 0. Returns the NIDs of the node's
/// NIs that do not lose messages any more.
Result<std::set<std::string>> reconcile(ctl::ControlApi& api, const std::vector<ctl::Tree>& wanted);

/// On loopback: sets the health of an NI whose rail is cut to 0, so that its status is down; or
/// restores it.
Result<void> set_health(ctl::ControlApi& api, const Nid& nid, bool well);

}  // namespace ulnet::tools::lab
