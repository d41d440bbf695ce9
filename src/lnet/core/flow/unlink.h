// Unlinking of MDs while operations on them may be in flight: by LNetMDUnlink, or because a
// response did not come in time. Source: spec/core-semantics.md 4.6, 6.5, spec/multirail.md 6.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Unlinks the MD, because LNetMDUnlink asked for it or a response did not come in time. An idle MD
/// ends with an UNLINK event of status `idle_status`. On a busy MD the operations that wait for a
/// credit end, and those that a driver has are cancelled (4.6, multirail.md 6). `md` may be gone
/// afterwards.
void abort_md(Step& step, Md& md, int idle_status);
/// The timer of `awaited` has fired: unlinks its MD.
void on_response_timeout(Step& step, const Awaited& awaited);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Abort& in);

}  // namespace ulnet::core
