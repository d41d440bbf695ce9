// The transmission of a message: selection of the path, credits, the Send to the driver, the end
// with SendDone, and perhaps another try. Source: spec/core-semantics.md 6, 10.2, 11,
// spec/multirail.md 5.2, 5.3.
#pragma once

#include "core/flow/step.h"
#include "core/path/select.h"

namespace ulnet::core {

/// Sends a message whose header is complete but for the source. start_send() selects the path and
/// takes the credits; without one the message waits in a credit queue. The message ends in
/// end_send(), which may happen inside start_send(): `msg` may be gone afterwards.
void start_send(Step& step, Msg& msg, const SendIntent& intent);
/// Ends the transmission of an outgoing message that is in no credit queue: returns its credits and
/// accounts for health. If it failed in a way that allows it the message is sent again
/// (multirail.md 5.2, 5.3); else it ends: it is counted, and the event of its MD is posted. `msg`
/// may be gone afterwards. The event of an MD of the
/// shard's own is handled inside, which may send another ping and so call start_send() and
/// end_send() again.
void end_send(Step& step, Msg& msg, int status, Health health);
void send_done(Step& step, const SendDone& in);
void on_letter(Step& step, std::uint32_t from, const letter::Transmit& in);

bool waits_for_credit(const Msg& msg);
/// Takes a message that waits for a credit out of its queue.
void leave_queue(Msg& msg);
/// Puts a message that has just got the credit it waited for on the ready list. Null: does
/// nothing.
void make_ready(Step& step, Msg* msg);
/// Lets all ready messages go on: to the next credit or to the driver. Runs at the end of every
/// step.
void run_ready(Step& step);

/// For an MD that is unlinked: ends its messages that wait for a credit, with -ECANCELED, and has
/// drivers cancel those that they have.
void cancel_messages(Step& step, MdMessages& messages);

}  // namespace ulnet::core
