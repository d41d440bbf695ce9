// Logs messages that this node drops because a route is missing or asymmetric. Source:
// spec/multirail.md 9.6, 9.7, spec/observed-routing.md 2.1, 4.1.
#include "lnet/core/flow/unroutable.h"

#include "lnet/core/flow/message_records.h"

namespace ulnet::core {

namespace {

void note_drop(Step& step, const char* text, const Nid& peer, const Nid& by = {}) {
  if (!step.s.drop_notes.admit(text, peer, step.now)) return;
  step.act<Note>(Note::Level::kWarning, Note::About::kDrop, text, peer, std::uint64_t{0}, by);
}

}  // namespace

void note_asymmetric(Step& step, const Nid& source, const Nid& hop) {
  note_drop(step,
            "Dropping asymmetrical route: a message from {nid} came by {by}, which is no gateway "
            "to {net} here, and drop_asym_route is on: see 'ulnetctl route show -v --net {net}'",
            source, hop);
}

void note_unreachable(Step& step, const Msg& msg, const Choice& choice) {
  if (choice.status != -EHOSTUNREACH || (!msg.routed && !is_answer(msg)))
    return step.note(Note::Level::kDebug, choice.reason, msg.target);
  note_drop(
      step,
      msg.routed
          ? "Unable to forward a message to {nid}: no route to {net} can be used. Route table "
            "may be misconfigured: see 'ulnetctl debug path --to {nid}'"
          : "Unable to send an answer to {nid}: no route to {net} can be used. Route table may "
            "be misconfigured: see 'ulnetctl debug path --to {nid}'",
      msg.target);
}

}  // namespace ulnet::core
