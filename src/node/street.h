// What runs in a node: its shards with the hosts around them, and the drivers. It knows how things
// move and wait in either mode, and nothing of what an administrator wants. Source: DESIGN.md 3.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include "core/api.h"
#include "lnd/lo/lo_lnd.h"
#include "lnd/sock/sock_lnd.h"
#include "node/driver_log.h"
#include "node/hosts.h"
#include "node/partitions.h"
#include "node/poll_token.h"
#include "ulnet/node.hpp"

namespace ulnet::node {

class Street {
 public:
  struct Options {
    Mode mode = Mode::kShared;
    std::uint64_t seed = 0;
    lnd::sock::SockTunables tunables;
    std::uint64_t last_incarnation = 0;
    bool shard_spin = false;  ///< as set_shard_spin()
    Hosts::Hooks hooks;
    DriverLog::Say say;  ///< a line for the log; any thread
    int log_level = 0;   ///< less is not said
  };
  Street(Options options, Partitions partitions);
  /// Every NI must have been stopped.
  ~Street();
  Street(const Street&) = delete;
  Street& operator=(const Street&) = delete;

  bool polled() const { return mode_ == Mode::kInline; }
  const Partitions& partitions() const { return partitions_; }
  Hosts& hosts() { return hosts_; }
  /// Whether a driver here speaks this type.
  bool has_driver(NetType type) { return driver_of(type) != nullptr; }
  /// Calls `fn(driver)`; what the driver delivers meanwhile on this thread is settled before this
  /// returns. Not from a handler.
  template <class Fn>
  auto with_driver(NetType type, Fn&& fn) {
    struct Settle {
      ~Settle() { OuterLoop::current().run(); }
    } settle;
    return fn(*driver_of(type));
  }
  std::uint64_t last_incarnation() const { return sock_.last_incarnation(); }
  /// How long each of the node's threads works without a pause; what is called long.
  std::vector<lnd::ThreadDuty> duties();
  void set_long_cycle(Duration threshold);
  /// The least level of what the drivers report, as `Options::log_level`.
  void set_log_level(int level) { driver_log_.set_level(level); }
  /// Whether the threads of partitions spin; nothing where there are none (dedicated mode has
  /// them).
  void set_shard_spin(bool spin);

  /// Runs a call to its end: 0 or a negative errno, as Error.
  Result<void> call(core::ApiCall& call);
  /// A waiting call: returns when its Done came. -EDEADLK inside a handler.
  Result<core::Done> call_and_wait(core::ApiCall& call);
  /// Waits until no handler of this MD runs and no event of it waits. Not from a handler.
  void wait_for_strand(MdHandle md);
  /// The same for all MDs, and nothing is under way between shards. Ends when no NI is left.
  void wait_until_idle();
  /// A name for the next waiting call.
  std::uint64_t next_ticket() { return ++tickets_; }

  /// Starts an NI: its driver listens and its commands find the driver. No message moves before a
  /// snapshot names it.
  Result<lnd::NiStarted> start_ni(const lnd::NiSpec& spec);
  /// Stops an NI that no snapshot names any more. What is in flight has `grace` to end by itself.
  void stop_ni(core::NiId ni, NetType type, Duration grace);

  /// Inline mode (see Lnet::progress).
  bool progress(Duration wait);
  /// Looks at something else now and then in inline mode (link changes); set before the first
  /// progress().
  void set_chore(std::function<void()> chore) { chore_ = std::move(chore); }

 private:
  /// Returns when `over()` holds or `until` passed. `wait(instant)` may block that long; in inline
  /// mode this thread moves bytes.
  template <class Wait>
  bool wait_moving(Wait wait, Instant until);
  lnd::Lnd* driver_of(NetType type);
  // Under polling_:
  bool look_once(OuterLoop& loop);
  bool look_until(Instant until, OuterLoop& loop);
  bool run_due(Instant at);
  /// The calling thread is one of this partition's from now on.
  void bind(std::uint32_t cpt);

  const Mode mode_;
  const DriverLog::Say say_;
  std::atomic<bool> warned_{false};  // that threads cannot be bound
  const Partitions partitions_;
  Hosts hosts_;
  DriverLog driver_log_;
  lnd::lo::LoLnd lo_;
  lnd::sock::SockLnd sock_;
  const unsigned lo_index_;
  const unsigned sock_index_;
  std::atomic<std::uint64_t> tickets_{0};
  PollToken polling_;
  std::function<void()> chore_;
  Instant chore_due_{};  // guarded by polling_
  unsigned looks_ = 0;   // guarded by polling_
};

}  // namespace ulnet::node
