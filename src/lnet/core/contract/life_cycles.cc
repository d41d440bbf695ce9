// Lists the transitions of the life cycles that a node shows of its NIs, nets, peers and peer NIs.
// Source: spec/design-vs-today.md 2.6, DESIGN.md 2.
#include "lnet/core/contract/life_cycles.h"

#include <cstddef>

namespace ulnet::core {

namespace {

template <class State, std::size_t N>
const char* name(const char* const (&names)[N], State state) {
  static_assert(N == static_cast<std::size_t>(State::kCount));
  return state < State::kCount ? names[static_cast<std::size_t>(state)] : "?";
}

}  // namespace

constinit const LifeCycle<NiLifeState, NiLifeEvent> kNiShownLifeCycle = [] {
  using L = NiLifeState;
  using LE = NiLifeEvent;
  return LifeCycle<NiLifeState, NiLifeEvent>({
      {L::kInit, LE::kAdded, L::kCreated},
      {L::kCreated, LE::kLinkWell, L::kCreated},
      {L::kCreated, LE::kLinkSlow, L::kDegraded},
      {L::kCreated, LE::kLinkFailed, L::kFailed},
      {L::kCreated, LE::kRemoved, L::kDeleting},
      {L::kDegraded, LE::kLinkWell, L::kCreated},
      {L::kDegraded, LE::kLinkSlow, L::kDegraded},
      {L::kDegraded, LE::kLinkFailed, L::kFailed},
      {L::kDegraded, LE::kRemoved, L::kDeleting},
      {L::kFailed, LE::kLinkWell, L::kCreated},
      {L::kFailed, LE::kLinkSlow, L::kDegraded},
      {L::kFailed, LE::kLinkFailed, L::kFailed},
      {L::kFailed, LE::kRemoved, L::kDeleting},
      {L::kDeleting, LE::kLinkWell, L::kDeleting},
      {L::kDeleting, LE::kLinkSlow, L::kDeleting},
      {L::kDeleting, LE::kLinkFailed, L::kDeleting},
  });
}();

const char* to_string(NiLifeState life_cycle) {
  static constexpr const char* kNames[] = {"init", "created", "degraded", "failed", "deleting"};
  return name(kNames, life_cycle);
}

constinit const LifeCycle<NetLifeState, NetLifeEvent> kNetShownLifeCycle = [] {
  using N = NetLifeState;
  using NE = NetLifeEvent;
  return LifeCycle<NetLifeState, NetLifeEvent>({
      {N::kInit, NE::kFirstNi, N::kActive},
      {N::kActive, NE::kAllFailed, N::kInactive},
      {N::kActive, NE::kOneWell, N::kActive},
      {N::kActive, NE::kRemoved, N::kDeleting},
      {N::kInactive, NE::kAllFailed, N::kInactive},
      {N::kInactive, NE::kOneWell, N::kActive},
      {N::kInactive, NE::kRemoved, N::kDeleting},
  });
}();

const char* to_string(NetLifeState life_cycle) {
  static constexpr const char* kNames[] = {"init", "active", "inactive", "deleting"};
  return name(kNames, life_cycle);
}

constinit const LifeCycle<PeerNiLifeState, PeerNiLifeEvent> kPeerNiShownLifeCycle = [] {
  using P = PeerNiLifeState;
  using PE = PeerNiLifeEvent;
  return LifeCycle<PeerNiLifeState, PeerNiLifeEvent>({
      {P::kInit, PE::kMade, P::kCreated},
      {P::kCreated, PE::kSend, P::kActivating},
      {P::kCreated, PE::kSuccess, P::kConnected},
      {P::kCreated, PE::kFailure, P::kFailed},
      {P::kCreated, PE::kRemoved, P::kDeleting},
      {P::kActivating, PE::kSuccess, P::kConnected},
      {P::kActivating, PE::kFailure, P::kFailed},
      {P::kActivating, PE::kRemoved, P::kDeleting},
      {P::kConnected, PE::kSuccess, P::kConnected},
      {P::kConnected, PE::kFailure, P::kFailed},
      {P::kConnected, PE::kRemoved, P::kDeleting},
      {P::kFailed, PE::kSuccess, P::kConnected},
      {P::kFailed, PE::kFailure, P::kFailed},
      {P::kFailed, PE::kRemoved, P::kDeleting},
      {P::kDeleting, PE::kSuccess, P::kDeleting},
      {P::kDeleting, PE::kFailure, P::kDeleting},
      {P::kDeleting, PE::kRemoved, P::kDeleting},
      // Its net was added again with the same owner shard before its last message ended.
      {P::kDeleting, PE::kMade, P::kCreated},
  });
}();

const char* to_string(PeerNiLifeState life_cycle) {
  static constexpr const char* kNames[] = {"init",      "created", "activating",
                                           "connected", "failed",  "deleting"};
  return name(kNames, life_cycle);
}

constinit const LifeCycle<PeerLifeState, PeerLifeEvent> kPeerShownLifeCycle = [] {
  using S = PeerLifeState;
  using SE = PeerLifeEvent;
  return LifeCycle<PeerLifeState, PeerLifeEvent>({
      {S::kInit, SE::kMet, S::kActive},
      {S::kActive, SE::kDiscover, S::kDiscover},
      {S::kActive, SE::kPing, S::kPingSent},
      {S::kActive, SE::kPush, S::kPushSent},
      {S::kActive, SE::kDiscovered, S::kActive},
      {S::kDiscover, SE::kPing, S::kPingSent},
      {S::kDiscover, SE::kPush, S::kPushSent},
      {S::kDiscover, SE::kDiscovered, S::kActive},
      {S::kPingSent, SE::kDiscover, S::kPingSent},
      {S::kPingSent, SE::kPingEnded, S::kDataReceived},
      {S::kPingSent, SE::kDiscovered, S::kActive},
      {S::kDataReceived, SE::kDiscover, S::kDiscover},
      {S::kDataReceived, SE::kPing, S::kPingSent},
      {S::kDataReceived, SE::kPush, S::kPushSent},
      {S::kDataReceived, SE::kDiscovered, S::kActive},
      {S::kPushSent, SE::kDiscover, S::kPushSent},
      {S::kPushSent, SE::kPushEnded, S::kDiscover},
      {S::kPushSent, SE::kDiscovered, S::kActive},
      {S::kActive, SE::kAllPathsFailed, S::kInactive},
      {S::kInactive, SE::kPathRecovered, S::kActive},
  });
}();

const char* to_string(PeerLifeState life_cycle) {
  static constexpr const char* kNames[] = {"init",          "active",    "discover", "ping sent",
                                           "data received", "push sent", "inactive"};
  return name(kNames, life_cycle);
}

}  // namespace ulnet::core
