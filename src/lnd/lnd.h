// The driver contract (LND): a small table of operations, each with its obligations. A driver moves bytes and decides nothing; it
// holds no pointer back into the core, only an Inlet for what it saw. One conformance suite runs against every driver.
// Source: DESIGN.md 2.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/ports.h"
#include "ulnet/result.hpp"

namespace ulnet::lnd {

/// What a driver can be told to do; a subset of core::Action.
using Command = std::variant<core::Send, core::Cancel, core::Land, core::HoldPayload, core::DropPayload, core::Reject,
                             core::Connect, core::Close>;

/// Where a driver reports to. deliver() may run a shard step on the calling thread and, before it returns, submit() commands
/// to this same driver; it must therefore be called without any lock that submit() takes. For one connection, inputs are
/// delivered in order.
class Inlet {
 public:
  virtual ~Inlet() = default;
  virtual void deliver(const core::Input& input) = 0;
  /// A driver's own thread calls this after each batch of deliver() calls, holding no lock and before it waits again: what the
  /// inputs caused is flushed and user handlers run here, on the thread that read the message. Not from within flush(),
  /// progress(), start_ni() or stop_ni(): their caller sees to it.
  virtual void after_batch() {}
};

/// An NI to be started. Text comes from the configuration; the driver resolves and checks it.
struct NiSpec {
  core::NiId id;
  NetId net;
  std::string interface;  ///< a device name ("eth0"), an alias ("eth0:0") or an address ("127.0.0.11", "fd99::1")
  Pid pid = Pid::lustre();
};

struct NiStarted {
  Nid nid;
  std::string interface;         ///< as `net show` prints it
  bool rdma_get = false;
  Duration timeout{};            ///< the driver's time-out; part of a message's deadline
  std::int32_t dev_cpt = -1;
};

class Lnd {
 public:
  virtual ~Lnd() = default;

  /// Brings an NI up: from its return on, headers may arrive and Sends are carried. Any thread. On error nothing is left behind.
  virtual Result<NiStarted> start_ni(const NiSpec& spec) = 0;
  /// Closes the NI's connections, ends every Send and Land on it (-ESHUTDOWN) and returns when the last input about it has
  /// been delivered. Must not be called with a shard entered. Idempotent.
  virtual void stop_ni(core::NiId ni) = 0;
  /// Enqueues; never blocks, never makes a system call, never calls the Inlet. Any thread, also with a shard entered. Commands
  /// from one thread for one hop keep their order.
  virtual void submit(Command&& command) = 0;
  /// Moves what was submitted: called after the shard was left. May make system calls and deliver inputs on this thread.
  virtual void flush() = 0;
  /// Inline mode only, from the one polling thread: moves bytes both ways until something was delivered or `wait` is over
  /// (0: look once). True when something was delivered.
  virtual bool progress(Duration wait) = 0;
};

}  // namespace ulnet::lnd
