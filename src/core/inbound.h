// Sequencing of what comes in: the checks of an arriving header, matching, landing, held messages.
// Source: spec/core-semantics.md 6.3, 6.4, 7, 8.
#pragma once

#include "core/step.h"

namespace ulnet::core {

void header_arrived(Step& step, const HeaderArrived& in);
void payload_landed(Step& step, const PayloadLanded& in);

/// A fresh MD: the messages that wait on its portal are offered to it, oldest first, until it is
/// exhausted (4.3).
void offer_held(Step& step, Me& me);
/// Drops the messages held on a portal: all, or those of one NI (7.1). How many.
std::size_t drop_held(Step& step, PortalState& portal, const LocalNi* only, DropReason reason);

}  // namespace ulnet::core
