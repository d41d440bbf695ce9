// TCP drivers are sound, as far as they can be seen (lnd/sock/view.h):
//  - nodes never break the protocol towards each other, whatever the wire does: TCP loses and
//  spoils
//    nothing, so no connection is closed for a bad frame, header, checksum or zero-copy cookie, and
//    nobody's hello is nonsense. Strangers (raw_peer.h) may speak nonsense: at most one such end
//    for each connection with one;
//  - of each type no more connections are open with a peer than are allowed, and none is dialled
//    that is not wanted. The second of two that are made at the same time is refused before it
//    opens, so that it holds also while a race is decided;
//  - all open connections with a node are with one life of it: its incarnation changes, forth or
//    back, only when they are gone. (Back: the hello of an earlier life may come when the later one
//    has been forgotten.)
// Source: spec/wire-socklnd.md 5.1, 6, 7, 8, 9, 10.
#pragma once

#include "sim/checkers/books.h"

namespace ulnet::sim {

class TcpSound final : public Checker {
 public:
  TcpSound() : Checker("TCP driver sound", 0) {}
  void on_opened(World& world, SimNode& node, const lnd::sock::ConnView& conn,
                 std::uint64_t number) override;
  void check_all(World& world) override;

 private:
  void count_ends(World& world, const SimNode& node) const;

  Books<Notes<std::uint64_t>> books_;  ///< of each connection: the incarnation that opened it
};

}  // namespace ulnet::sim
