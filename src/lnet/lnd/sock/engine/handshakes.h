// Handshakes: what happens to an accepted or dialled connection until it is open or closed.
// Source: spec/wire-socklnd.md 2 to 4, 8, 9.
#pragma once

#include <map>
#include <optional>

#include "lnet/lnd/sock/engine/outlet.h"
#include "lnet/lnd/sock/engine/peer.h"

namespace ulnet::lnd::sock {

struct EngineParts;

class Handshakes {
 public:
  explicit Handshakes(EngineParts& parts) : parts_(parts) {}

  /// As the functions of these names of Engine.
  std::optional<Handle> accepted(const Endpoint& remote);
  std::optional<Handle> expect(const Arrival& arrival);
  void arrived(Handle conn, const Arrival& arrival);
  void connected(Handle conn, bool unprivileged);

  /// Handles bytes of a connection that is not open yet.
  void greet(Conn& conn, ByteView in);
  /// The answer of a refused connection is written.
  void refusal_sent(Conn& conn);
  /// The handshake has taken too long.
  void timed_out(Conn& conn);
  /// Closes an accepted connection that is not open yet. `unread`: bytes that came and that the
  /// engine does not read. If there are any, the connection is reset, as TCP does when a socket
  /// with unread bytes is closed.
  void close_unopened(Conn& conn, Count why, const char* detail = "", ByteView unread = {});
  /// Closes the accepted connections of this NI that are not open yet.
  void close_all_of(const NiInfo& ni);

 private:
  // Accepted connections
  void await_hello(Conn& conn);
  void limit_pending_accepts();
  void on_request(Conn& conn, ByteView rest);
  void on_hello_passive(Conn& conn, ByteView rest);
  void on_bad_greeting(Conn& conn, ByteView rest);
  void answer(Conn& conn, Peer& peer, const wire::Hello& offer);
  void refuse(Conn& conn, const wire::Hello& refusal, Count why);
  void end_accept(Conn& conn);
  // Dialled connections
  void on_hello_active(Conn& conn);
  // Both
  static bool lost_race(const Conn& conn, const Peer& peer);
  static bool duplicate(const Conn& conn, const Peer& peer, wire::ConnType type);
  void other_incarnation(Peer& peer, const Endpoint& from);
  void open(Conn& conn, Peer& peer, const wire::ReceivedHello& hello);

  EngineParts& parts_;
  std::map<std::uint64_t, Conn*> receptions_;  ///< accepted, not open yet; by Handshake::order
  std::uint64_t next_order_ = 0;
};

}  // namespace ulnet::lnd::sock
