// The running parts of a node: its shards with their hosts, the timekeepers and the drivers. It
// knows how messages move and how threads wait in each mode; it does not know the administrator's
// configuration. Source: DESIGN.md 3.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lnet/core/contract/api.h"
#include "lnet/node/runtime/driver_log.h"
#include "lnet/node/runtime/drivers.h"
#include "lnet/node/runtime/hosts.h"
#include "lnet/node/runtime/poll_token.h"
#include "lnet/node/runtime/poller.h"
#include "lnet/node/runtime/shared_memory_budget.h"
#include "lnet/node/runtime/state.h"
#include "lnet/os/partitions.h"
#include "ulnet/node.hpp"

namespace ulnet::node {

class Runtime {
 public:
  struct Options {
    Mode mode = Mode::kShared;
    conf::ParamValues params;
    std::uint64_t last_incarnation = 0;
    bool shard_spin = false;                                 ///< as set_shard_spin()
    std::uint64_t memory_budget = MemoryBudget::kUnlimited;  ///< bytes
    Hosts::Hooks hooks;
    DriverLog::Say say;              ///< a line for the log; any thread
    int log_level = 0;               ///< lines below it are not logged
    NodeEvents* events = nullptr;    ///< gets what drivers report; must outlive the runtime
    std::vector<DriverRow> drivers;  ///< for each type of net at most one
    bool trial = false;              ///< a trial node: the threads leave their CPUs to others
  };
  Runtime(Options options, Partitions partitions);
  /// All NIs must have been stopped before.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  bool polled() const { return mode_ == Mode::kInline; }
  bool trial() const { return trial_; }
  const Partitions& partitions() const { return partitions_; }
  Hosts& hosts() { return hosts_; }
  /// Memory that others can make the node keep is taken from this budget. Any thread.
  MemoryBudget& memory() { return memory_; }
  /// Whether there is a driver for nets of this type.
  bool has_driver(NetType type) { return driver_of(type) != nullptr; }
  /// The row of the driver for nets of this type, which must exist.
  const DriverRow& row_of(NetType type) { return driver_of(type)->row; }
  /// Calls `fn(driver)`. The work that the driver's inputs leave to this thread is done before
  /// this returns. Not from a handler.
  template <class Fn>
  auto with_driver(NetType type, Fn&& fn) {
    const RunDeferred after;
    return fn(*driver_of(type)->lnd);
  }
  /// Sets a tunable of the driver that has it; does nothing if no driver has it. Not from a
  /// handler.
  Result<void> set_tunable(std::string_view name, std::string_view value);
  /// Returns the counters of each driver that counts something. Not from a handler.
  std::vector<DriverCounters> counters();
  /// The largest incarnation that a driver has given an NI.
  std::uint64_t last_incarnation() const;
  /// How long each of the node's threads works without a pause; set_long_cycle() sets what counts
  /// as long.
  std::vector<lnd::ThreadDuty> duties();
  void set_long_cycle(Duration threshold);
  /// Sets the lowest level at which drivers' reports are logged; initially `Options::log_level`.
  void set_log_level(int level) { driver_log_.set_level(level); }
  /// Whether the threads of partitions spin. No effect outside dedicated mode, which alone has
  /// such threads.
  void set_shard_spin(bool spin);

  /// Runs a call that does not wait. Its status becomes the result: 0, or a negative errno as
  /// Error.
  Result<void> call(core::ApiCall& call);
  /// Runs a waiting call and returns when its Done has come. -EDEADLK inside a handler.
  Result<core::Done> call_and_wait(core::ApiCall& call);
  /// Waits until no handler of this MD runs and no event of it waits. Not from a handler.
  void wait_for_strand(MdHandle md);
  /// Waits until no handler runs or waits, and no inter-shard message is under way. Call it only
  /// when no NI is left, because it may never return otherwise. Not from a handler.
  void wait_until_idle();
  /// A number that identifies the next waiting call.
  std::uint64_t next_ticket() { return ++tickets_; }

  /// Starts an NI: its driver listens, and commands for the NI go to that driver. No message
  /// moves before a snapshot names the NI. -EMSGSIZE: the driver cannot carry all messages of LNet.
  Result<lnd::NiStarted> start_ni(const lnd::NiSpec& spec);
  /// Stops an NI that no snapshot names any more. Messages in flight have `grace` to end by
  /// themselves; then the driver fails them.
  void stop_ni(core::NiId ni, NetType type, Duration grace);

  /// Inline mode (see Lnet::progress).
  bool progress(Duration wait);
  /// Sets a function that inline mode calls about once a second (it looks for link changes),
  /// before the first progress().
  void set_housekeeping(std::function<void()> housekeeping) {
    housekeeping_ = std::move(housekeeping);
  }

 private:
  struct Driver {
    DriverRow row;
    std::unique_ptr<lnd::Lnd> lnd;
    unsigned index;  ///< the driver's number in the hosts
  };
  struct RunDeferred {
    RunDeferred() = default;
    RunDeferred(const RunDeferred&) = delete;
    RunDeferred& operator=(const RunDeferred&) = delete;
    ~RunDeferred() { OuterLoop::current().run(); }
  };
  /// Calls `wait(instant)` until that returns true or `until` has passed; returns whether it
  /// returned true. `wait` may block until `instant`. In inline mode `instant` is the present, and
  /// this thread moves bytes between the calls.
  template <class Wait>
  bool wait_moving(Wait wait, Instant until);
  Driver* driver_of(NetType type);
  /// Starts the thread that polls drivers, if the node has threads and a driver wants it.
  void start_poll_thread();
  void stop_poll_thread();
  // With polling_ held:
  bool look_once(OuterLoop& loop);
  bool look_until(Instant until, OuterLoop& loop);
  bool run_due(Instant at);
  /// Binds the calling thread to this partition: its CPU and its memory.
  void bind(std::uint32_t cpt);

  const Mode mode_;
  const bool trial_;
  const DriverLog::Say say_;
  std::atomic<bool> warned_{false};  // the log has the line that threads cannot be bound
  const Partitions partitions_;
  SharedMemoryBudget memory_;
  Hosts hosts_;
  DriverLog driver_log_;
  std::vector<Driver> drivers_;  // as Options::drivers; constant
  std::atomic<std::uint64_t> tickets_{0};
  Poller poller_;
  std::thread poll_thread_;
  std::atomic<bool> stop_polling_{false};
  PollToken polling_;
  std::function<void()> housekeeping_;
  Instant housekeeping_due_{};  // guarded by polling_
  unsigned looks_ = 0;          // guarded by polling_
};

}  // namespace ulnet::node
