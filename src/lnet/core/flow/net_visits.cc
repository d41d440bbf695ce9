// Watches on which nets other nodes ping this router. If no ping has come on a net for too long,
// the router pings up to eight peers there. If no peer answers, the net counts as down. Source:
// spec/multirail.md 9.5, decision 99.
#include "lnet/core/flow/net_visits.h"

#include <algorithm>

#include "lnet/core/flow/portal0_requests.h"

namespace ulnet::core {

namespace {

/// How many of the peers on a net a router pings before it takes the net for down.
constexpr std::size_t kAsked = 8;

void arm(Step& step) {
  const Instant due = step.s.visits.next_due();
  if (due == kNever)
    step.s.visits.cancel();
  else
    step.s.timers.arm(step.s.visits, due);
}

Instant next_time(const Step& step) { return step.now + notice_time(step.config().globals); }

/// A NID of this node on a net that is watched.
const Nid& own_nid_on(const Step& step, NetId net) {
  return step.s.nis.find(net)->nis.front()->nid();
}

void visited(Step& step, NetId net) {
  if (!step.s.visits.visit(net, step.now, next_time(step))) return;
  step.s.portal0.stale = true;
  step.note(Note::Level::kInfo, Note::About::kRouter,
            "this router is reached again on the net {net}", own_nid_on(step, net));
}

/// The peers on the net that can be pinged.
std::vector<ProcessId> peers_on(const Step& step, NetId net) {
  std::vector<ProcessId> there;
  step.s.directory.for_each([&](const Peer& peer) {
    if (peer.own || peer.calls_only) return;
    for (const Nid& nid : peer.nids())
      if (nid.net() == net && step.s.nis.find(nid) == nullptr) there.push_back({nid, peer.pid});
  });
  return there;
}

void ask(Step& step, NetId id, NetVisits::Net& net) {
  net.due = next_time(step);
  const std::vector<ProcessId> there = peers_on(step, id);
  net.asked = static_cast<std::uint32_t>(std::min(there.size(), kAsked));
  for (std::uint32_t i = 0; i < net.asked; ++i) {
    Portal0Md& record = make_record(step, Portal0Md::Kind::kNetPing,
                                    std::vector<std::byte>(limits::kPingBufferMin));
    record.target = there[net.turn++ % there.size()];
    send_ping_for(step, record, std::chrono::seconds(step.config().globals.router_ping_timeout));
  }
}

}  // namespace

void configure_net_visits(Step& step) {
  if (step.s.router.forwards() && !step.s.shut_down)
    step.s.visits.watch(step.s.nis, next_time(step));
  else
    step.s.visits.nets.clear();
  arm(step);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::NetVisited& in) {
  visited(step, in.net);
}

void on_visits_due(Step& step) {
  if (step.s.shut_down) return;
  for (auto& [id, net] : step.s.visits.nets)
    if (net.due <= step.now) ask(step, id, net);
  arm(step);
}

void net_ping_ended(Step& step, const Portal0Md& record) {
  const NetId id = record.target.nid.net();
  const auto found = step.s.visits.nets.find(id);
  if (found == step.s.visits.nets.end() || step.s.shut_down) return;
  NetVisits::Net& net = found->second;
  if (net.asked > 0) --net.asked;
  if (record.status == 0 && record.answered) return visited(step, id);
  // Another pinged peer may have answered, or another node may have pinged this router.
  const bool seen =
      net.visited != Instant::min() && net.visited + notice_time(step.config().globals) > step.now;
  if (net.asked != 0 || seen) return;
  if (!step.s.visits.nobody(id, next_time(step))) return;
  step.s.portal0.stale = true;
  step.note(Note::Level::kWarning, Note::About::kRouter,
            "nobody answers this router on the net {net}", own_nid_on(step, id));
}

}  // namespace ulnet::core
