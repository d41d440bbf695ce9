// One TCP connection as the state machines see it: its state, its reading and writing halves, its
// NI and peer. Plain data; engine.h acts on it.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "lnet/base/slab.h"
#include "lnet/base/timer_wheel.h"
#include "lnet/lnd/sock/engine/admission.h"
#include "lnet/lnd/sock/engine/conn_states.h"
#include "lnet/lnd/sock/engine/greeting.h"
#include "lnet/lnd/sock/engine/ni_info.h"
#include "lnet/lnd/sock/engine/receiver.h"
#include "lnet/lnd/sock/engine/tx_queue.h"

namespace ulnet::lnd::sock {

struct Peer;
struct Conn;

/// A timer of one connection.
struct ConnTimer : Timer {
  Conn* conn = nullptr;
};

/// A held message; an element of Conn::held.
struct HeldMessage
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
  Handle rx;  ///< the message's handle in the engine
};

/// Bytes that were read from a connection before it was paused, and that are not parsed yet.
struct Unparsed {
  std::vector<std::byte> bytes;
  std::size_t parsed = 0;  ///< bytes at the beginning that are parsed by now

  ByteView rest() const { return ByteView(bytes).subspan(parsed); }
};

/// The part of a connection that is needed only until it carries messages.
struct Handshake {
  Greeting greeting;
  ConnTimer timer;
  /// Grows with each accepted connection; the oldest one without a hello is closed to make room for
  /// a new one.
  std::uint64_t order = 0;
  bool accept_counted = false;  ///< this connection is counted in Peer::accepts
};

struct Conn {
  Handle self;
  Peer* peer = nullptr;  ///< active: set at the dial; passive: when the hello is accepted
  /// Active: set at the dial; passive: when the connection request was read.
  const NiInfo* ni = nullptr;
  ConnState state = ConnState::kRequest;
  bool active = false;        ///< this node dialled it
  bool user = false;          ///< passive: from an unprivileged port under accept=all
  bool unprivileged = false;  ///< active: dialled from a port above 1023
  bool marked_writable =
      false;  ///< it is in ConnTable::writable(), the list of connections with something to write
  bool paused = false;  ///< the reactor must not read it
  bool routed = false;  ///< the message being read is for another NID than this NI's
  /// How many connections this one has reserved with Outlet::take_connections(). It reserved some
  /// when it opened, for the peer's connections from its address. Connections that ended passed
  /// their reservations on to it.
  std::uint16_t reserved = 0;
  std::uint8_t version = 3;                        ///< of the protocol
  wire::ConnType type = wire::ConnType::kControl;  ///< in this node's view
  Endpoint remote;
  static constexpr std::uint32_t kUnseen = ~0U;  ///< bytes were written since the last look
  std::uint32_t unacked = 0;  ///< bytes that TCP had not acknowledged at the last look, or kUnseen
  std::uint64_t written = 0;  ///< bytes in all, the handshake's included
  std::uint64_t acked = 0;    ///< bytes that TCP had acknowledged at the last look
  /// The held messages of this connection, in the order in which they were first held.
  boost::intrusive::list<HeldMessage, boost::intrusive::constant_time_size<false>> held;
  std::unique_ptr<Handshake> handshake;
  Receiver rx;
  Handle current;                      ///< the message being read, an IncomingMessage
  std::unique_ptr<Unparsed> unparsed;  ///< what was read before a pause; null: nothing
  TxQueue tx;
  Instant last_rx{};   ///< when bytes last came
  Instant last_tx{};   ///< when bytes last went
  Instant progress{};  ///< when something first became outstanding, or last was acknowledged
  /// The engine's count of choices when this connection was last chosen for a message.
  std::uint64_t used = 0;

  /// True if something is queued, or was written and TCP may not have acknowledged it.
  bool outstanding() const { return unacked != 0 || !tx.empty(); }
  TxStyle style(bool checksum) const { return {version, checksum}; }
  bool has_unsent() const {
    return !tx.empty() || (handshake && !handshake->greeting.unsent().empty());
  }
};

}  // namespace ulnet::lnd::sock
