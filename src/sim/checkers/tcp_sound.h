// TCP drivers are sound, as far as lnet/lnd/sock/engine/view.h shows them:
// - Nodes never break the protocol towards each other, whatever the wire does. TCP loses and
//   spoils nothing, so no node closes a connection for a bad frame, header, checksum or zero-copy
//   cookie, and none refuses a request or hello of another as malformed. Peers that are no nodes
//   (raw_peer.h) may send nonsense: each connection with one may end that way once. So may one on
//   which an ACK comes for a request whose connection was closed meanwhile (7): the ACK comes on
//   any connection, also on one that this node has dialled and not heard of yet.
// - With a peer, no more connections of each type are open than allowed, and none was dialled
//   that is not wanted. This also holds while two nodes dial each other at the same time, since
//   the second connection is refused before it opens.
// - All open connections with a node are with one incarnation of it. The incarnation that a
//   driver knows changes only when they are gone; it may also change back, when the hello of an
//   earlier incarnation arrives after the later one was forgotten.
// Source: spec/wire-socklnd.md 5.1, 6, 7, 8, 9, 10.
#pragma once

#include "sim/checkers/per_node.h"
#include "sim/checkers/tcp_talk.h"

namespace ulnet::sim {

class TcpSound final : public Checker {
 public:
  /// `talk` has to be there as long as this.
  explicit TcpSound(const TcpTalk& talk) : Checker("TCP driver sound", 0), talk_(talk) {}
  void on_opened(World& world, SimNode& node, const lnd::sock::ConnView& conn,
                 std::uint64_t number) override;
  void check_all(World& world) override;

 private:
  void count_ends(World& world, const SimNode& node) const;

  const TcpTalk& talk_;
  /// By connection: the incarnation of its peer when it opened.
  PerNode<PerMessage<std::uint64_t>> records_;
};

}  // namespace ulnet::sim
