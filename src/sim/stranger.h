// Somebody who is no node and speaks nonsense to one over TCP: wrong or half requests and hellos,
// messages that no node would send, bytes of no meaning, and it goes in the middle of a word. What
// must come of it: the node refuses or drops it and counts, and nobody else notices. Source:
// spec/wire-socklnd.md 3 to 7; spec/core-semantics.md 8.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/rng.h"
#include "sim/raw_peer.h"

namespace ulnet::sim {

class SimNode;

class Stranger {
 public:
  /// Troubles that NI of the node, which is on TCP and has a small NID. Both must outlive it.
  Stranger(World& world, const SimNode& whom, std::size_t ni, Rng rng);
  /// Hangs up, or breaks off.
  ~Stranger();
  static bool can_trouble(const SimNode& whom, std::size_t ni);

  /// Begins another conversation; now and then, many at once in which nothing is said.
  void bother();

 private:
  using Bytes = std::vector<std::byte>;

  Bytes conversation();
  Bytes request();
  Bytes hello(std::uint32_t version);
  Bytes message(std::uint32_t version);
  Bytes misaddressed(std::uint32_t version);
  Bytes answer(std::uint32_t version);
  Bytes ill_formed(std::uint32_t version);
  Bytes cookies(std::uint32_t version);
  Bytes noise(std::size_t most);
  void answer_dial(RawPeer::Talk& talk);
  template <class Part>
  wire::LnetHeader header(const Part& part, std::uint32_t payload_length = 0) const;
  wire::LnetHeader put(std::uint32_t bytes);
  Nid nobody();

  std::uint64_t below(std::uint64_t bound) { return rng_.below(bound); }
  /// Of a hundred.
  bool often(std::uint32_t percent) { return below(100) < percent; }

  World& world_;
  const SimNode& whom_;
  const Nid nid_;  ///< whom it troubles
  Rng rng_;
  std::unique_ptr<RawPeer> mouth_;
  std::uint64_t cookie_ = 1;
};

}  // namespace ulnet::sim
