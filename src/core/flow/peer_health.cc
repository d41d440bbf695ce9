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

void peer_told_status(Step& step, const Nid& nid, bool up) {
  if (up) return;  // it does not become healthy by that (5.1)
  const std::uint32_t home = step.s.placement.of(nid);
  // The letter costs its health as much as an answer that does not come.
  if (home != step.s.index) return step.send_letter(home, letter::ResponseTimeout{nid});
  if (PeerNi* ni = step.s.peers.find_ni(nid)) change_peer_health(step, *ni, -1);
}

void on_letter(Step& step, std::uint32_t, const letter::PeerNiHealth& in) {
  see_peer_health(step, in.nid, in.health);
}

}  // namespace ulnet::core
