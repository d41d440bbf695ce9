// The start of an LNetPut or LNetGet: its message is made and sent, here or in the owner shard of
// the target. Source: spec/core-semantics.md 6.1, 6.2.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Begins an LNetPut or LNetGet on `md`, which is active and has an operation left. A SEND event
/// reports a failure. The response must come before `response_deadline`. With kNever, the MD's
/// options and `response_tracking` set the deadline.
void start_put(Step& step, Md& md, const PutRequest& request, Instant response_deadline = kNever);
void start_get(Step& step, Md& md, const GetRequest& request, Instant response_deadline = kNever);

}  // namespace ulnet::core
