// What a shard reports of routes, gateways and router buffers. Source: spec/core-semantics.md 16,
// spec/cli-lnetctl.md 4.3, 4.4.
#pragma once

#include "lnet/core/contract/api.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Only the control shard knows the state of gateways.
void show_routes(const Step& step, call::ShowRoutes& call);
void show_routing(const Step& step, call::ShowRouting& call);

}  // namespace ulnet::core
