#include "core/flow/peer_health.h"

#include <algorithm>

#include "base/canary.h"
#include "core/path/health.h"

namespace ulnet::core {

void set_peer_health(Step& step, PeerNi& ni, std::int32_t health) {
  if (ni.known->health == health) return;
  ni.known->health = health;
  if (ni.has_other_nids()) tell_peer_health_soon(step, ni);
}

void tell_peer_health_soon(Step& step, const PeerNi& ni) {
  if (step.s.placement.shards() == 1) return;
  std::vector<Nid>& news = step.s.peer_health_news;
  if (std::find(news.begin(), news.end(), ni.nid) == news.end()) news.push_back(ni.nid);
}

void change_peer_health(Step& step, PeerNi& ni, std::int32_t balance) {
  const std::int32_t sensitivity = step.config().globals.health_sensitivity;
  set_peer_health(step, ni, health_after(ni.known->health, balance, sensitivity));
}

void tell_peer_health(Step& step) {
  for (const Nid& nid : step.s.peer_health_news) {
    const PeerNid* known = step.s.peers.find(nid);
    if (known == nullptr || ULNET_CANARY(kPeerHealthUntold)) continue;
    step.s.others().for_each([&](std::uint32_t shard) {
      step.send_letter(shard, letter::PeerNiHealth{nid, known->health});
    });
  }
  step.s.peer_health_news.clear();
}

void see_peer_health(Step& step, const Nid& nid, std::int32_t health) {
  if (PeerNid* known = step.s.peers.find(nid)) known->health = health;
}

void on_letter(Step& step, std::uint32_t, const letter::PeerNiHealth& in) {
  see_peer_health(step, in.nid, in.health);
}

}  // namespace ulnet::core
