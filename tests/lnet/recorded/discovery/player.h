// A node of a recording: a core with the node's NIDs, whose ping info has changed as often as the
// node's. For tests only.
#pragma once

#include <vector>

#include "lnet/core/flow/discovery_fixture.h"

namespace ulnet::capture {

Duration seconds_of(double seconds);
/// All bytes of the payload of a core's Send.
std::vector<std::byte> payload_of(const core::Send& send);

class Player : public core::test::Discoverers {
 public:
  /// The node with these NIDs, whose ping info has this sequence number.
  Player(std::vector<Nid> own, std::uint32_t sequence);

  /// Changes the node's configuration to these NIDs.
  void set_nids(const std::vector<Nid>& nids);

 protected:
  bool has(const Nid& nid) const;
  core::NiId ni_of(const Nid& nid) const;
  const std::vector<Nid>& own() const { return own_; }

 private:
  std::vector<Nid> own_;
  std::uint32_t next_ni_ = 100;
};

}  // namespace ulnet::capture
