// When a peer is dialled, and for which connection: one dial at a time, CONTROL first; refusals
// and failures are followed by a pause. Each peer has a DialPlan; the engine dials. Source:
// spec/wire-socklnd.md 4.5, 4.6, 5.1, 9, 10.
#pragma once

#include <cstdint>
#include <optional>

#include "lnet/base/time.h"
#include "lnet/lnd/sock/engine/conn_states.h"
#include "lnet/lnd/sock/engine/failure.h"
#include "lnet/wire/ksock_hello.h"

namespace ulnet::lnd::sock {

/// The number of connections of each type (in this node's view).
struct Census {
  std::uint16_t any = 0, control = 0, bulk_in = 0, bulk_out = 0;

  std::uint16_t& of(wire::ConnType type);
  std::uint16_t of(wire::ConnType type) const;
  unsigned total() const { return any + control + bulk_in + bulk_out; }
  /// True if there is at least one of each type that typed (or untyped) operation uses.
  bool each(bool typed) const { return typed ? control && bulk_in && bulk_out : any != 0; }
};

/// The type of the next connection to make, on the way to 1 CONTROL + `bulk` BULK_IN + `bulk`
/// BULK_OUT (untyped: one ANY); nothing if all are there.
std::optional<wire::ConnType> next_missing(const Census& have, std::int32_t bulk, bool typed);

class DialPlan {
 public:
  struct Pace {
    Duration first{};  ///< the first pause: min_reconnectms
    Duration last{};   ///< the longest pause: max_reconnectms
  };

  DialState state() const { return state_; }
  bool dialling() const { return state_ == DialState::kDialling; }
  /// True if a dial may start now; it ends a pause that is over. `message`: a message asks for
  /// the dial. In kResting and kBackOff only a message can end the pause.
  bool ready(Instant now, bool message);
  /// The failure with which a message that needs a dial fails at once, during a back-off; null if
  /// the message may wait.
  const Failure* back_off(Instant now);

  void start() { step(DialEvent::kStart); }
  /// The dial ended with an open connection. Later pauses begin with Pace::first again.
  void opened();
  /// The peer asked for another version, or had restarted: the next dial may start at once. After
  /// a few of these in a row a further one counts as a refusal, because the peer never settles.
  void retry_now(Instant now, const Census& have, bool typed, const Pace& pace);
  /// The peer refused the version that was offered. After the third refusal in a row, if there is
  /// any connection, the plan rests: it does without the missing connections.
  void refused(Instant now, const Census& have, bool typed, const Pace& pace);
  /// The dial failed: a back-off begins.
  void failed(Instant now, const Failure& failure, const Pace& pace);
  /// The peer's connections are gone, or this node wants more of them: ends a dial, a rest and a
  /// pause after a refusal, and forgets the refusals. A back-off goes on.
  void forget();

  /// This node's link is up again: ends a pause and a back-off. Later ones begin with Pace::first.
  void link_up();

  /// Returns when the pause after a refusal ends; from then on ready() may return true. kNever: no
  /// such pause is under way.
  Instant pause_over() const { return state_ == DialState::kRefused ? until_ : kNever; }

 private:
  void step(DialEvent event);
  Duration next_pause(const Pace& pace);

  DialState state_ = DialState::kIdle;
  std::uint8_t refusals_ = 0;  ///< consecutive refusals
  std::uint8_t retries_ = 0;   ///< consecutive calls of retry_now()
  /// A connection of each type existed at the last refusal, so this node dials no more.
  bool settled_ = false;
  Instant until_{};    ///< the end of the pause of kRefused, kResting or kBackOff
  Duration pause_{};   ///< the next pause of kResting or kBackOff; 0: Pace::first
  Failure failure_{};  ///< why the dial before a back-off failed
};

}  // namespace ulnet::lnd::sock
