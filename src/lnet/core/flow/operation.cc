// Ends MDs: takes them off their MEs, posts UNLINK events, and ends the operations that other
// shards carried out in the memory of an MD. Source: spec/core-semantics.md 3, 4.5, 4.6, 5.
#include "lnet/core/flow/operation.h"

namespace ulnet::core {

void remove_me(ShardState& s, Me& me) {
  PortalState& portal = s.portals.use(me.portal);
  portal.entries.remove(me, portal.unique());
  s.mes.erase(me.self);
}

void detach_from_me(ShardState& s, Md& md, bool keep_retained) {
  Me* me = std::exchange(md.me, nullptr);
  if (me == nullptr) return;
  me->md = nullptr;
  if (me->unlink == UnlinkMode::kUnlink || !keep_retained) remove_me(s, *me);
}

void take_from_match_if_exhausted(Step& step, Md& md) {
  if (retire_if_exhausted(md)) detach_from_me(step.s, md, true);
}

void post_unlink(Step& step, Md& md, int status) {
  md.on(MdEvent::kIdle);
  post_event(step, md, {status, true}, [](Event& event) { event.type = EventType::kUnlink; });
}

void retire_md(Step& step, Md& md) {
  if (md.state == MdState::kActive) md.on(MdEvent::kExhausted);
  detach_from_me(step.s, md, true);
  if (md.refs == 0) post_unlink(step, md, 0);
}

void release_md(Step& step, Md& md) {
  detach_from_me(step.s, md, true);
  step.s.responses.cancel(md.awaited);
  step.s.memory.erase(md);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::Ended& in) {
  Md* md = step.s.memory.find(in.md);
  ULNET_ASSERT(md != nullptr);
  end_md_operation(step, *md, in.status, [&](Event& event) { event = in.event; });
}

}  // namespace ulnet::core
