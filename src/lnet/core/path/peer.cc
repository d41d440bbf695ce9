// Makes and deletes a shard's records of NIDs, peer NIs and the NIDs of gateways. Source:
// spec/multirail.md 1, spec/core-semantics.md 10.1, 10.3.
#include "lnet/core/path/peer.h"

#include <algorithm>

#include "lnet/core/udsp/policy.h"

namespace ulnet::core {

PeerNid& PeerTable::use(const Nid& nid) {
  if (PeerNid* known = find(nid)) return *known;
  auto [self, made] = nids_.make();
  made->self = self;
  made->nid = nid;
  by_nid_.insert(nid, made);
  if (GatewayNid* const of_gateway = gateway_by_nid_.find(nid)) {
    of_gateway->known = made;
    made->watched = true;
    changed(*made);
  }
  return *made;
}

PeerNi& PeerTable::use_ni(PeerNid& known, std::int32_t credits) {
  if (known.ni != nullptr) return *known.ni;
  auto [self, ni] = nis_.make();
  ni->self = self;
  ni->nid = known.nid;
  ni->known = &known;
  ni->tx = Gate(credits);
  ni->on(PeerNiLifeEvent::kMade);
  known.ni = ni;
  changed(known);
  return *ni;
}

void PeerTable::set_peer_entry(PeerNid& known, PeerEntryRef peer_entry) {
  drop_rails(known);
  known.peer_entry = std::move(peer_entry);
  changed(known);
}

Rails& PeerTable::make_rails(PeerNid& known, const NodeConfig& config) {
  ULNET_ASSERT(known.peer_entry != nullptr);
  auto [self, rails] = rails_.make();
  rails->self = self;
  for (const Nid& nid : known.peer_entry->nids) {
    PeerNid& one = use(nid);
    if (one.peer_entry != known.peer_entry) set_peer_entry(one, known.peer_entry);
    if (one.reported == 0) one.reported = known.reported;
    one.rails = rails;
    auto net = std::find_if(rails->nets.begin(), rails->nets.end(),
                            [&](const PeerNet& other) { return other.id == nid.net(); });
    if (net == rails->nets.end()) {
      net = rails->nets.insert(net, PeerNet{.id = nid.net(), .of = rails});
      net->priority = udsp::priority_of_peer_net(*config.udsp, nid.net());
    }
    Rail& rail = net->rails.emplace_back(Rail{.nid = &one});
    rail.priority = udsp::priority_of_peer_ni(*config.udsp, nid);
    if (config.udsp->entries().empty()) continue;
    for (const NiConfig& ni : config.nis)
      if (udsp::prefers_source(*config.udsp, nid, ni.nid)) rail.preferred.push_back(ni.id);
  }
  for (PeerNet& net : rails->nets)
    for (Rail& rail : net.rails) rail.net = &net;
  return *rails;
}

void PeerTable::drop_all_rails() {
  nids_.for_each([&](Handle, PeerNid& known) { drop_rails(known); });
}

void PeerTable::drop_rails(PeerNid& known) {
  Rails* const rails = known.rails;
  if (rails == nullptr) return;
  for (const PeerNet& net : rails->nets)
    for (const Rail& rail : net.rails) rail.nid->rails = nullptr;
  rails_.erase(rails->self);
}

void PeerTable::erase(PeerNid& known) {
  ULNET_ASSERT(known.ni == nullptr);
  drop_rails(known);
  if (known.watched) gateway_by_nid_.find(known.nid)->known = nullptr;
  changed(known);
  by_nid_.erase(known.nid);
  if (last_ == &known) last_ = nullptr;
  nids_.erase(known.self);
}

void PeerTable::erase_ni(PeerNi& ni) {
  ULNET_ASSERT(ni.recovery == nullptr);
  ULNET_ASSERT(ni.in_flight == 0 && ni.tx.credits() == ni.tx.max());
  if (ni.router != 0) {
    ULNET_ASSERT(router_gate(ni)->credits() == router_gate(ni)->max());
    free_router_gates_.push_back(ni.router);
  }
  hear(*ni.known);
  ni.known->ni = nullptr;
  changed(*ni.known);
  nis_.erase(ni.self);
}

void PeerTable::lose(PeerNid& known, NiId by, Instant now) {
  known.doubted = true;
  Losses& losses = losses_[known.nid];
  losses.add(by);
  losses.untried = now;
}

bool PeerTable::try_lost(const PeerNid& known, Instant now, Duration pause) {
  Instant& untried = losses_.at(known.nid).untried;
  if (now - untried < pause) return false;
  untried = now;
  return true;
}

void PeerTable::forget_losses(PeerNid& known) {
  known.doubted = false;
  losses_.erase(known.nid);
}

GatewayNid& PeerTable::watch(const Nid& nid, Gateway& gateway) {
  GatewayNid* watched = gateway_by_nid_.find(nid);
  if (watched == nullptr) {
    const auto [self, made] = gateway_nids_.make();
    made->self = self;
    made->nid = nid;
    made->known = find(nid);
    if (made->known != nullptr) made->known->watched = true;
    gateway_by_nid_.insert(nid, made);
    watched = made;
  }
  watched->gateways.push_back(&gateway);
  return *watched;
}

void PeerTable::unwatch(GatewayNid& nid, Gateway& gateway) {
  nid.gateways.erase(std::ranges::find(nid.gateways, &gateway));
  if (!nid.gateways.empty()) return;
  if (nid.known != nullptr) nid.known->watched = false;
  gateway_by_nid_.erase(nid.nid);
  gateway_nids_.erase(nid.self);
}

void PeerTable::note_gateways(const Nid& nid) {
  for (Gateway* gateway : gateway_by_nid_.find(nid)->gateways) gateway->log->note(*gateway);
}

Gate& PeerTable::use_router_gate(PeerNi& ni, std::int32_t credits) {
  if (ni.router != 0) return *router_gate(ni);
  if (free_router_gates_.empty()) {
    router_gates_.push_back(std::make_unique<Gate>(credits));
    ni.router = static_cast<std::uint32_t>(router_gates_.size());
  } else {
    ni.router = free_router_gates_.back();
    free_router_gates_.pop_back();
    *router_gate(ni) = Gate(credits);
  }
  return *router_gate(ni);
}

void PeerTable::renew_ni(PeerNi& ni) {
  ni.tx.reset_min();
  if (Gate* router = router_gate(ni)) router->reset_min();
  ULNET_ASSERT(ni.recovery == nullptr);
  ni.met = false;
  ni.reported = ReportedStatus::kNothing;
  ni.life_cycle = PeerNiLifeState::kInit;
  ni.on(PeerNiLifeEvent::kMade);
  ni.last_heard = Instant::min();
  ni.fixed_source = {};
  hear(*ni.known);
  ni.errors = {};
  ni.traffic = {};
}

const Nid& PeerTable::primary_of(const Nid& nid) const {
  const PeerNid* known = find(nid);
  return known == nullptr ? nid : known->primary();
}

}  // namespace ulnet::core
