// Unlinks an MD with an UNLINK event, or cancels the messages of a busy MD in each shard that has
// some. Source: spec/core-semantics.md 4.6, spec/multirail.md 6.
#include "lnet/core/flow/unlink.h"

#include "lnet/core/flow/accounting.h"
#include "lnet/core/flow/cancel.h"
#include "lnet/core/flow/operation.h"
#include "lnet/core/flow/transmission.h"

namespace ulnet::core {

void abort_md(Step& step, Md& md, int idle_status) {
  md.on(MdEvent::kAbort);
  md.abort_status = -ETIMEDOUT;
  detach_from_me(step.s, md, false);
  step.s.responses.cancel(md.awaited);
  if (md.refs == 0) {
    post_unlink(step, md, idle_status);
    return;
  }
  // Ends the MD if its last message ends here.
  cancel_messages(step, md.messages, md.handle, md.remote_shards);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::Abort& in) {
  // A Transmit of the MD may wait for a configuration. Then a copy of the Abort waits behind it.
  // Messages that are already here are cancelled now.
  if (!step.s.early.empty()) step.s.early.push_back(ShardMsg{in});
  RemoteMd* remote = step.s.remote_mds.find(in.md);
  if (remote == nullptr) return;  // the MD's messages here have ended
  remote->aborted = true;
  cancel_messages(step, remote->messages, in.md);
}

void on_response_timeout(Step& step, const Awaited& awaited) {
  ShardState& s = step.s;
  s.responses.expire(awaited);
  Md* md = s.memory.find(awaited.md);
  ULNET_ASSERT(md != nullptr);
  ++s.counters.global.response_timeout_count;
  blame(step, awaited.peer);
  abort_md(step, *md, -ETIMEDOUT);
}

}  // namespace ulnet::core
