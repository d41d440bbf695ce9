// Incoming PUTs and GETs: the search for a buffer, and what happens if this shard has none. Source:
// spec/core-semantics.md 3, 4.5, 7.
#pragma once

#include "lnet/core/flow/landing.h"

namespace ulnet::core {

/// Takes a PUT or a GET whose header was accepted.
void on_request(Step& step, const Arrival& a);

}  // namespace ulnet::core
