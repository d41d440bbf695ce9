// Discovery of a peer that an administrator has configured: the configuration is used, and the info
// that the peer sends is compared with it. Source: spec/multirail.md 2.2, 4.4, 4.6.
#pragma once

#include <span>

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Whether the peer is configured. If it is, the peer's info, with the NIDs `advertised` and
/// `multi_rail`, changes nothing; this function notes for the log where the info contradicts the
/// configuration.
bool configuration_counts(Step& step, Peer& peer, std::span<const Nid> advertised, bool multi_rail);
/// To be called when a service above LNet, or an administrator, has forced a discovery of the peer,
/// because this node's data about the peer seem to be wrong. Notes for the log what only an
/// administrator can correct.
void suspect_stale(Step& step, const Nid& nid);

}  // namespace ulnet::core
