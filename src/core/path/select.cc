#include "core/path/select.h"

namespace ulnet::core {

namespace {

Choice no(int status, const char* reason) {
  Choice choice;
  choice.status = status;
  choice.reason = reason;
  return choice;
}

Choice direct(LocalNi* ni, const Nid& target, Pid pid) {
  Choice choice;
  choice.ni = ni;
  choice.hop = {target, pid};
  return choice;
}

/// Whether NI `a` is to be preferred: step B of 3.2 with the terms that ulnet has: a device
/// without fatal error, health, credits, then whose turn it is.
bool better(const LocalNi& a, const LocalNi& b) {
  if (a.fatal != b.fatal) return !a.fatal;
  if (a.health != b.health) return a.health > b.health;
  if (a.tx.credits() != b.tx.credits()) return a.tx.credits() > b.tx.credits();
  return a.sequence < b.sequence;
}

/// Whether the peer shall always see the same NI of this node (3.4).
bool wants_fixed_source(const SendIntent& intent) {
  return !intent.internal && (intent.peer == nullptr || !intent.peer->multi_rail());
}

Choice from_source(const NiTable& nis, const SendIntent& intent) {
  LocalNi* ni = nis.find(intent.source);
  if (ni == nullptr) return no(-EINVAL, "src is not a local nid");
  if (ni->nid().net() != intent.target.net()) return no(-EHOSTUNREACH, "no route");
  return direct(ni, intent.target, intent.target_pid);
}

}  // namespace

LocalNi* best_of(const LocalNet& net) {
  LocalNi* best = nullptr;
  for (LocalNi* ni : net.nis)
    if (best == nullptr || better(*ni, *best)) best = ni;
  return best;
}

Choice select(const NiTable& nis, const SendIntent& intent) {
  if (nis.configured().empty()) return no(-ESHUTDOWN, "not running");
  if (intent.target.is_loopback()) {
    LocalNi* lo = nis.loopback();
    return lo == nullptr ? no(-ESHUTDOWN, "not running")
                         : direct(lo, Nid::loopback(), intent.target_pid);
  }
  if (!intent.source.is_any()) return from_source(nis, intent);
  const LocalNet* net = nis.find(intent.target.net());
  if (net == nullptr) return no(-EHOSTUNREACH, "no route");
  if (wants_fixed_source(intent)) return direct(nullptr, intent.target, intent.target_pid);
  Choice choice = direct(best_of(*net), intent.target, intent.target_pid);
  choice.in_turn = true;
  return choice;
}

Choice pick_source(const NiTable& nis, const PeerNi& peer) {
  Choice choice;
  if (peer.fixed_source.value != 0) {
    choice.ni = nis.find(peer.fixed_source);
    if (choice.ni != nullptr && choice.ni->phase == NiPhase::kUp) return choice;
  }
  const LocalNet* net = nis.find(peer.nid.net());
  choice.ni = net == nullptr ? nullptr : best_of(*net);
  choice.in_turn = true;
  return choice;
}

}  // namespace ulnet::core
