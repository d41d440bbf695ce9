#include "core/path/peer.h"

namespace ulnet::core {

PeerNid& PeerTable::use(const Nid& nid) {
  if (PeerNid* known = find(nid)) return *known;
  auto [self, made] = nids_.make();
  made->self = self;
  made->nid = nid;
  by_nid_.insert(nid, made);
  return *made;
}

PeerNi& PeerTable::use_ni(PeerNid& known, std::int32_t credits) {
  if (known.ni != nullptr) return *known.ni;
  auto [self, ni] = nis_.make();
  ni->self = self;
  ni->nid = known.nid;
  ni->known = &known;
  ni->tx = Gate(credits);
  known.ni = ni;
  return *ni;
}

void PeerTable::erase(PeerNid& known) {
  ULNET_ASSERT(known.ni == nullptr);
  by_nid_.erase(known.nid);
  if (last_ == &known) last_ = nullptr;
  nids_.erase(known.self);
}

void PeerTable::erase_ni(PeerNi& ni) {
  ULNET_ASSERT(ni.in_flight == 0 && ni.tx.credits() == ni.tx.max());
  ni.known->ni = nullptr;
  nis_.erase(ni.self);
}

void PeerTable::renew_ni(PeerNi& ni) {
  ni.tx.reset_min();
  ni.met = false;
  ni.last_heard = Instant::min();
  ni.fixed_source = {};
  ni.errors = {};
  ni.traffic = {};
}

const Nid& PeerTable::primary_of(const Nid& nid) const {
  const PeerNid* known = find(nid);
  return known == nullptr ? nid : known->primary();
}

}  // namespace ulnet::core
