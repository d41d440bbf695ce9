// A peer's NIDs by net, as the shard that sends to the peer chooses among them, and whose turn it
// is. Source: spec/multirail.md 1, 3.2.
#pragma once

#include <cstdint>
#include <vector>

#include "lnet/base/slab.h"
#include "lnet/core/contract/ports.h"
#include "lnet/core/udsp/rule.h"

namespace ulnet::core {

struct PeerNid;
struct PeerNet;

/// One of the peer's NIDs.
struct Rail {
  PeerNid* nid = nullptr;
  PeerNet* net = nullptr;
  std::uint64_t sequence = 0;  ///< Rails::sequence when it was last chosen
  std::uint32_t priority = udsp::kNoPriority;
  std::vector<NiId> preferred;  ///< the NIs from which a policy wants it to be sent to
};
/// Its NIDs on one net.
struct PeerNet {
  NetId id;
  std::vector<Rail> rails;  ///< never empty; in the order of the card
  std::uint64_t sequence = 0;
  std::uint32_t priority = udsp::kNoPriority;
  struct Rails* of = nullptr;
};
/// All of them. They are made from a card when the shard first chooses a path to that peer. They go
/// with the card, and with the configuration, whose policies are in them; so turns begin anew with
/// each of both.
struct Rails {
  Handle self;
  std::vector<PeerNet> nets;
  std::uint64_t sequence = 0;  ///< how often one of them was chosen in turn
};

}  // namespace ulnet::core
