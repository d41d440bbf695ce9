// Nodes of one kind never break the protocol towards each other, whatever the wire does: TCP loses
// and spoils nothing, so no connection is closed for a bad frame, header, checksum or zero-copy
// cookie, and nobody's hello is nonsense. Strangers (raw_peer.h) may speak nonsense: at most one
// such end for each connection with one. Source: spec/wire-socklnd.md 6, 7, 10.
#pragma once

#include "sim/checker.h"

namespace ulnet::sim {

class TcpSound final : public Checker {
 public:
  TcpSound() : Checker("TCP driver sound", 0) {}
  void check_all(World& world) override;
};

}  // namespace ulnet::sim
