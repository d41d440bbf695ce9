// Takes messages that are cancelled together out of their queues, asks drivers and other shards to
// give up those that they have, and ends the waiting ones with -ECANCELED. Source:
// spec/core-semantics.md 4.6, 10.3.
#include "lnet/core/flow/cancel.h"

#include "lnet/core/flow/transmission.h"

namespace ulnet::core {

void Cancelling::add(Msg& msg) {
  if (waits_for_credit(msg)) {
    leave_queue(step_, msg);
    waiting_.push_back(msg);
  } else if (msg.state == MsgState::kDelayed) {
    waiting_.push_back(msg);
  } else if (msg.state == MsgState::kConfigQueue || msg.state == MsgState::kDiscovery) {
    step_.s.path_waiters.leave(msg);
    without_path_.push_back(msg);
  } else if (msg.state == MsgState::kSending) {
    step_.act<Cancel>(msg.ni->config.id, msg.hop, msg.self);
  }
}

void Cancelling::end() {
  while (!waiting_.empty()) {
    Msg& msg = waiting_.front();
    waiting_.pop_front();
    end_transmission(step_, msg, -ECANCELED, Health::kOk);
  }
  while (!without_path_.empty()) {
    Msg& msg = without_path_.front();
    without_path_.pop_front();
    end_without_path(step_, msg, -ECANCELED);
  }
}

void cancel_messages(Step& step, MdMessages& messages, MdHandle md, ShardSet elsewhere) {
  Cancelling cancelling(step);
  for (Msg& msg : messages) {
    cancelling.add(msg);
    if (msg.state == MsgState::kElsewhere) elsewhere.insert(msg.remote.shard);
  }
  elsewhere.for_each([&](std::uint32_t shard) { step.send_to_shard(shard, shard_msg::Abort{md}); });
  // The end of the last message may end the MD, and delete `messages` with it.
  cancelling.end();
}

}  // namespace ulnet::core
