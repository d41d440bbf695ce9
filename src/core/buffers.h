// Sequencing of MEs and MDs: posting, unlinking, the end of an operation. Source:
// spec/core-semantics.md 3, 4, 5.
#pragma once

#include "base/canary.h"
#include "core/cookie.h"
#include "core/event.h"
#include "core/step.h"

namespace ulnet::core {

/// Home: a shard is going to attach entries of this type. -EPERM: the portal has the other (3).
Check claim_portal(Step& step, Portal portal, PortalType type, std::uint32_t user);
/// 0 and `me`, or -EINVAL, -EPERM, -ENOMEM (3). -EAGAIN: the portal's home is another shard, it was
/// never used here, and claim_portal() was not done there (`claimed`).
Check attach_me(Step& step, Portal portal, const ProcessId& match_id, MatchBits match,
                MatchBits ignore, UnlinkMode unlink, bool at_head, bool claimed, MeHandle& me);
/// 0 and `md`; on an error the ME is gone too (4.3). Messages that wait on the portal are offered
/// to it.
Check attach_md(Step& step, MeHandle me, const MdSpec& spec, UnlinkMode unlink, MdOwner owner,
                MdHandle& md);
/// 0 and `md`, or -EINVAL, -ENOMEM (4.4).
Check bind_md(Step& step, const MdSpec& spec, UnlinkMode unlink, MdOwner owner, MdHandle& md);

/// LNetMDUnlink, or the end of waiting for a response: `idle_status` is that of the UNLINK event of
/// an idle MD (4.6, multirail.md 6). `md` may be gone afterwards.
void abort_md(Step& step, Md& md, int idle_status);
/// No further operation begins; what is in flight ends undisturbed. `md` may be gone afterwards.
void retire_md(Step& step, Md& md);
/// After begin_operation(): an exhausted MD leaves its ME at once (4.5).
void take_from_match_if_exhausted(Step& step, Md& md);

/// Posts an event; `fill` says what happened.
template <class Fill>
void deliver(Step& step, Md& md, const OperationEnd& end, Fill&& fill);
/// An operation on the MD ended: its event, and the MD's end if it was the last one. `md` may be
/// gone afterwards.
template <class Fill>
void end_md_operation(Step& step, Md& md, int status, Fill&& fill) {
  deliver(step, md, end_operation(md, status), std::forward<Fill>(fill));
}

/// The operation that `msg` is ended, and the message is none of its MD any more. `no_answer`: of
/// the ACK or REPLY that it expected nothing will come.
template <class Fill>
void end_message_operation(Step& step, Msg& msg, int status, bool no_answer, Fill&& fill) {
  if (Md* md = std::exchange(msg.md, nullptr)) {
    md->messages.erase(md->messages.iterator_to(msg));
    const bool get = msg.header.type() == wire::MsgType::kGet;
    if (no_answer) step.s.responses.end(md->awaited, get, step.now);
    return end_md_operation(step, *md, status, std::forward<Fill>(fill));
  }
  if (msg.away == nullptr) return;
  letter::Ended ended;
  ended.md = step.s.away.remove(msg);
  ended.status = status;
  ended.no_answer = no_answer;
  fill(ended.event);
  step.tell(shard_of_cookie(ended.md.cookie), std::move(ended));
}

/// The MD is gone: forgets it.
void release_md(Step& step, Md& md);

template <class Fill>
void deliver(Step& step, Md& md, const OperationEnd& end, Fill&& fill) {
  const auto complete = [&](Event& event) {
    fill(event);
    fill_md(event, md);
    event.status = end.status;
    event.unlinked =
        end.unlinked || (ULNET_CANARY(kUnlinkedTooEarly) && md.state != MdState::kActive);
    event.sequence = ++step.s.event_sequence;
  };
  if (md.owner == MdOwner::kShard) {
    Event event;
    complete(event);
    OwnMd& own = *static_cast<OwnMd*>(md.user_ptr);
    if (end.unlinked) release_md(step, md);
    own_event(step, own, event);
    return;
  }
  if (md.sink != nullptr &&
      !(ULNET_CANARY(kLastEventLost) && end.unlinked && end.status == -ETIMEDOUT)) {
    complete(step.act<Post>(md.handle, md.sink).event);
  }
  if (end.unlinked) release_md(step, md);
}

}  // namespace ulnet::core
