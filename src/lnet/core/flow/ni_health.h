// The health of this node's NIs. The control shard owns it. The other shards report to it how
// messages ended, and it reports the health to them. Source: spec/multirail.md 5.1, 5.2.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Changes the health of the NI, on which a message ended well (`balance` 1) or badly (-1). At the
/// end of this step the shard reports the outcome to the control shard; the control shard reports a
/// changed health to all others. `received`: the message came in on the NI.
void count_outcome(Step& step, LocalNi& ni, std::int32_t balance, bool received = false);
/// Lowers the health that this shard assumes for the NI, so that it does not choose the NI next,
/// and asks the control shard for the health. To be called when a message of another shard ended
/// badly on the NI; that shard reports the failure.
void see_failure(Step& step, LocalNi& ni);
/// Sets the health of the NI. In the control shard only; it reports the health to the others.
void set_ni_health(Step& step, LocalNi& ni, std::int32_t health);
/// Makes the shards agree on the health of NIs that this shard has just got. The control shard
/// reports their health to the others, because it ignored earlier reports about these NIs. Another
/// shard asks the control shard for the health, because it ignored what the control shard sent
/// earlier.
void agree_on_new_nis(Step& step, const std::vector<LocalNi*>& nis);
/// Sends the health messages that are due in this step to other shards.
void report_ni_health(Step& step);

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::NiOutcomes& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::NiHealth& in);

}  // namespace ulnet::core
