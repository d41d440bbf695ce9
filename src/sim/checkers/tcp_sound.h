// TCP drivers keep the protocol, as far as lnet/lnd/sock/engine/view.h shows it:
// - Nodes never break the protocol towards each other, whatever the wire does. TCP loses and
//   damages nothing, so no node closes a connection for a bad frame, header, checksum or zero-copy
//   cookie, and no node refuses a request or hello of another as malformed. Peers that are not
//   nodes (raw_peer.h) may send nonsense: each connection with one may end that way once. The same
//   holds for a connection on which an ACK arrives for a request whose connection was closed
//   meanwhile (7): the ACK may use any connection, also one that this node has dialled and on which
//   it has got nothing yet.
// - With a peer, no more connections of each type are open than allowed, and no connection was
//   dialled that is not needed. This also holds while two nodes dial each other at the same time,
//   since the second connection is refused before it opens.
// - All open connections with a node are with one incarnation of it. The incarnation that a driver
//   knows changes only when they are gone; it may also change back, when the hello of an earlier
//   incarnation arrives after the later one was forgotten. Source: spec/wire-socklnd.md 5.1, 6, 7,
//   8, 9, 10.
#pragma once

#include "sim/checkers/per_node.h"
#include "sim/checkers/tcp_talk.h"

namespace ulnet::sim {

class TcpSound final : public Checker {
 public:
  /// `talk` must outlive this checker.
  explicit TcpSound(const TcpTalk& talk) : Checker("TCP connections correct", 0), talk_(talk) {}
  void on_opened(World& world, SimNode& node, const lnd::sock::ConnView& conn,
                 std::uint64_t number) override;
  void check_all(World& world) override;

 private:
  void count_ends(World& world, const SimNode& node) const;

  const TcpTalk& talk_;
  /// The incarnation of the peer when a connection opened, by connection.
  PerNode<PerMessage<std::uint64_t>> records_;
};

}  // namespace ulnet::sim
