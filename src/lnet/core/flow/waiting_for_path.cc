// Selects paths for the messages that waited for a discovery or for a newer configuration, or ends
// the messages with an error. Source: spec/multirail.md 3.5, DESIGN.md 3.
#include "lnet/core/flow/waiting_for_path.h"

#include <algorithm>

#include "lnet/core/flow/peers.h"
#include "lnet/core/flow/transmission.h"

namespace ulnet::core {

namespace {

void go_on(Step& step, Msg& msg) {
  step.s.path_waiters.leave(msg);
  msg.on(MsgEvent::kRetry);
  send_on_new_path(step, msg);
}

/// Goes on with the messages that wait for the discovery of the peer that has this NID, or ends
/// them with an error.
void end_waiting(Step& step, Nid nid, int status) {
  const auto& queues = step.s.path_waiters.for_discovery();
  const auto queue = queues.find(nid);
  if (queue == queues.end()) return;
  // The end of one message may take others out of the queue. If the NID was forgotten meanwhile, a
  // message joins the queue again.
  std::vector<MsgTicket> waiting;
  for (const Msg& msg : queue->second) waiting.push_back(msg.self);
  for (const MsgTicket self : waiting) {
    Msg* msg = step.s.find(self);
    if (msg == nullptr || msg->state != MsgState::kDiscovery) continue;
    if (status == 0) {
      go_on(step, *msg);
      continue;
    }
    step.s.path_waiters.leave(*msg);
    end_without_path(step, *msg, status);
  }
}

}  // namespace

void go_on_with_config(Step& step) {
  const MsgQueue& queue = step.s.path_waiters.for_config();
  const auto waits_no_more = [&](const Msg& msg) {
    return step.s.shut_down || msg.awaited_generation <= step.config().generation;
  };
  // The end of one message may take others out of the queue, so each search begins at its front.
  while (true) {
    const auto next = std::find_if(queue.begin(), queue.end(), waits_no_more);
    if (next == queue.end()) return;
    go_on(step, *step.s.find(next->self));
  }
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::Discovered& in) {
  for (const Nid& nid : in.nids) {
    PeerNid* known = step.s.peers.find(nid);
    if (known == nullptr && in.status == 0) known = &know(step, nid);
    if (known != nullptr) {
      known->discovered = in.status == 0;
      known->asked = false;
    }
    end_waiting(step, nid, in.status);
  }
}

void go_on_without_discovery(Step& step) {
  const auto& queues = step.s.path_waiters.for_discovery();
  while (!queues.empty()) end_waiting(step, queues.begin()->first, -ESHUTDOWN);
}

}  // namespace ulnet::core
