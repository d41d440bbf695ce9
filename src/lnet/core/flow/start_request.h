// The start of an LNetPut or LNetGet: its message is made and sent, here or in the shard of the
// target. Source: spec/core-semantics.md 6.1, 6.2.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Begins an LNetPut or LNetGet on `md`, which is active and has an operation left. A failure is
/// reported by a SEND event. The response must come until `response_deadline`; with kNever the
/// MD's options and `response_tracking` say until when.
void start_put(Step& step, Md& md, const PutRequest& request, Instant response_deadline = kNever);
void start_get(Step& step, Md& md, const GetRequest& request, Instant response_deadline = kNever);

}  // namespace ulnet::core
