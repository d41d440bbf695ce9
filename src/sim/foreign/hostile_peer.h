// A hostile peer that sends malformed bytes to a node over TCP: wrong or incomplete acceptor
// requests and hellos, messages that no node would send, random bytes; it may hang up in the middle
// of any of them. The node has to refuse or drop the bytes and count them, and its other peers must
// not notice. Source: spec/wire-socklnd.md 3 to 7; spec/core-semantics.md 8.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lnet/base/rng.h"
#include "sim/foreign/raw_peer.h"

namespace ulnet::sim {

class SimNode;

class HostilePeer {
 public:
  /// Attacks NI `ni` of `whom`: can_trouble() must be true. `world` and `whom` must outlive it.
  HostilePeer(World& world, const SimNode& whom, std::size_t ni, Rng rng);
  /// Closes half of its connections and resets the others.
  ~HostilePeer();
  static bool can_trouble(const SimNode& whom, std::size_t ni);

  /// Dials and sends one conversation; one time in ten it opens many connections and sends nothing
  /// on them.
  void attack();

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
  /// True with a probability of `percent` in a hundred.
  bool often(std::uint32_t percent) { return below(100) < percent; }

  World& world_;
  const SimNode& whom_;
  const Nid nid_;  ///< of the NI under attack
  Rng rng_;
  std::unique_ptr<RawPeer> conn_;
  std::uint64_t cookie_ = 1;
};

}  // namespace ulnet::sim
