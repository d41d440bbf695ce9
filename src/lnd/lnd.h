// The driver contract (LND): a small table of operations, each with its obligations. A driver moves
// bytes and decides nothing; it holds no pointer back into the core, only an Inlet for what it saw.
// One conformance suite runs against every driver. Source: DESIGN.md 2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/ports.h"
#include "lnd/duty_meter.h"
#include "ulnet/result.hpp"

namespace ulnet::lnd {

/// What a driver can be told to do; a subset of core::Action.
using Command = std::variant<core::Send, core::Cancel, core::Land, core::HoldPayload,
                             core::DropPayload, core::Reject, core::Connect, core::Close>;

/// Where a driver reports to. deliver() may run a shard step on the calling thread and, before it
/// returns, submit() commands to this same driver; it must therefore be called without any lock
/// that submit() takes. For one connection, inputs are delivered in order.
class Inlet {
 public:
  virtual ~Inlet() = default;
  virtual void deliver(const core::Input& input) = 0;
  /// A driver's own thread calls this after each batch of deliver() calls, holding no lock and
  /// before it waits again: what the inputs caused is flushed and user handlers run here, on the
  /// thread that read the message. Not from within flush(), progress(), start_ni() or stop_ni():
  /// their caller sees to it.
  virtual void after_batch() {}
};

/// An NI to be started. Text comes from the configuration; the driver resolves and checks it.
struct NiSpec {
  core::NiId id;
  NetId net;
  std::string interface;  ///< a device name ("eth0"), an alias ("eth0:0") or an address
                          ///< ("127.0.0.11", "fd99::1")
  Pid pid = Pid::lustre();
  std::optional<Nid> nid;  ///< the NID it shall have, when `interface` is empty: its address must
                           ///< be one of this machine's
  bool large = false;      ///< of a device with both kinds of address, take the IPv6 one
  std::optional<std::int32_t> conns_per_peer;  ///< else the driver's tunable; 0: by link speed
  std::optional<std::int32_t> tos;             ///< else the driver's tunable; -1: leave alone
  Duration timeout{};                          ///< LND time-out to use; 0: the driver's own
  std::vector<std::uint32_t> cpts{};  ///< the CPU partitions that its threads run on, by number;
                                      ///< empty: all
};

struct NiStarted {
  Nid nid;
  std::string interface;  ///< as `net show` prints it
  bool rdma_get = false;
  Duration timeout{};             ///< the driver's time-out; part of a message's deadline
  bool has_lnd_tunables = false;  ///< whether the next two mean something
  std::int32_t conns_per_peer = 1;
  std::int32_t tos = -1;
  std::string accept_note;  ///< "trust" when the acceptor believes any source port, else empty
};

/// What can change while an NI runs; what is not given stays. New connections and deadlines follow
/// it, old ones stay.
struct NiTuning {
  std::optional<std::int32_t> conns_per_peer;  ///< 0: by link speed
  std::optional<Duration> timeout;             ///< 0: the driver's own
};

/// Instants of drivers on real time (a Send's deadline) are those of std::chrono::steady_clock.
class Lnd {
 public:
  virtual ~Lnd() = default;

  /// Brings an NI up: from its return on, headers may arrive and Sends are carried. Any thread. On
  /// error nothing is left behind.
  virtual Result<NiStarted> start_ni(const NiSpec& spec) = 0;
  /// Closes the NI's connections, ends every Send and Land on it (-ESHUTDOWN) and returns when the
  /// last input about it has been delivered. Must not be called with a shard entered. Idempotent.
  virtual void stop_ni(core::NiId ni) = 0;
  /// Enqueues; never blocks, never makes a system call, never calls the Inlet. Any thread, also
  /// with a shard entered. Commands from one thread for one hop keep their order.
  virtual void submit(Command&& command) = 0;
  /// Moves what the calling thread submitted, and more if it likes: called after the shard was
  /// left. May make system calls and deliver inputs on this thread.
  virtual void flush() = 0;
  /// The same for what any thread submitted: by who takes over another's flush.
  virtual void flush_all() { flush(); }
  /// Inline mode only, from the one polling thread: moves bytes both ways until something was
  /// delivered or `wait` is over (0: look once). True when something was delivered.
  virtual bool progress(Duration wait) = 0;

  /// Changes a running NI and returns what is in force then. Any thread, not with a shard entered.
  /// -ENOENT: no such NI.
  virtual Result<NiStarted> tune_ni(core::NiId ni, const NiTuning& tuning);
  /// A tunable of the driver by its name (spec/wire-socklnd.md 11). -ENOENT: none of this driver;
  /// -EINVAL: a bad value; -EBUSY: counts only at start. Any thread, not with a shard entered.
  virtual Result<void> set_tunable(std::string_view name, std::string_view value);
  /// What last went wrong with a peer, or that it is connected but has been silent for a second or
  /// longer, in words for people ("it refused the connection"); empty when nothing is known to be
  /// wrong. Any thread, not with a shard entered.
  virtual std::string trouble(const Nid& peer);
  /// Counters of the driver, by name: connections, refusals and drops by reason. Any thread, not
  /// with a shard entered.
  virtual std::vector<std::pair<std::string, std::uint64_t>> counters();
  /// How long the driver's own threads work without a pause; none for a driver without. Any thread.
  virtual std::vector<ThreadDuty> duties() { return {}; }
};

}  // namespace ulnet::lnd
