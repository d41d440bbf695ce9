#include "core/flow/waiting_for_path.h"

#include <algorithm>

#include "base/canary.h"
#include "core/flow/transmission.h"

namespace ulnet::core {

namespace {

void go_on(Step& step, MsgTicket self) {
  Msg& msg = *step.s.find(self);
  step.s.path_waiters.leave(msg);
  msg.on(MsgEvent::kRetry);
  send_on_new_path(step, msg);
}

}  // namespace

void go_on_with_config(Step& step) {
  if (ULNET_CANARY(kStaleForever)) return;
  const MsgQueue& queue = step.s.path_waiters.for_config();
  const auto waits_no_more = [&](const Msg& msg) {
    return step.s.shut_down || msg.awaited_generation <= step.config().generation;
  };
  // The end of one message may take others out of the queue, so each search begins at its front.
  while (true) {
    const auto next = std::find_if(queue.begin(), queue.end(), waits_no_more);
    if (next == queue.end()) return;
    go_on(step, next->self);
  }
}

void go_on_with_card(Step& step, const Nid& nid) {
  if (ULNET_CANARY(kCardUnheeded)) return;
  const auto& queues = step.s.path_waiters.for_card();
  const auto queue = queues.find(nid);
  if (queue == queues.end()) return;
  // The end of one message may take others out of the queue, and where the NID was forgotten
  // meanwhile they join it again.
  std::vector<MsgTicket> waiting;
  for (const Msg& msg : queue->second) waiting.push_back(msg.self);
  for (const MsgTicket self : waiting) {
    const Msg* msg = step.s.find(self);
    if (msg != nullptr && msg->state == MsgState::kCardQueue) go_on(step, self);
  }
}

void go_on_without_cards(Step& step) {
  const auto& queues = step.s.path_waiters.for_card();
  while (!queues.empty()) go_on(step, queues.begin()->second.front().self);
}

}  // namespace ulnet::core
