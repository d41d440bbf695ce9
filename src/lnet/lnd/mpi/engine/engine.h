// LNet over MPI as a state machine: what to send and receive for each message, and what to report
// to the core. It makes no call of MPI and has no clock: its owner brings what MPI has done, and
// does what the engine asks (outlet.h). Source: docs/MPI-PROTOCOL.md.
//
// A short message carries frames: whole LNet messages, or their headers with the tag under which
// the payload moves from memory to memory. One NI, and one peer for each process that it knows.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "lnet/base/hash_index.h"
#include "lnet/base/slab.h"
#include "lnet/base/timer_wheel.h"
#include "lnet/lnd/lnd.h"
#include "lnet/lnd/mpi/engine/failure.h"
#include "lnet/lnd/mpi/engine/outlet.h"
#include "lnet/wire/mpi_message.h"

namespace ulnet::lnd::mpi {

struct EngineOptions {
  std::uint32_t short_bytes = 4096;  ///< the longest short message; at least kMpiShortBytesMin
  std::uint32_t pool = 64;           ///< receives that the owner has posted for short messages
  Tag tag_max = 32767;               ///< MPI_TAG_UB; 32767 is the least that an MPI may have
  std::uint16_t min_version = wire::kMpiVersion;
  std::uint16_t max_version = wire::kMpiVersion;
  /// A peer that has to do something and is silent for this long is asked whether it is alive.
  Duration keep_alive = std::chrono::seconds(10);
  /// A peer that does not answer for this long is taken for dead.
  Duration dead_after = std::chrono::seconds(10);
  /// A peer that has no version in common is asked again after this time.
  Duration ask_again = std::chrono::seconds(10);
};

/// What the engine counts.
enum class Count : std::uint8_t {
  kShortSent,
  kShortReceived,
  kImmediateSent,
  kLargeSent,
  kGetsSent,
  kAnswersSent,
  kWithdrawn,
  kPeersUp,
  kPeersDown,
  kPeersDead,
  kRefusedVersion,
  kRefusedGreeting,
  kRefusedFrame,
  kRefusedStale,     ///< short messages of a time before one of the two forgot the other
  kRefusedStranger,  ///< from a process that is no neighbour
  kKinds
};
const char* to_string(Count count);

class Engine {
 public:
  /// `outlet` must outlive the engine. `epoch`: greater than all that this process used before.
  Engine(Outlet& outlet, const EngineOptions& options, std::uint64_t epoch);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The NI whose messages it carries from now on.
  void start(core::NiId ni) { ni_ = ni; }
  /// Ends all messages with -ESHUTDOWN. idle() is true when the last operation has ended.
  void stop();
  bool idle() const { return ops_.size() == 0 && due_.empty(); }

  /// Sets the time, before the calls below.
  void at(Instant now) { now_ = now; }
  void command(Command&& command);
  /// A short message came in. `message` is valid during the call.
  void arrived(const Place& from, ByteView message);
  /// An operation that sends has ended: with 0 or a negative errno.
  void sent(OpId op, int status);
  /// An operation that receives has ended: with 0 and the number of bytes, or a negative errno.
  void received(OpId op, int status, std::uint32_t bytes);
  /// To be called after any of the calls above, outside deliver(): handles what is due, writes what
  /// is queued, and delivers what the calls have caused.
  void work();
  /// When work() has to be called; kNever: no time-out runs.
  Instant next_deadline() const;

  std::uint64_t count(Count what) const { return counts_[static_cast<std::size_t>(what)]; }
  /// What is wrong with a peer, in words that follow its name; empty: nothing is known.
  std::string trouble(const core::Hop& hop) const;
  /// Operations under way, and messages that wait or are held.
  std::uint32_t pending() const { return ops_.size() + outs_.size() + rxs_.size(); }

 private:
  struct Peer;
  /// A message to send.
  struct Out : Timer {
    Handle self;
    core::Send send;
    Peer* peer = nullptr;
    enum class State : std::uint8_t {
      kQueued,
      kBatched,   ///< its bytes are in a short message
      kTransfer,  ///< its payload moves, or is to come
    } state = State::kQueued;
    Tag tag = 0;
    OpId op;            ///< kTransfer
    Failure withdrawn;  ///< with a status: it was given up, and ends so unless it succeeds
  };
  /// A message that came in and is not dealt with.
  struct Rx {
    Handle self;
    Peer* peer = nullptr;
    wire::MpiFrameType type = wire::MpiFrameType::kImmediate;
    Tag tag = 0;
    std::uint32_t length = 0;     ///< bytes of payload
    ByteView payload;             ///< kImmediate: its payload, which is valid while it arrives
    std::vector<std::byte> kept;  ///< a copy of it afterwards
    core::MsgTicket msg;          ///< once it is held
    bool withdrawn = false;       ///< kGet: the sender does not want the data any more
  };
  struct Op {
    enum class Kind : std::uint8_t {
      kShort,    ///< sends a short message
      kPayload,  ///< sends the payload of `out`: of a large message, or the data of a GET
      kSink,     ///< receives the data of the GET `out`
      kLanding,  ///< receives the payload of a large message for `msg`
      kDrain,    ///< receives a payload that nobody wants
    } kind = Kind::kShort;
    Peer* peer = nullptr;
    std::vector<Handle> batched;  ///< kShort: the messages in it that have no other operation
    Handle out;
    core::MsgTicket msg;
    std::uint32_t length = 0;  ///< bytes that must come
    Tag tag = 0;               ///< kLanding, kDrain
    Failure over;              ///< with a status: its peer is gone, and it ends so
  };
  struct Watch : Timer {
    Peer* peer = nullptr;
  };
  struct Peer {
    Place place;
    core::Hop hop;
    enum class State : std::uint8_t { kUnknown, kAsked, kOpen, kRefused } state = State::kUnknown;
    std::uint64_t epoch = 0;    ///< this side's
    std::uint64_t theirs = 0;   ///< the other side's; 0: not known
    std::uint16_t version = 0;  ///< kOpen
    std::uint32_t short_bytes = 0;
    std::deque<Handle> queue;      ///< messages that have not begun, in order
    std::vector<std::byte> batch;  ///< the next short message; empty: none
    std::vector<Handle> batched;   ///< the messages in it, as Op::batched
    std::uint32_t shorts = 0;      ///< short messages on their way
    std::uint32_t owes = 0;        ///< operations that end only if the peer does something
    /// The transfers that the peer has begun, by tag: what came in and is not dealt with, or an
    /// empty handle while the payload is received.
    std::map<Tag, Handle> transfers;
    Instant heard{};
    Instant asked_alive = kNever;  ///< when kAlive was sent; kNever: it has answered
    Instant ask_again{};           ///< kRefused
    bool dirty = false;            ///< in dirty_
    Watch watch;
    std::string trouble;
  };

  // engine.cc: peers
  Peer* peer_at(const Place& place);
  /// This side's versions and limits.
  wire::MpiGreeting own_greeting() const;
  void greet(Peer& peer, wire::MpiGreeting::Kind kind);
  void ask(Peer& peer);
  void on_greeting(Peer& peer, ByteView message);
  void on_query(Peer& peer, const wire::MpiGreeting& greeting);
  void open(Peer& peer, const wire::MpiGreeting& greeting, std::uint16_t version);
  void refuse(Peer& peer, const wire::MpiGreeting& greeting);
  /// Ends all messages with the peer; the next one begins with a query.
  void close(Peer& peer, const Failure& failure, bool restarted);
  void fail_queue(Peer& peer, const Failure& failure);
  void watch(Peer& peer);
  void on_watch(Peer& peer);
  void touch(Peer& peer);
  void deliver_due();
  void add(Count what) { ++counts_[static_cast<std::size_t>(what)]; }

  // outgoing.cc: messages to send
  void on(const core::Send& send);
  void on(const core::Cancel& cancel);
  void answer(const core::Send& send, Rx& rx);
  Out& make_out(const core::Send& send, Peer* peer);
  void advance(Peer& peer);
  bool begin(Peer& peer, Out& out);
  void begin_transfer(Peer& peer, Out& out, Op::Kind kind);
  bool fits_in_batch(const Peer& peer, std::size_t bytes) const;
  /// Returns where the frame's payload goes; valid until the next call.
  ByteSpan append(Peer& peer, const wire::MpiFrame& frame);
  void write(Peer& peer);
  void withdraw(Out& out, const Failure& failure);
  void end(Out& out, const Failure& failure, bool begun);
  void on_deadline(Out& out);
  Op& make_op(Op::Kind kind, Peer& peer, OpId& id);

  // incoming.cc: messages that came in
  void on_batch(Peer& peer, ByteView message);
  bool on_frame(Peer& peer, const wire::MpiFrame& frame);
  void on_message(Peer& peer, const wire::MpiFrame& frame);
  void on_withdraw(Peer& peer, Tag tag);
  void on_no_data(Peer& peer, Tag tag);
  void on(const core::Land& land);
  void on(const core::HoldPayload& hold);
  void on(const core::DropPayload& drop);
  void on(const core::Reject& reject);
  void forget(Rx& rx);
  /// Receives the payload of a large message.
  void receive(Peer& peer, Op::Kind kind, Tag tag, const core::Region& sink, std::uint32_t length,
               core::MsgTicket msg = {});
  Rx* find(core::RxTicket rx);

  Outlet& outlet_;
  const EngineOptions options_;
  std::uint64_t epoch_;
  core::NiId ni_{};
  bool stopped_ = false;
  Instant now_{};
  std::deque<Peer> peers_;
  HashIndex<Place, Peer, PlaceHash, &Peer::place> by_place_;
  Slab<Op> ops_;
  Slab<Rx> rxs_;
  struct TicketHash {
    std::size_t operator()(const core::MsgTicket& msg) const {
      return std::size_t{msg.generation} << 32 | msg.slot;
    }
  };
  TimerWheel deadlines_, watches_;
  Slab<Out> outs_;
  HashIndex<core::MsgTicket, Out, TicketHash> by_tx_;
  Tags payload_tags_, sink_tags_;
  bool tags_are_short_ = false;      ///< a message waits until a tag is free
  std::vector<Peer*> dirty_;         ///< peers that may have something to begin or to write
  std::vector<core::Input> due_;     ///< inputs for the core, in order
  std::vector<core::Input> giving_;  ///< swapped with due_
  std::array<std::uint64_t, static_cast<std::size_t>(Count::kKinds)> counts_{};
};

}  // namespace ulnet::lnd::mpi
