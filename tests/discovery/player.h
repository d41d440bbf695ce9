// A node of a recording: a core that has its NIDs, and whose ping info had so many changes before.
// For tests only.
#pragma once

#include <vector>

#include "lnet/core/flow/discovery_fixture.h"

namespace ulnet::capture {

Duration seconds_of(double seconds);
/// All bytes of the payload of what a core sends.
std::vector<std::byte> payload_of(const core::Send& send);

class Player : public core::test::Discoverers {
 public:
  /// The node with these NIDs, whose ping info has this sequence number.
  Player(std::vector<Nid> own, std::uint32_t sequence);

  /// Its configuration has these NIDs from now on.
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
