// The parts of virtual TCP: a connection has two ends, and each end the direction that leaves it.
// Only streams.cc and streams_dial.cc include this.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "sim/kernel/seeds.h"
#include "sim/network/byte_ring.h"
#include "sim/network/fabric.h"
#include "sim/network/streams.h"

namespace ulnet::sim {

class Streams::Impl final : Crosser {
 public:
  Impl(EventQueue& queue, Wire& wire, Trace& trace, Rng rng, const StreamModel& model)
      : queue_(queue), wire_(wire), trace_(trace), rng_(rng), model_(model) {}

  struct Conn;

  /// A part of a stream that travels as one. Its bytes wait in the ring of its direction.
  struct Piece {
    enum class What : std::uint8_t { kBytes, kOpen, kEnd, kReset, kKeepAlive } what = What::kBytes;
    std::uint32_t length = 0;
    Instant arrives{};           ///< kNever: the piece crosses switches
    std::uint64_t crossing = 0;  ///< its number while it crosses switches
    Instant sent{};
  };

  struct End : SocketHook {
    /// Runs when the first piece of the direction arrives.
    struct Travel final : Task {
      explicit Travel(End& owner) : end(owner) {}
      void run() override { end.impl->travel(end); }
      End& end;
    };
    /// Calls the user: there is room for bytes to write, or something to read.
    struct Notice final : Task {
      explicit Notice(End& owner) : end(owner) {}
      void run() override { end.impl->notify(end); }
      End& end;
    };
    /// Sends the machine of the lost end a keepalive probe.
    struct Ask final : Task {
      explicit Ask(End& owner) : end(owner) {}
      void run() override { end.impl->ask(end); }
      End& end;
    };

    /// Bytes that have arrived and were not read.
    std::size_t readable() const { return other->ring.size() - other->under_way; }
    /// Whether a user holds this end and it is not broken: bytes that arrive here can then be read.
    bool alive() const { return user != nullptr && error == 0; }

    Impl* impl = nullptr;
    Conn* conn = nullptr;
    End* other = nullptr;
    Handle handle;
    SocketUser* user = nullptr;  ///< null: not accepted yet, or closed
    Endpoint local;
    Place place;
    bool open = false;
    int error = 0;          ///< positive errno; reads return it after all readable bytes
    bool at_end = false;    ///< the other side's close has arrived
    bool notified = false;  ///< on_readable() was called; no read has returned everything since
    bool split = false;     ///< a read returned only a part; the rest comes with an event
    bool wants_space = false;
    bool left = false;  ///< Streams::leave() was called

    // The direction that this end sends
    Link* link = nullptr;
    ByteRing ring;                ///< bytes written here and not read by the other end
    std::uint32_t under_way = 0;  ///< how many bytes of `ring` have not arrived
    std::deque<Piece> pieces;
    /// How many of `pieces` are on the link; the others wait until it opens.
    std::size_t on_link = 0;
    Instant last{};
    /// A cut between switches lost pieces: this end sends them again from then on.
    Instant resend_at{};
    std::uint32_t stalls = 0;  ///< the number of stalls in force
    Duration again{};          ///< no machine answered: time until the next attempt, doubling
    KeepAlive keep;
    Instant heard{};         ///< when the last segment from the other machine arrived
    std::int32_t asked = 0;  ///< the number of keepalive probes without an answer
    Travel travel{*this};
    Notice notice{*this};
    Ask ask{*this};
  };

  struct Conn {
    struct Dial final : Task {
      enum class Phase : std::uint8_t {
        kStart,
        kSyn,
        kAnswer,
        kRefusal,
        kNobody,
        kTimeUp,
        kFailed
      };
      explicit Dial(Conn& owner) : conn(owner) {}
      void run() override { conn.active.impl->dial_step(conn); }
      Conn& conn;
      Phase phase = Phase::kStart;
      int error = 0;
      Instant begun{};
      Duration wait{};
    };
    Handle self;
    std::uint64_t number = 0;
    std::uint32_t dialler = kNoNode;
    bool dialling = true;
    End active, passive;
    Dial dial{*this};
  };

  struct Socket {
    End* end = nullptr;
  };

  // defined in streams_dial.cc
  Handle dial(const Endpoint& from, const Endpoint& to, SocketUser& user);
  void dial_step(Conn& conn);
  void retry(Conn& conn);
  void end_dial(Conn& conn, int error);
  void accept(Conn& conn);
  bool there(Place place) const { return place.value < there_.size() && there_[place.value]; }
  void set_there(Place place, bool there);

  // defined in streams.cc
  End& at(Handle socket);
  Handle hold(End& end, SocketUser& user);
  void let_go(End& end);
  Transfer read(End& end, const iovec* to, std::size_t count);
  Transfer write(End& end, const iovec* from, std::size_t count);
  void close(End& end, bool reset);
  void fail(End& end, int error);
  void vanish(End& end);
  void push(End& end, Piece piece);
  void start(End& end);
  void put_on_link(End& end);
  void crossed(Handle whose, std::uint64_t number, bool lost) override;
  void travel(End& end);
  void arrive(End& end, const Piece& piece);
  void nobody(End& end);
  void lost(const End& end);
  void ask(End& end);
  void pop(End& end);
  void drop_pieces(End& end);
  /// Whether a third of the window is free. The socket is then writable, as in real systems, so a
  /// writer with a full window does not go on byte by byte.
  bool has_space(const End& end) const {
    return end.ring.size() <= model_.window - model_.window / 3;
  }
  void set_split(End& end, bool split);
  void notify(End& end);
  void notify_readable(End& end);
  void notice(End& end, Duration in = {}) { queue_.by(queue_.now() + in, end.notice); }
  void forget_if_over(Conn& conn);
  void note(const End& end, StreamChange change, int error = 0);
  StreamEnd seen(const End& end) const {
    return {end.conn->number, &end == &end.conn->active,
            end.user != nullptr ? end.user->number() : kNoNode, end.local.address,
            end.other->local.address};
  }
  void note_stranger(std::uint32_t node, std::uint32_t other);

  EventQueue& queue_;
  Wire& wire_;
  Trace& trace_;
  Rng rng_;
  const StreamModel model_;
  StreamTap* tap_ = nullptr;
  std::map<Endpoint, SocketUser*> listeners_;
  std::vector<bool> there_;  ///< by place: a machine answers at this address
  Slab<Socket> sockets_;
  Slab<Conn, 8> conns_;
  std::uint64_t numbers_ = 0, crossings_ = 0;
  std::uint16_t next_port_ = 1024;
  std::uint64_t lost_bytes_ = 0;
  std::size_t in_flight_ = 0;              ///< pieces under way, and split reads
  std::array<std::uint64_t, 8> counts_{};  ///< by StreamChange
  std::vector<std::uint64_t> strange_;     ///< connections with users that are not nodes, by node
};

}  // namespace ulnet::sim
