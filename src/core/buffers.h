// What a shard does with MEs and MDs: it attaches, binds and unlinks them, and ends the
// operations on them with their events. Source: spec/core-semantics.md 3, 4, 5.
#pragma once

#include "base/canary.h"
#include "core/cookie.h"
#include "core/event.h"
#include "core/step.h"

namespace ulnet::core {

/// At home: shard `user` is going to attach entries of this type. -EINVAL: no such portal.
/// -EPERM: the portal has the other type (3).
Check claim_portal(Step& step, Portal portal, PortalType type, std::uint32_t user);
/// 0 and `me`, or -EINVAL, -EPERM, -ENOMEM (3). -EAGAIN: the portal's home is another shard and
/// this shard has never attached an entry on the portal, so the caller first has to call
/// claim_portal() at home; it says with `claimed` that it has.
Check attach_me(Step& step, Portal portal, const ProcessId& match_id, MatchBits match,
                MatchBits ignore, UnlinkMode unlink, bool at_head, bool claimed, MeHandle& me);
/// 0 and `md`; then the MD is offered to the messages that wait on the portal. On an error other
/// than -ENOENT and -EBUSY the ME is gone too (4.3).
Check attach_md(Step& step, MeHandle me, const MdSpec& spec, UnlinkMode unlink, MdOwner owner,
                MdHandle& md);
/// 0 and `md`, or -EINVAL, -ENOMEM (4.4).
Check bind_md(Step& step, const MdSpec& spec, UnlinkMode unlink, MdOwner owner, MdHandle& md);

/// Unlinks the MD, because LNetMDUnlink asked for it or a response did not come in time. An idle
/// MD ends with an UNLINK event of status `idle_status`. Operations of a busy MD that wait for a
/// credit end, those that a driver has are cancelled (4.6, multirail.md 6). `md` may be gone
/// afterwards.
void abort_md(Step& step, Md& md, int idle_status);
/// Lets no further operation begin; operations in flight end undisturbed. `md` may be gone
/// afterwards.
void retire_md(Step& step, Md& md);
/// To be called after begin_operation(): an exhausted MD that unlinks itself leaves its ME at once
/// (4.5).
void take_from_match_if_exhausted(Step& step, Md& md);

/// Posts an event of the MD: `fill(event)` fills in what happened, deliver() the rest. An event
/// of an MD of the shard's own is handled at once (own_event()). `md` is gone afterwards if
/// `end.unlinked`.
template <class Fill>
void deliver(Step& step, Md& md, const OperationEnd& end, Fill&& fill);
/// Ends an operation on the MD and posts its event. If it was the last one of an MD that is
/// retired or aborted the MD ends too. `md` may be gone afterwards.
template <class Fill>
void end_md_operation(Step& step, Md& md, int status, Fill&& fill) {
  deliver(step, md, end_operation(md, status), std::forward<Fill>(fill));
}

/// Ends the operation that `msg` is, here or by letter at the MD's shard, and takes `msg` off its
/// MD. `no_answer`: the ACK or REPLY that the message expected will not come.
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

/// Forgets an MD that is gone.
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
