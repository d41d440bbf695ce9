// The state of gateways, and how the shards learn it. The control shard keeps the state. It reports
// to all shards when routes by a gateway become usable or unusable, and the shards report messages
// from gateways that are thought to be dead. Source: spec/multirail.md 8, 9.3,
// spec/core-semantics.md 8.9.
#pragma once

#include <span>

#include "lnet/core/flow/step.h"

namespace ulnet::core {

// ---- in the control shard

GatewayView view_of(const Step& step, const KnownGateway& gateway);
/// The state of the gateways with these NIDs may have changed: makes report_gateways() run at the
/// end of this step.
void look_at_gateways(Step& step, std::span<const Nid> nids);
/// Sends all shards the gateway entries that are out of date there.
void report_gateways(Step& step);
/// Checks the gateways that have this NID out of turn, each at most once a second
/// (KnownGateway::next_extra_check). `reason` kHeard: no extra check is needed if a check that is
/// in progress is answered.
void check_soon(Step& step, const Nid& nid);
void check_soon(Step& step, KnownGateway& gateway,
                KnownGateway::Extra reason = KnownGateway::Extra::kAsked);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::GatewayNotified& in);

// ---- in every shard

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::GatewayNews& in);
/// A message from `source` came by the neighbour `hop`: reports this to the control shard if `hop`
/// is a gateway that is thought to be dead. To be called only if RouteTable::misses_any().
void gateway_heard(Step& step, const Nid& hop, const Nid& source);

}  // namespace ulnet::core
