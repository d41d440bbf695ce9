// Applies a node's selection policies to a net, an NI, a peer's net and a peer NI. Each answer
// depends on the list and the names alone, and walks the whole list. So the node calls these
// functions when a net, NI or NID becomes known, or when the list changes, and never for a message.
// Source: spec/multirail.md 10.1, 10.2, spec/multirail.md 3.2, 3.3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lnet/core/udsp/rule_list.h"

namespace ulnet::core::udsp {

// Priorities: lower is preferred, kNoPriority where no rule names it. A rule that names nets gives
// no priority to their NIs, and a rule that names NIDs gives none to their net.
std::uint32_t priority_of_net(const RuleList& rules, NetId local_net);
std::uint32_t priority_of_ni(const RuleList& rules, const Nid& local_nid);
std::uint32_t priority_of_peer_net(const RuleList& rules, NetId peer_net);
std::uint32_t priority_of_peer_ni(const RuleList& rules, const Nid& peer_nid);

/// Whether the local NI is on the peer NI's list of preferred sources.
bool prefers_source(const RuleList& rules, const Nid& peer_nid, const Nid& local_nid);
/// Whether the gateway is on the peer NI's list of preferred routers.
bool prefers_router(const RuleList& rules, const Nid& peer_nid, const Nid& gateway_primary);

/// Whether a rule prefers routers for the peer NI. This function alone may be called for a message:
/// it only looks at rules that name routers.
bool prefers_some_router(const RuleList& rules, const Nid& peer_nid);

/// The peer NI's list of preferred sources: those among `local_nids`, in their order.
std::vector<Nid> preferred_sources(const RuleList& rules, const Nid& peer_nid,
                                   std::span<const Nid> local_nids);

}  // namespace ulnet::core::udsp
