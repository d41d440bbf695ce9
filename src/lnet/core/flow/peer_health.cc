// Changes the health of peer NIs, and reports it to the other shards at the end of the step. A peer
// NI that its peer reports as down loses health. Source: spec/multirail.md 4.4, 5.1, 5.2.
#include "lnet/core/flow/peer_health.h"

#include <algorithm>

#include "lnet/core/flow/in_recovery.h"
#include "lnet/core/flow/peers.h"
#include "lnet/core/path/health.h"

namespace ulnet::core {

namespace {

/// Notes a new health of the peer NI. Leaves out a peer NI without shared peer entry with which no
/// message was ever exchanged: it is forgotten when it does not answer.
[[gnu::noinline]] void note_health(Step& step, const PeerNi& ni, std::int32_t health) {
  const char* const news = health_news(ni.known->health, health);
  if (news == nullptr || (!ni.met && ni.known->peer_entry == nullptr)) return;
  step.note(Note::Level::kUnlogged, Note::About::kPeerNi, news, ni.nid,
            static_cast<std::uint64_t>(health));
}

}  // namespace

void set_peer_health(Step& step, PeerNi& ni, std::int32_t health) {
  if (ni.known->health == health) return;
  note_health(step, ni, health);
  ni.known->health = health;
  step.s.peers.changed(*ni.known);
  if (ni.has_other_nids()) report_peer_health_soon(step, ni);
  peer_ni_health_changed(step, ni);
}

void report_peer_health_soon(Step& step, const PeerNi& ni) {
  if (step.s.placement.shards() == 1) return;
  std::vector<Nid>& news = step.s.peer_health_news;
  if (std::find(news.begin(), news.end(), ni.nid) == news.end()) news.push_back(ni.nid);
}

void change_peer_health(Step& step, PeerNi& ni, std::int32_t balance) {
  const std::int32_t sensitivity = step.config().globals.health_sensitivity;
  set_peer_health(step, ni, health_after(ni.known->health, balance, sensitivity));
}

void report_peer_health(Step& step) {
  for (const Nid& nid : step.s.peer_health_news) {
    const PeerNid* known = step.s.peers.find(nid);
    if (known == nullptr) continue;
    step.s.others().for_each([&](std::uint32_t shard) {
      step.send_to_shard(shard, shard_msg::PeerNiHealth{nid, known->health});
    });
  }
  step.s.peer_health_news.clear();
}

void see_peer_health(Step& step, const Nid& nid, std::int32_t health) {
  PeerNid* const known = step.s.peers.find(nid);
  if (known == nullptr) return;
  known->health = health;
  step.s.peers.changed(*known);
}

void peer_ni_reported(Step& step, PeerNi& ni, bool up) {
  if (step.s.nis.find(ni.nid) != nullptr) return;
  const ReportedStatus before =
      std::exchange(ni.reported, up ? ReportedStatus::kUp : ReportedStatus::kDown);
  if (!up && before != ReportedStatus::kDown) change_peer_health(step, ni, -1);
  if (up && before == ReportedStatus::kDown) ping_soon(step, ni);
}

void peer_reported_status(Step& step, const Nid& nid, bool up) {
  const shard_msg::PeerNiReported reported{nid, up};
  const std::uint32_t owner = step.s.placement.of(nid);
  // The same info may cause the deletion of the peer. Another shard reads this message before
  // Publish. This shard forgets the peer at once, so here the status must not wait among the
  // inter-shard messages to itself.
  if (owner == step.s.index) return on_shard_msg(step, owner, reported);
  step.send_to_shard(owner, reported);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::PeerNiHealth& in) {
  see_peer_health(step, in.nid, in.health);
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::PeerNiReported& in) {
  ShardState& s = step.s;
  if (s.shut_down || s.placement.of(in.nid) != s.index) return;
  // A NID that was never used gets its entry when it is reported down, because this status has to
  // be remembered.
  PeerNi* const ni = in.up ? s.peers.find_ni(in.nid) : peer_ni_of(step, in.nid);
  if (ni != nullptr) peer_ni_reported(step, *ni, in.up);
}

}  // namespace ulnet::core
