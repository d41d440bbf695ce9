// What is known of gateways, and how the shards get to know it. The control shard keeps it, tells
// all shards of a gateway whose routes can be used, or not any more, and is told of messages from
// gateways that are thought to be dead. Source: spec/multirail.md 8, 9.3, spec/core-semantics.md
// 8.9.
#pragma once

#include <span>

#include "lnet/core/flow/step.h"

namespace ulnet::core {

// ---- in the control shard

GatewayView view_of(const Step& step, const KnownGateway& gateway);
/// Something may be new of the gateways that have one of these NIDs: tell_gateways() has to run at
/// the end of this step.
void look_at_gateways(Step& step, std::span<const Nid> nids);
/// Tells all shards of the gateways of which they do not know how they are now.
void tell_gateways(Step& step);
/// The gateways that have this NID are checked out of turn, at most once a second each
/// (KnownGateway::next_extra_check). kHeard: the answer to a check that is under way makes another
/// one needless.
void check_soon(Step& step, const Nid& nid);
void check_soon(Step& step, KnownGateway& gateway,
                KnownGateway::Extra reason = KnownGateway::Extra::kAsked);
void on_letter(Step& step, std::uint32_t from, const letter::GatewayNotified& in);

// ---- in every shard

void on_letter(Step& step, std::uint32_t from, const letter::GatewayNews& in);
/// A message from `source` came by the neighbour `hop`. Only if RouteTable::misses_any().
void gateway_spoke(Step& step, const Nid& hop, const Nid& source);

}  // namespace ulnet::core
