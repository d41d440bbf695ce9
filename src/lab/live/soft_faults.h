// What no wire does for a laboratory is done by LNet's fault rules at the nodes: rails that are cut
// on loopback, and losses and delays that the kernel cannot make. The laboratory's rules are known
// by their seeds; rules that an administrator gave a node are left as they are.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "admin/client/door.h"
#include "lab/live/record.h"
#include "ulnet/result.hpp"

namespace ulnet::tools::lab {

/// True for the seed of a laboratory's rule.
bool is_lab_seed(std::uint64_t seed);

/// The rules that the node has while the laboratory is as the record says, as the body of POST
/// /v1/fault. Addresses are given.
///
/// A rail that is cut, on loopback: its NI loses what comes, and what it sends fails with
/// local_dropped; at all other nodes on its net messages to it fail with network_timeout. A loss:
/// one of so many messages that come is lost, and of those that are sent one fails with
/// network_timeout. A delay: only from half a second on, since rules know whole seconds.
std::vector<ctl::Tree> wanted_rules(const Topology& topology, const Record& record, NodeNumber at);

/// What the laboratory cannot do, in sentences: rates on loopback, delays that are too short.
std::vector<std::string> shortcomings(const Topology& topology, const Record& record);

/// Makes the laboratory's rules at the node those that are wanted. Of the other rules with the same
/// source and destination as one that is deleted the counters begin anew. Returns the NIDs of the
/// node's NIs that lose nothing any more.
Result<std::set<std::string>> reconcile(ctl::Door& door, const std::vector<ctl::Tree>& wanted);

/// On loopback: an NI whose rail is cut has no health, so that its status is down; or all of it
/// again.
Result<void> set_health(ctl::Door& door, const Nid& nid, bool well);

}  // namespace ulnet::tools::lab
