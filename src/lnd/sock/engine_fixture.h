// For tests: an engine whose outlet is written down and whose peer is the test itself, byte by
// byte. No descriptors, no clock.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "lnd/sock/engine.h"
#include "wire/acceptor.h"
#include "wire/ksock_frame.h"
#include "wire/ksock_hello.h"

namespace ulnet::lnd::sock {

using Bytes = std::vector<std::byte>;

Bytes operator+(Bytes a, const Bytes& b);
Bytes bytes_of(const wire::AcceptorRequest& request);
Bytes bytes_of(const wire::Hello& hello);
Bytes bytes_of(const wire::Frame& frame);
/// A framed PUT with its headers in the form of `version`.
Bytes put_bytes(const wire::LnetHeader& header, const Bytes& payload, std::uint32_t version = 3,
                wire::Frame frame = {});
/// A NOOP with these cookies: ACKs, or a keepalive.
Bytes noop_bytes(std::uint64_t cookie0, std::uint64_t cookie1);
Bytes text_bytes(const char* text);

/// A of the vectors, the usual peer.
inline const core::Hop kA{*Nid::parse("192.168.1.10@tcp"), Pid::lustre()};

/// What an engine's owner saw.
class EngineBench : public Outlet {
 public:
  enum class Verdict : std::uint8_t { kLand, kDrop, kHold, kReject, kLater };
  struct Dialled {
    Handle conn;
    DialOrder order;
  };
  struct Message {
    wire::LnetHeader header;
    core::Hop hop;
    core::RxTicket rx;
    core::MsgTicket msg;
    std::size_t immediate = 0;
    Bytes sink;
    iovec vector{};
    int ends = 0;
    int status = 1;  ///< of PayloadLanded
  };

  explicit EngineBench(const char* nid = "192.168.1.20@tcp");
  ~EngineBench() override;

  // What the test does
  void advance(Duration by);
  /// Accepts a connection; the handle is empty when it was refused.
  Handle accept(const char* address, std::uint16_t port = 1023);
  void feed(Handle conn, const Bytes& bytes);
  /// As a reactor reads: payload in place where the engine says so, in calls of at most `chunk`
  /// bytes.
  void read(Handle conn, const Bytes& bytes, std::size_t chunk);
  /// All that the engine has to write on this connection.
  Bytes take(Handle conn);
  core::MsgTicket put(const core::Hop& to, const Bytes& payload, Instant deadline = kNever);
  core::MsgTicket put(const core::Hop& to) { return put(to, Bytes()); }
  /// The last dial, connected.
  Handle dialled();
  /// An accepted connection of `peer`, its hello answered (and the answer taken).
  Handle accepted(const wire::Hello& hello, const char* address = "192.168.1.10",
                  std::uint16_t port = 1023);
  /// The last dial, connected and answered with `hello`.
  Handle answered(const wire::Hello& hello);
  /// The last dial, connected and refused.
  Handle refused(std::uint32_t version = 3) {
    return answered(hello(wire::ConnType::kNone, version));
  }
  /// The last dial, connected and answered as `type` tells.
  Handle opened(const Nid& peer, wire::ConnType type, std::uint32_t version = 3);
  /// Opens CONTROL, BULK_IN and BULK_OUT towards `peer` as passive.
  struct Trio {
    Handle control, bulk_in, bulk_out;  ///< in our view
  };
  Trio trio(std::uint32_t version = 3);
  wire::Hello hello(wire::ConnType type, std::uint32_t version = 3) const;
  wire::LnetHeader header(std::uint32_t payload) const;
  bool closed(Handle conn) const;
  std::uint64_t count(Count what) const { return engine.counters().of(what); }
  const core::SendDone* done(core::MsgTicket tx) const;
  wire::Hello hello_in(const Bytes& bytes) const;

  // Outlet
  void deliver(const core::Input& input) override;
  void dial(Handle conn, const DialOrder& order) override { dials.push_back({conn, order}); }
  void close(Handle conn) override { closes.push_back(conn); }
  void pause(Handle conn, bool paused) override { pauses[conn.slot] = paused; }
  void opened(Handle, wire::ConnType, std::int32_t tos) override { toses.push_back(tos); }
  std::uint32_t unacknowledged(Handle conn) override { return unacked[conn.slot]; }
  bool hand_over(Handle conn, const core::Hop& peer, Arrival& arrival) override;

  SockTunables tunables;
  Nid self;
  Nid peer;  ///< A of the vectors, or A6
  NiInfo ni;
  Instant now{};
  Engine engine;
  Verdict verdict = Verdict::kLand;
  std::function<void()> on_header;  ///< beside the verdict

  std::deque<Message> messages;
  std::map<std::uint32_t, core::SendDone> sends;
  std::vector<Dialled> dials;
  std::vector<Handle> closes;
  std::map<std::uint32_t, bool> pauses;
  std::vector<std::int32_t> toses;  ///< of opened connections
  std::map<std::uint32_t, std::uint32_t> unacked;
  std::vector<std::uint32_t> ended;  ///< messages whose payload landed or was lost, in order
  std::vector<core::Hop> ups;
  std::vector<core::PeerDown> downs;
  std::vector<Arrival> handed_over;
  bool hands_over = false;

 private:
  std::uint32_t next_ticket_ = 1;
  std::deque<std::pair<Bytes, iovec>> payloads_;
};

}  // namespace ulnet::lnd::sock
