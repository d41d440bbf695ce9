// How a message is sent. The shard where it begins selects its path, and decides at the end whether
// it is sent again. The shard of the path's peer NI, the same or another one, transmits it: the
// credits, the Send to the driver, and SendDone. Source: spec/core-semantics.md 6, 10.2, 11,
// spec/multirail.md 5.2, 5.3.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

/// Sends a message whose header is complete but for the source: selects its path, and begins its
/// transmission here or, by an inter-shard message, in another shard. `source`: the NI to use; any:
/// LNet chooses. `internal`: it is for portal 0. The message may end inside, so `msg` may be gone
/// afterwards.
void start_send(Step& step, Msg& msg, const Nid& source, bool internal = false);
/// Ends the transmission of a message that is in no queue: returns its credits and accounts for
/// health. The shard where the message began sends it again, if it failed in a way that allows it
/// (multirail.md 5.2, 5.3). Otherwise it counts the message and posts the event of its MD. `msg`
/// may be gone afterwards. `begun`: as in SendDone.
void end_transmission(Step& step, Msg& msg, int status, Health health, bool begun = false);
/// Ends a message that waited for a path and gets none.
void end_without_path(Step& step, Msg& msg, int status);
/// Selects a new path for the message, and transmits it, here or in another shard.
void send_on_new_path(Step& step, Msg& msg);
void send_done(Step& step, const SendDone& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Transmit& in);
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Returned& in);

bool waits_for_credit(const Msg& msg);
/// Takes a message that waits for a credit out of its queue.
void leave_queue(Step& step, Msg& msg);
/// Selects another path for a message that is in no queue and that no driver has. A message that
/// began in another shard is given back to that shard for this. `msg` may be gone afterwards.
void go_another_way(Step& step, Msg& msg);
/// Goes on with all ready messages, to the next credit or to the driver. Runs at the end of every
/// step.
void run_ready(Step& step);

}  // namespace ulnet::core
