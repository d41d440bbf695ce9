// What a node's selection policies say of a net, an NI, a peer's net and a peer NI. Each answer is
// a function of the list and of names alone, and walks the whole list: it is asked for once, when
// the net, NI or NID becomes known, or when the list changes; never for a message. Source:
// spec/multirail.md 10.1, 10.2, spec/multirail.md 3.2, 3.3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lnet/core/udsp/rule_list.h"

namespace ulnet::core::udsp {

// Priorities: lower is preferred, kNoPriority where no rule names it. A rule that names nets says
// nothing of their NIs, and one that names NIDs nothing of their net.
std::uint32_t priority_of_net(const RuleList& rules, NetId local_net);
std::uint32_t priority_of_ni(const RuleList& rules, const Nid& local_nid);
std::uint32_t priority_of_peer_net(const RuleList& rules, NetId peer_net);
std::uint32_t priority_of_peer_ni(const RuleList& rules, const Nid& peer_nid);

/// Whether the local NI is on the peer NI's list of preferred sources.
bool prefers_source(const RuleList& rules, const Nid& peer_nid, const Nid& local_nid);
/// Whether the gateway is on the peer NI's list of preferred routers.
bool prefers_router(const RuleList& rules, const Nid& peer_nid, const Nid& gateway_primary);

/// Whether there are preferred routers for the peer NI at all. Other than the rest it may be asked
/// for a message: it only looks for rules that name routers.
bool prefers_some_router(const RuleList& rules, const Nid& peer_nid);

/// The peer NI's lists: those of `local_nids`, or of `gateway_primaries`, in their order.
std::vector<Nid> preferred_sources(const RuleList& rules, const Nid& peer_nid,
                                   std::span<const Nid> local_nids);
std::vector<Nid> preferred_routers(const RuleList& rules, const Nid& peer_nid,
                                   std::span<const Nid> gateway_primaries);

}  // namespace ulnet::core::udsp
