// A peer's NIDs by net, among which a sending shard chooses, with their round-robin state. Source:
// spec/multirail.md 1, 3.2.
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
  std::vector<NiId> preferred;  ///< the NIs that a policy prefers for sending to it
};
/// The peer's NIDs on one net.
struct PeerNet {
  NetId id;
  std::vector<Rail> rails;  ///< never empty; in the order of the peer entry
  std::uint64_t sequence = 0;
  std::uint32_t priority = udsp::kNoPriority;
  struct Rails* of = nullptr;
};
/// All NIDs of the peer. They are made from the peer entry when the shard first chooses a path to
/// the peer. They are dropped with the peer entry, and with the configuration, whose policies they
/// contain. So the round robin begins anew with a new peer entry or configuration.
struct Rails {
  Handle self;
  std::vector<PeerNet> nets;
  std::uint64_t sequence = 0;  ///< the number of round-robin choices among them
};

}  // namespace ulnet::core
