// One TCP connection as the machines see it: its place in the life cycle, the halves that read and
// write, and whose it is. Plain state; engine.h drives it.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/slab.h"
#include "base/timer_wheel.h"
#include "lnd/sock/admission.h"
#include "lnd/sock/greeting.h"
#include "lnd/sock/life.h"
#include "lnd/sock/ni_info.h"
#include "lnd/sock/receiver.h"
#include "lnd/sock/tx_queue.h"

namespace ulnet::lnd::sock {

struct Peer;
struct Conn;

/// A timer that knows whose it is.
struct ConnTimer : Timer {
  Conn* conn = nullptr;
};

/// A held message among those of its connection.
struct HeldMessage
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
  Handle rx;  ///< the engine's
};

/// What a connection needs only until it carries messages.
struct Handshake {
  Greeting greeting;
  ConnTimer timer;
  std::uint64_t order = 0;      ///< of accepting; the oldest silent one makes room for a new one
  bool accept_counted = false;  ///< counted in Peer::accepts
};

struct Conn {
  Handle self;
  Peer* peer = nullptr;        ///< active: from the dial on; passive: from the accepted hello on
  const NiInfo* ni = nullptr;  ///< passive: from the request on
  ConnState state = ConnState::kRequest;
  bool active = false;
  bool user = false;          ///< passive: an unprivileged peer under accept=all
  bool unprivileged = false;  ///< active: dialled from a port above 1023
  bool dirty = false;         ///< in the engine's list of those with something to write
  bool paused = false;        ///< not to be read
  bool resuming = false;      ///< in the engine's list of those to be read again
  bool routed = false;        ///< the message being read is not for us
  std::uint8_t version = 3;
  wire::ConnType type = wire::ConnType::kControl;  ///< our view
  Endpoint remote;
  static constexpr std::uint32_t kUnseen = ~0U;  ///< written since the last look
  std::uint32_t unacked = 0;  ///< bytes that TCP had not acknowledged at the last look
  std::uint64_t written = 0;  ///< bytes, the handshake's included
  std::uint64_t acked = 0;    ///< of them, at the last look
  /// Messages of this connection that are held, in the order in which they came to be.
  boost::intrusive::list<HeldMessage, boost::intrusive::constant_time_size<false>> held;
  std::unique_ptr<Handshake> handshake;
  Receiver rx;
  Handle current;                                 ///< the message being read (engine's Rx)
  std::unique_ptr<std::vector<std::byte>> stash;  ///< read, not yet looked at
  TxQueue tx;
  Instant last_rx{};   ///< bytes came
  Instant last_tx{};   ///< bytes went
  Instant progress{};  ///< what is outstanding began to be, or was seen to be acknowledged in part
  std::uint64_t used = 0;  ///< when it was last chosen to carry something

  /// Something is to be written, or was and may not be acknowledged.
  bool outstanding() const { return unacked != 0 || !tx.empty(); }
  TxStyle style(bool checksum) const { return {version, checksum}; }
  bool has_unsent() const {
    return !tx.empty() || (handshake && !handshake->greeting.unsent().empty());
  }
};

}  // namespace ulnet::lnd::sock
