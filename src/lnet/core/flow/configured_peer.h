// Discovery of a peer that an administrator has configured: the configuration is used, and the info
// that the peer sends is compared with it. Source: spec/multirail.md 2.2, 4.4, 4.6.
#pragma once

#include <span>

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Returns false if the peer is not configured. Otherwise the peer's info, with these NIDs and
/// `multi_rail`, changes nothing. Where the info contradicts the configuration, this is noted for
/// the log.
bool configuration_counts(Step& step, Peer& peer, std::span<const Nid> advertised, bool multi_rail);
/// A service above LNet, or an administrator, has forced a discovery of the peer, because it
/// believes that this node's data about the peer are wrong. Notes for the log what only an
/// administrator can correct.
void suspect_stale(Step& step, const Nid& nid);

}  // namespace ulnet::core
