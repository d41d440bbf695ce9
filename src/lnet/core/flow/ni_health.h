// The health of this node's NIs. The control shard owns it. The other shards report to it how
// messages ended, and it reports the health to them. Source: spec/multirail.md 5.1, 5.2.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// A message ended well (1) or badly (-1) on the NI: changes the NI's health. At the end of this
/// step the shard reports the outcome to the control shard; the control shard reports a changed
/// health to all others. `received`: the message came in on the NI.
void count_outcome(Step& step, LocalNi& ni, std::int32_t balance, bool received = false);
/// A message of another shard, which reports the failure, ended badly on the NI. This shard lowers
/// the health that it assumes for the NI, so that it does not choose the NI next, and asks the
/// control shard for the health.
void see_failure(Step& step, LocalNi& ni);
/// Sets the health of the NI. In the control shard only; it reports the health to the others.
void set_ni_health(Step& step, LocalNi& ni, std::int32_t health);
/// This shard has got these NIs. The control shard reports their health to the others, because it
/// has lost their earlier reports about these NIs. Another shard asks the control shard for the
/// health, because it has lost what the control shard sent earlier.
void agree_on_new_nis(Step& step, const std::vector<LocalNi*>& nis);
/// Sends the health messages that are due in this step to other shards.
void report_ni_health(Step& step);

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::NiOutcomes& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::NiHealth& in);

}  // namespace ulnet::core
