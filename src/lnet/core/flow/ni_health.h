// The health of this node's NIs. The control shard owns it; the others tell it how messages ended,
// and it tells them what the health is. Source: spec/multirail.md 5.1, 5.2.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// A message ended well (1) or badly (-1) on the NI: changes its health, and has the control shard
/// be told at the end of this step, or from there, if the health is another one now, all others.
/// `received`: it came in on the NI.
void count_outcome(Step& step, LocalNi& ni, std::int32_t balance, bool received = false);
/// A message of another shard, which reports it, ended badly on the NI: this shard thinks the worse
/// of it, so that it does not choose it next, and asks the control shard for the health.
void see_failure(Step& step, LocalNi& ni);
/// Sets the health of the NI. In the control shard only; it tells the others.
void set_ni_health(Step& step, LocalNi& ni, std::int32_t health);
/// This shard has got these NIs. The control shard tells the others their health, because what they
/// have reported of them before is lost; another shard asks the control shard for it, because what
/// that has told before is lost.
void agree_on_new_nis(Step& step, const std::vector<LocalNi*>& nis);
/// Writes the letters about health that this step has made due.
void tell_ni_health(Step& step);

void on_letter(Step& step, std::uint32_t from, const letter::NiOutcomes& in);
void on_letter(Step& step, std::uint32_t from, const letter::NiHealth& in);

}  // namespace ulnet::core
