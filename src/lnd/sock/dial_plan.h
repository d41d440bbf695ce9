// When a peer is dialled, and for which connection next: one at a time, CONTROL first; refusals and
// failures pause it. Source: spec/wire-socklnd.md 4.5, 4.6, 5.1, 9, 10.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "lnd/sock/failure.h"
#include "lnd/sock/life.h"
#include "wire/ksock_hello.h"

namespace ulnet::lnd::sock {

/// How many connections of each type there are (our view).
struct Census {
  std::uint16_t any = 0, control = 0, bulk_in = 0, bulk_out = 0;

  std::uint16_t& of(wire::ConnType type);
  std::uint16_t of(wire::ConnType type) const;
  unsigned total() const { return any + control + bulk_in + bulk_out; }
  /// At least one of each that typed (or untyped) operation uses.
  bool each(bool typed) const { return typed ? control && bulk_in && bulk_out : any != 0; }
};

/// The next connection to make towards 1 CONTROL + `bulk` BULK_IN + `bulk` BULK_OUT, or one ANY;
/// nothing when all are there.
std::optional<wire::ConnType> next_missing(const Census& have, std::int32_t bulk, bool typed);

class DialPlan {
 public:
  struct Pace {
    Duration first{};  ///< min_reconnectms
    Duration last{};   ///< max_reconnectms
  };

  DialState state() const { return state_; }
  bool dialling() const { return state_ == DialState::kDialling; }
  /// May a dial start? `message`: one asks for it (a resting plan starts for nothing less).
  bool ready(Instant now, bool message);
  /// Why a message that needs a dial fails at once; nothing when it may wait.
  const Failure* back_off(Instant now);

  void start() { step(DialEvent::kStart); }
  /// The connection is there: pauses start small again.
  void opened();
  /// Another version was asked for, or the peer restarted: dial again at once. Not for ever: a peer
  /// that never settles is treated as refusing.
  void retry_now(Instant now, const Census& have, bool typed, const Pace& pace);
  /// Refused with the offered version. The third in a row settles for what is there, as soon as
  /// something is.
  void refused(Instant now, const Census& have, bool typed, const Pace& pace);
  void failed(Instant now, const Failure& failure, const Pace& pace);
  /// The connections are gone, or more of them are wanted: what was settled or waited for no longer
  /// holds. A back-off does.
  void forget();

  /// When ready() may change by itself; kNever when it does not.
  Instant pause_over() const { return state_ == DialState::kRefused ? until_ : kNever; }

 private:
  void step(DialEvent event);
  Duration next_pause(const Pace& pace);

  DialState state_ = DialState::kIdle;
  std::uint8_t refusals_ = 0;  ///< in a row
  std::uint8_t retries_ = 0;   ///< at once, in a row
  bool settled_ = false;       ///< each type was had at the third refusal: tries no more
  Instant until_{};
  Duration pause_{};
  Failure failure_{};
};

}  // namespace ulnet::lnd::sock
