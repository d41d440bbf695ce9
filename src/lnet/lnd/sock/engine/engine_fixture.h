// For tests: an engine whose calls to its Outlet are recorded, and whose peer is the test itself,
// byte by byte. No descriptors, no clock.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "lnet/lnd/sock/engine/engine.h"
#include "lnet/wire/acceptor.h"
#include "lnet/wire/bytes_of_fixture.h"
#include "lnet/wire/ksock_frame.h"
#include "lnet/wire/ksock_hello.h"

namespace ulnet::lnd::sock {

using Bytes = std::vector<std::byte>;

Bytes operator+(Bytes a, const Bytes& b);
/// A PUT as bytes: frame, headers in the form of `version`, payload.
Bytes put_bytes(const wire::LnetHeader& header, const Bytes& payload, std::uint32_t version = 3,
                wire::Frame frame = {});
/// A NOOP with these cookies: ACKs or a keepalive.
Bytes noop_bytes(std::uint64_t cookie0, std::uint64_t cookie1);
Bytes text_bytes(const char* text);

/// Node A of the test vectors: the usual peer.
inline const core::Hop kA{*Nid::parse("192.168.1.10@tcp"), Pid::lustre()};

/// Owns an engine and records what the engine asks for.
class EngineBench : public Outlet {
 public:
  enum class Verdict : std::uint8_t { kLand, kDrop, kHold, kReject, kLater, kDone };
  struct Dialled {
    Handle conn;
    DialOrder order;
  };
  /// A message that the engine delivered.
  struct Message {
    wire::LnetHeader header;
    core::Hop hop;
    core::RxTicket rx;
    core::MsgTicket msg;
    std::size_t immediate = 0;  ///< bytes of HeaderArrived::immediate
    bool whole = false;         ///< HeaderArrived::whole
    Bytes sink;
    iovec vector{};
    int ends = 0;                             ///< how many PayloadLanded came
    int status = 1;                           ///< of the last one
    core::Health health = core::Health::kOk;  ///< of the last one
  };

  explicit EngineBench(const char* nid = "192.168.1.20@tcp", std::uint8_t id = 0);
  ~EngineBench() override;

  // Actions of the test
  void advance(Duration by);
  /// Has a connection accepted; the handle is empty if the engine refused it.
  Handle accept(const char* address, std::uint16_t port = 1023);
  void feed(Handle conn, const Bytes& bytes);
  /// Gives `bytes` to the engine as a reactor does: payload goes where read_plan() says, at most
  /// `chunk` bytes in one call.
  void read(Handle conn, const Bytes& bytes, std::size_t chunk);
  /// Writes and returns all that the engine has to write on this connection.
  Bytes take(Handle conn);
  core::MsgTicket put(const core::Hop& to, const Bytes& payload, Instant deadline = kNever);
  core::MsgTicket put(const core::Hop& to) { return put(to, Bytes()); }
  /// Makes the engine dial this peer while no message waits for the dial: the message that caused
  /// the dial is cancelled.
  void connect(const core::Hop& to);
  /// Reports that the last dial has connected.
  Handle dialled();
  /// Returns an accepted connection on which the peer has sent `hello`; discards the engine's
  /// answer.
  Handle accepted(const wire::Hello& hello, const char* address = "192.168.1.10",
                  std::uint16_t port = 1023);
  /// Lets the last dial connect and answers it with `hello`; returns the connection.
  Handle answered(const wire::Hello& hello);
  /// Lets the last dial connect and refuses it as the peer; returns the connection.
  Handle refused(std::uint32_t version = 3) {
    return answered(hello(wire::ConnType::kNone, version));
  }
  /// Lets the last dial connect and answers it as `peer`, for a connection of `type` (in the
  /// engine's view); returns the connection.
  Handle opened(const Nid& peer, wire::ConnType type, std::uint32_t version = 3);
  /// CONTROL, BULK_IN and BULK_OUT connections, all dialled by the peer.
  struct Trio {
    Handle control, bulk_in, bulk_out;  ///< in the engine's view
  };
  Trio trio(std::uint32_t version = 3);
  wire::Hello hello(wire::ConnType type, std::uint32_t version = 3) const;
  wire::LnetHeader header(std::uint32_t payload) const;
  bool closed(Handle conn) const;
  std::uint64_t count(Count what) const { return engine.counters().of(what); }
  const core::SendDone* done(core::MsgTicket tx) const;
  wire::Hello hello_in(const Bytes& bytes) const;

  // Outlet
  bool deliver(const core::Input& input) override;
  void dial(Handle conn, const DialOrder& order) override { dials.push_back({conn, order}); }
  void close(Handle conn) override { closes.push_back(conn); }
  void leave(Handle conn, core::NiId) override { left.push_back(conn); }
  bool resends_soon() override { return resends; }
  void reset_left(core::NiId) override { resets += std::exchange(left, {}).size(); }
  void pause(Handle conn, bool paused) override { pauses[conn.slot] = paused; }
  void opened(Handle, wire::ConnType, std::int32_t tos) override { toses.push_back(tos); }
  std::uint32_t unacknowledged(Handle conn) override { return unacked[conn.slot]; }
  bool pass_to_owner(Handle conn, const core::Hop& peer, Arrival& arrival) override;

  SockTunables tunables;
  Nid self;
  Nid peer;  ///< node A of the test vectors, or its IPv6 twin
  NiInfo ni;
  Instant now{};
  Engine engine;
  Verdict verdict = Verdict::kLand;
  std::function<void()> on_header;  ///< called at each header, besides the verdict

  std::deque<Message> messages;
  std::map<std::uint32_t, core::SendDone> sends;
  std::vector<Dialled> dials;
  std::vector<Handle> closes;
  std::vector<Handle> left;  ///< connections that leave() gave up since reset_left()
  bool resends = false;      ///< what resends_soon() answers
  std::size_t resets = 0;    ///< connections that reset_left() has reset
  std::map<std::uint32_t, bool> pauses;
  std::vector<std::int32_t> toses;                 ///< of opened connections
  std::map<std::uint32_t, std::uint32_t> unacked;  ///< what unacknowledged() answers, by slot
  std::vector<std::uint32_t> ended;  ///< messages whose payload landed or was lost, in order
  std::vector<core::Hop> ups;        ///< of PeerUp
  std::vector<core::PeerDown> downs;
  std::vector<Arrival> passed_on;
  bool owner_is_elsewhere = false;  ///< what pass_to_owner() answers

 private:
  std::uint32_t next_ticket_ = 1;
  std::deque<std::pair<Bytes, iovec>> payloads_;
};

}  // namespace ulnet::lnd::sock
