// Runs one step of a shard: hands the input to its handler, then goes on with all that has become
// possible. Source: DESIGN.md 2, 3.
#include "lnet/core/flow/shard.h"

#include "lnet/base/assert.h"
#include "lnet/core/flow/accounting.h"
#include "lnet/core/flow/arrival.h"
#include "lnet/core/flow/calls.h"
#include "lnet/core/flow/discovery.h"
#include "lnet/core/flow/fault_calls.h"
#include "lnet/core/flow/forget_nids.h"
#include "lnet/core/flow/forward.h"
#include "lnet/core/flow/gateway_news.h"
#include "lnet/core/flow/idle_peers.h"
#include "lnet/core/flow/incoming_response.h"
#include "lnet/core/flow/net_visits.h"
#include "lnet/core/flow/ni_health.h"
#include "lnet/core/flow/operation.h"
#include "lnet/core/flow/peer_del.h"
#include "lnet/core/flow/peer_entries.h"
#include "lnet/core/flow/peer_health.h"
#include "lnet/core/flow/portal0.h"
#include "lnet/core/flow/portal_owner.h"
#include "lnet/core/flow/reconfigure.h"
#include "lnet/core/flow/recovery.h"
#include "lnet/core/flow/router_check.h"
#include "lnet/core/flow/routing.h"
#include "lnet/core/flow/routing_loops.h"
#include "lnet/core/flow/transmission.h"
#include "lnet/core/flow/unlink.h"
#include "lnet/core/flow/waiting_for_path.h"

namespace ulnet::core {

namespace {

void on_input(Step& step, const HeaderArrived& in) { header_arrived(step, in); }
void on_input(Step& step, const PayloadLanded& in) { payload_landed(step, in); }
void on_input(Step& step, const ReplyLanded& in) { reply_landed(step, in); }
void on_input(Step& step, const SendDone& in) { send_done(step, in); }
void on_input(Step&, const PeerUp&) {}  // only routers need to know (spec/multirail.md 8)
void on_input(Step& step, const PeerDown& in) { peer_down(step, in); }
void on_input(Step& step, const NiState& in) { ni_state_changed(step, in); }
void on_input(Step& step, const Api& in) { answer_call(step, *in.call); }
void on_input(Step& step, const Config& in) { reconfigure(step, in.snapshot); }
void on_timeout(Step& step, ShardTimer& timer) {
  switch (timer.kind) {
    case TimerKind::kResponse:
      return on_response_timeout(step, static_cast<Awaited&>(timer));
    case TimerKind::kDelay:
      return on_fault_timer(step);
    case TimerKind::kPing:
      return on_ping_timeout(step, static_cast<Portal0Md&>(timer));
    case TimerKind::kRecovery:
      return on_recovery_due(step, static_cast<InRecovery&>(timer));
    case TimerKind::kRouterCheck:
      return on_router_check_due(step, static_cast<KnownGateway&>(timer));
    case TimerKind::kRouting:
      return on_routing_due(step);
    case TimerKind::kIdlePeers:
      return on_idle_peers_due(step);
    case TimerKind::kNetVisits:
      return on_visits_due(step);
  }
  ULNET_ASSERT(false);
}
void on_input(Step& step, const Tick&) {
  while (Timer* due = step.s.timers.pop(step.now)) on_timeout(step, static_cast<ShardTimer&>(*due));
}
void read(Step& step, std::uint32_t from, const ShardMsg& shard_msg) {
  std::visit([&](const auto& body) { on_shard_msg(step, from, body); }, shard_msg.body);
}
void on_input(Step& step, const FromShard& in) { read(step, in.from, *in.shard_msg); }

/// Whether settle() has nothing to do, as after most steps.
bool is_settled(const ShardState& s) {
  return s.ready.empty() && s.buffered.empty() && s.portal0.events.empty() && s.to_self.empty() &&
         !s.portal0.stale && s.gateways.news.empty() && !s.ni_health_news &&
         s.peer_health_news.empty() && !s.directory.has_grown();
}

/// Goes on with all that this step has made possible, one after the other.
[[gnu::noinline]] void settle(Step& step) {
  ShardState& s = step.s;
  std::size_t shard_msgs_read = 0;
  while (true) {
    run_ready(step);
    run_forwarding(step);
    if (!s.ready.empty()) continue;
    if (!s.portal0.events.empty() && handle_portal0_event(step)) continue;
    if (shard_msgs_read < s.to_self.size()) {
      const ShardMsg shard_msg =
          std::move(s.to_self[shard_msgs_read++]);  // reading it may add another
      read(step, s.index, shard_msg);
    } else if (!s.gateways.news.empty()) {
      report_gateways(step);
    } else if (s.portal0.stale) {
      refresh_node_info(step);  // and pushes it, by routes that are up now
    } else {
      break;
    }
  }
  s.to_self.clear();
  if (s.ni_health_news) report_ni_health(step);
  if (!s.peer_health_news.empty()) report_peer_health(step);
  if (s.directory.has_grown()) watch_for_idle_peers(step);
}

}  // namespace

Shard::Shard(std::uint32_t index, std::pmr::memory_resource& memory)
    : state_(make_placed<ShardState>(memory, index)) {}
Shard::~Shard() = default;

void Shard::step(Instant now, const Input& input, Actions& actions) {
  Step step{*state_, now, actions};
  std::visit([&](const auto& in) { on_input(step, in); }, input);
  if (!is_settled(*state_)) settle(step);
  next_deadline_ = state_->timers.next_deadline();
}

}  // namespace ulnet::core
