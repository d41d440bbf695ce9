#include "core/flow/cancel.h"

#include "base/canary.h"
#include "core/flow/transmission.h"

namespace ulnet::core {

void cancel_messages(Step& step, MdMessages& messages, MdHandle md, ShardSet elsewhere) {
  MsgQueue waiting, without_path;
  for (Msg& msg : messages) {
    if (waits_for_credit(msg)) {
      leave_queue(step, msg);
      waiting.push_back(msg);
    } else if (msg.state == MsgState::kDelayed) {
      waiting.push_back(msg);
    } else if (msg.state == MsgState::kConfigQueue || msg.state == MsgState::kDiscovery) {
      step.s.path_waiters.leave(msg);
      without_path.push_back(msg);
    } else if (msg.state == MsgState::kElsewhere) {
      elsewhere.insert(msg.remote.shard);
    }
  }
  for (const Msg& msg : messages) {
    if (msg.state != MsgState::kSending) continue;
    if (ULNET_CANARY(kAbortedStaysWithDriver) && msg.header.payload_length == 0) continue;
    step.out.emplace_back(std::in_place_type<Cancel>, Cancel{msg.ni->config.id, msg.hop, msg.self});
  }
  elsewhere.for_each([&](std::uint32_t shard) { step.send_letter(shard, letter::Abort{md}); });
  // The end of the last message may end the MD, and `messages` with it.
  while (!waiting.empty()) {
    Msg& msg = waiting.front();
    waiting.pop_front();
    end_transmission(step, msg, -ECANCELED, Health::kOk);
  }
  while (!without_path.empty()) {
    Msg& msg = without_path.front();
    without_path.pop_front();
    end_without_path(step, msg, -ECANCELED);
  }
}

}  // namespace ulnet::core
