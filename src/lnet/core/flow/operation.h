// The end of an operation on an MD: its event is posted, and an MD that is done leaves its ME and
// is removed. Source: spec/core-semantics.md 3, 4, 5.
#pragma once

#include "lnet/core/contract/cookie.h"
#include "lnet/core/flow/step.h"
#include "lnet/core/memory/event.h"

namespace ulnet::core {

/// The partition whose memory an outgoing message moves; -1: not known.
inline std::int32_t memory_cpt_of(const Msg& msg) {
  return msg.md != nullptr ? msg.md->cpt : msg.memory_cpt;
}

/// Takes an ME off its portal and forgets it.
void remove_me(ShardState& s, Me& me);
/// Takes the MD off its ME, so that matching no longer finds it. Removes the ME too, unless the ME
/// is kRetain and `keep_retained` (3, 4.6).
void detach_from_me(ShardState& s, Md& md, bool keep_retained);
/// To be called after begin_operation(): an exhausted MD that unlinks itself leaves its ME at once
/// (4.5).
void take_from_match_if_exhausted(Step& step, Md& md);

/// Posts an event of the MD: `fill(event)` fills in what happened, post_event() the rest. The event
/// of an MD of the shard's own is handled later in the step (handle_portal0_event()). `md` is gone
/// afterwards if `end.unlinked`.
template <class Fill>
void post_event(Step& step, Md& md, const OperationEnd& end, Fill&& fill);
/// Ends an idle MD with an UNLINK event. `md` is gone afterwards.
void post_unlink(Step& step, Md& md, int status);
/// Lets no further operation begin. Operations in flight end undisturbed. `md` may be gone
/// afterwards.
void retire_md(Step& step, Md& md);
/// Forgets an MD that is gone.
void release_md(Step& step, Md& md);

/// Ends an operation on the MD and posts its event. If it was the last operation of an MD that is
/// retired or aborted, the MD ends too. `md` may be gone afterwards.
template <class Fill>
void end_md_operation(Step& step, Md& md, int status, Fill&& fill) {
  post_event(step, md, end_operation(md, status), std::forward<Fill>(fill));
}

/// Ends the operation of `msg`, here or by an inter-shard message in the MD's shard, and takes
/// `msg` off its MD. `no_answer`: the ACK or REPLY that the message expected will not come. Only a
/// request expects one, and the MD of a request is in this shard.
template <class Fill>
void end_message_operation(Step& step, Msg& msg, int status, bool no_answer, Fill&& fill) {
  if (Md* md = std::exchange(msg.md, nullptr)) {
    md->messages.erase(md->messages.iterator_to(msg));
    const bool get = msg.header.type() == wire::MsgType::kGet;
    if (no_answer) step.s.responses.end(md->awaited, get, step.now);
    return end_md_operation(step, *md, status, std::forward<Fill>(fill));
  }
  if (msg.remote_md == nullptr) return;
  shard_msg::Ended ended;
  ended.md = step.s.remote_mds.remove(msg);
  ended.status = status;
  fill(ended.event);
  step.send_to_shard(shard_of_cookie(ended.md.cookie), std::move(ended));
}
void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::Ended& in);

template <class Fill>
void post_event(Step& step, Md& md, const OperationEnd& end, Fill&& fill) {
  if (end.unlinked && step.config().announces_memory) step.act<DetachMemory>(md.handle);
  const auto complete = [&](Event& event) {
    fill(event);
    fill_md(event, md);
    event.status = end.status;
    event.unlinked = end.unlinked;
    event.sequence = ++step.s.event_sequence;
  };
  if (md.owner == MdOwner::kShard) {
    const Portal0Md& record = *static_cast<Portal0Md*>(md.user_ptr);
    if (end.unlinked || record.kind != Portal0Md::Kind::kPingTarget)
      complete(step.s.portal0.events.emplace_back(Portal0Event{record.self, {}}).event);
    if (end.unlinked) release_md(step, md);
    return;
  }
  if (md.sink != nullptr) {
    complete(step.act<Post>(md.handle, md.sink).event);
  }
  if (end.unlinked) release_md(step, md);
}

}  // namespace ulnet::core
