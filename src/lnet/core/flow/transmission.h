// How a message is sent. In the shard where it begins: the selection of its path, and at the end
// the choice whether it is sent again. In the shard of the path's peer NI, the same one or another:
// its transmission, which is the credits, the Send to the driver, and SendDone. Source:
// spec/core-semantics.md 6, 10.2, 11, spec/multirail.md 5.2, 5.3.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Sends a message whose header is complete but for the source: selects its path, and begins its
/// transmission here or, by letter, in another shard. `source`: the NI to use; any: LNet chooses.
/// `internal`: it is for portal 0. It may end inside: `msg` may be gone afterwards.
void start_send(Step& step, Msg& msg, const Nid& source, bool internal = false);
/// Ends the transmission of a message that is in no queue: returns its credits and accounts for
/// health. In the shard where the message began it is sent again, if it failed in a way that allows
/// it (multirail.md 5.2, 5.3); else it ends: it is counted, and the event of its MD is posted.
/// `msg` may be gone afterwards.
/// `begun`: as in SendDone.
void end_transmission(Step& step, Msg& msg, int status, Health health, bool begun = false);
/// Ends a message that waited for a path and gets none.
void end_without_path(Step& step, Msg& msg, int status);
/// Selects a path for the message, from scratch, and has it transmitted, here or elsewhere.
void send_on_new_path(Step& step, Msg& msg);
void send_done(Step& step, const SendDone& in);
void on_letter(Step& step, std::uint32_t from, const letter::Transmit& in);
void on_letter(Step& step, std::uint32_t from, const letter::Returned& in);

bool waits_for_credit(const Msg& msg);
/// Takes a message that waits for a credit out of its queue.
void leave_queue(Step& step, Msg& msg);
/// Has another path selected for a message that is in no queue and that no driver has. In the shard
/// where it began it is; else it is given back to that. `msg` may be gone afterwards.
void go_another_way(Step& step, Msg& msg);
/// Lets all ready messages go on: to the next credit or to the driver. Runs at the end of every
/// step.
void run_ready(Step& step);

}  // namespace ulnet::core
