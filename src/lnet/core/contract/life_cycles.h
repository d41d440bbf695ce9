// The life cycles of the Multi-Rail design (HLD, 'Finite State Machines'): of an NI, of a net, of a
// peer and of a peer NI, as tables. They are shown at verbosity 5 and have no other effect. Source:
// docs/spec/design-vs-today.md, docs/DESIGN.md 2.
#pragma once

#include <cstdint>

#include "lnet/base/life_cycle.h"

namespace ulnet::core {

// ---- an NI of this node

enum class NiLifeState : std::uint8_t { kInit, kCreated, kDegraded, kFailed, kDeleting, kCount };
enum class NiLifeEvent : std::uint8_t {
  kAdded,
  kLinkWell,
  kLinkSlow,    ///< slower than at the NI's start
  kLinkFailed,  ///< no link, no address, no device
  kRemoved,
  kCount
};
extern const LifeCycle<NiLifeState, NiLifeEvent> kNiShownLifeCycle;
const char* to_string(NiLifeState life_cycle);

// ---- a net of this node

enum class NetLifeState : std::uint8_t { kInit, kActive, kInactive, kDeleting, kCount };
enum class NetLifeEvent : std::uint8_t {
  kFirstNi,
  kAllFailed,  ///< each of its NIs is in NiLifeState::kFailed
  kOneWell,
  kRemoved,
  kCount
};
extern const LifeCycle<NetLifeState, NetLifeEvent> kNetShownLifeCycle;
const char* to_string(NetLifeState life_cycle);

// ---- one NID of a peer

enum class PeerNiLifeState : std::uint8_t {
  kInit,
  kCreated,
  kActivating,  ///< the first message to it has not ended yet
  kConnected,
  kFailed,  ///< the last message failed, and the peer NI is to blame
  kDeleting,
  kCount
};
enum class PeerNiLifeEvent : std::uint8_t {
  kMade,
  kSend,
  kSuccess,  ///< a message came from it, or a Send to it succeeded
  kFailure,
  kRemoved,
  kCount
};
extern const LifeCycle<PeerNiLifeState, PeerNiLifeEvent> kPeerNiShownLifeCycle;
const char* to_string(PeerNiLifeState life_cycle);

// ---- a peer: S1 to S7 of the design

enum class PeerLifeState : std::uint8_t {
  kInit,
  kActive,
  kDiscover,
  kPingSent,
  kDataReceived,
  kPushSent,
  kInactive,  ///< all its NIDs are in PeerNiLifeState::kFailed
  kCount
};
enum class PeerLifeEvent : std::uint8_t {
  kMet,
  kDiscover,
  kPing,
  kPingEnded,
  kPush,
  kPushEnded,
  kDiscovered,  ///< with success or an error
  kAllPathsFailed,
  kPathRecovered,
  kCount
};
extern const LifeCycle<PeerLifeState, PeerLifeEvent> kPeerShownLifeCycle;
const char* to_string(PeerLifeState life_cycle);

}  // namespace ulnet::core
