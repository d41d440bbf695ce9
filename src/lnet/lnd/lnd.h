// The contract of an LNet driver (LND): a few operations, each with its obligations. A driver
// moves bytes and takes no decisions. It has no pointer into the core, only an Inlet to report
// to. One conformance suite runs against every driver. Source: DESIGN.md 2.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lnet/base/limits.h"
#include "lnet/core/contract/ports.h"
#include "lnet/lnd/duty_meter.h"
#include "ulnet/result.hpp"

namespace ulnet::lnd {

/// A command of the core to a driver; a subset of core::Action.
using Command = std::variant<core::Send, core::Cancel, core::Land, core::HoldPayload,
                             core::DropPayload, core::Reject>;

/// The interface to which a driver reports. deliver() may run a step of a shard on the calling
/// thread. Before it returns, that step may submit() commands to the same driver. So a driver must
/// call deliver() without holding any lock that submit() takes. A driver delivers the inputs of one
/// connection in order.
class Inlet {
 public:
  virtual ~Inlet() = default;
  /// Takes an input. Returns true if the input was a HeaderArrived and the core is done with the
  /// message. The driver then does at once what it does for a DropPayload; the core sends no such
  /// command.
  virtual bool deliver(const core::Input& input) = 0;
  /// A driver's own thread calls this after each batch of deliver() calls, holding no lock, before
  /// it waits again. The call sends what the inputs caused and runs user handlers, on the thread
  /// that read the message. A driver does not call it from flush(), progress(), start_ni() or
  /// stop_ni(): the caller of those does that work.
  virtual void after_batch() {}
};

/// Values of tunables that an NI has for itself, by name. Its driver refuses a name that it does
/// not know, and a value that its tunable cannot have.
using NiOptions = std::map<std::string, std::int32_t, std::less<>>;

/// An NI to start. The text comes from the configuration; the driver resolves and checks it.
struct NiSpec {
  core::NiId id;
  NetId net;
  std::string interface;  ///< a device name ("eth0"), an alias ("eth0:0") or an address
                          ///< ("127.0.0.11", "fd99::1")
  Pid pid = Pid::lustre();
  std::optional<Nid> nid;  ///< the NI's NID, if `interface` is empty; its address must be one of
                           ///< this machine's
  bool large = false;      ///< if a device has an IPv4 and an IPv6 address, take the IPv6 one
  NiOptions options{};  ///< the driver's own tunables give the values of options that are not in it
  Duration timeout{};   ///< the LND time-out; 0: the driver's own
  std::vector<std::uint32_t> cpts{};  ///< numbers of the CPU partitions whose threads serve the NI;
                                      ///< empty: all
};

/// What a peer can receive from this driver. A driver carries at least LNet's largest message, so
/// the defaults of `fragments` and `payload` are the least values (spec/wire-lnet.md 2.6).
struct MessageLimits {
  std::uint32_t fragments = limits::kMaxFragments;  ///< pieces of memory of a payload
  std::uint32_t payload = limits::kMtu;             ///< bytes of a payload
  /// Bytes of a payload that travel with the header. A longer payload moves after the receiver has
  /// matched the message, and so takes another round trip, but no memory of the receiver before.
  std::uint32_t immediate = limits::kMtu;
  /// Messages on the way to one peer; the NI's peer credits are at most this many.
  std::int32_t peer_credits = INT32_MAX;
};

/// A driver's answer about a running NI.
struct NiStarted {
  Nid nid;
  std::string interface;  ///< as `net show` prints it
  bool rdma_get = false;
  Duration timeout{};       ///< the LND time-out in force; part of a message's deadline
  NiOptions options{};      ///< all that the driver has, with the values in force
  std::string accept_note;  ///< "trust" when the acceptor believes any source port, else empty
  MessageLimits limits{};
};

/// The values that can change while an NI runs. A field without a value stays as it is. A change
/// counts from now on: connections that are open stay open, Sends under way keep their deadlines.
struct NiTuning {
  NiOptions options{};
  std::optional<Duration> timeout{};  ///< 0: the driver's own
};

/// What moves the bytes of a driver, besides the threads that call flush().
enum class Progress : std::uint8_t {
  kInFlush,     ///< nothing else: all happens in flush()
  kOwnThreads,  ///< threads of the driver, which call Inlet::after_batch()
  kPolled,      ///< the node's polling thread, which calls progress()
};

/// A driver. One that uses real time reads instants (such as a Send's deadline) as those of
/// std::chrono::steady_clock.
class Lnd {
 public:
  virtual ~Lnd() = default;

  /// Brings an NI up: once it returns, headers may arrive and Sends are carried. On an error
  /// nothing is left behind. Any thread. Errors: the driver's, with the reason.
  virtual Result<NiStarted> start_ni(const NiSpec& spec) = 0;
  /// Closes the NI's connections and ends every Send and Land on it (-ESHUTDOWN); returns when the
  /// last input about the NI has been delivered. Does nothing for an NI that does not exist. The
  /// caller must not be inside a step of a shard.
  virtual void stop_ni(core::NiId ni) = 0;
  /// Notifies the driver that the link of a running NI is up again (true) or went down (false). An
  /// NI's link is up when the NI starts. When the link is down for long, a driver with connections
  /// closes those of the NI and ends their messages, so that the core can send these by other NIs.
  /// It connects again when the link is up. Does nothing for an NI that does not exist, or whose
  /// link is in that state already. Any thread, outside any step of a shard.
  virtual void link_changed(core::NiId, bool) {}
  /// Queues a command; never blocks, makes no system call, does not call the Inlet. Any thread,
  /// also inside a step of a shard. Commands from one thread for one hop keep their order.
  virtual void submit(Command&& command) = 0;
  /// The same for a Send, the most frequent command. A driver that queues commands overrides it and
  /// so copies the Send once less.
  virtual void submit_send(const core::Send& send) { submit(Command(send)); }
  /// Carries out the commands that the calling thread has submitted, and perhaps those of other
  /// threads. Called outside any step of a shard. May make system calls and deliver inputs on this
  /// thread.
  virtual void flush() = 0;
  /// As flush(), but carries out the commands of every thread. For a thread that flushes in place
  /// of others.
  virtual void flush_all() { flush(); }

  /// What moves the driver's bytes; constant.
  virtual Progress progress_kind() const { return Progress::kInFlush; }
  // kPolled only, by the one polling thread. One thread may poll several drivers.
  /// Moves bytes both ways until something was delivered or `wait` is over (0: looks once, and does
  /// no more than that finds). True if something was delivered. The polling thread passes a `wait`
  /// other than 0 only if it has nothing else to do meanwhile.
  virtual bool progress(Duration /*wait*/) { return false; }
  /// A descriptor that polls readable when progress() has something to do; constant. -1: the driver
  /// has none, so that it has to be polled again and again.
  virtual int wait_descriptor() const { return -1; }
  /// The polling thread is about to sleep. Returns how long it may sleep at most, unless the
  /// descriptor becomes readable; 0: it is to call progress() at once. A driver that has to be
  /// polled often lets the result grow while nothing happens. From this call to the next progress()
  /// a driver with a descriptor makes it readable also for what other threads submit.
  virtual Duration may_sleep() { return Duration::max(); }

  /// Whether the driver wants to know the memory of MDs, for example to register it with a device;
  /// constant. If so, the node calls the next two functions for every MD, inside steps of shards:
  /// neither may block, make a system call or call the Inlet. Any thread, several at a time.
  virtual bool wants_memory() const { return false; }
  /// The fragments are the memory of this MD from now on. Comes before the first command that names
  /// memory of the MD. Not all commands name memory of an MD: a router forwards from its own
  /// buffers. Two MDs may share memory. `fragments` is valid until detach_memory().
  virtual void attach_memory(MdHandle /*md*/, std::span<const iovec> /*fragments*/) {}
  /// No command names memory of this MD any more. The user gets the memory back when this returns,
  /// and may return it to the system. A driver that has registered it forgets the registration
  /// here: another MD may have memory at the same addresses next.
  virtual void detach_memory(MdHandle /*md*/) {}

  /// Changes a running NI and returns what is in force afterwards. Any thread, outside any step
  /// of a shard. -ENOENT: no such NI. -EINVAL: a bad value. -EOPNOTSUPP: the driver has nothing
  /// to tune.
  virtual Result<NiStarted> tune_ni(core::NiId ni, const NiTuning& tuning);
  /// Sets a tunable of the driver by its name (spec/wire-socklnd.md 11). Any thread, outside any
  /// step of a shard. -ENOENT: the driver has no such tunable. -EINVAL: a bad value. -EBUSY: it
  /// can only be set before an NI starts.
  virtual Result<void> set_tunable(std::string_view name, std::string_view value);
  /// Returns the last trouble with a peer, in words for the user ("it refused the connection"), or
  /// that the peer is connected but has been silent for a second or longer. Empty if nothing is
  /// known to be wrong. `status`: the status with which a message to the peer failed. Any thread,
  /// outside any step of a shard.
  virtual std::string trouble(const Nid& peer, int status);
  /// The driver's counters by name: connections, messages, refusals and drops by reason. Any
  /// thread, outside any step of a shard.
  virtual std::vector<std::pair<std::string, std::uint64_t>> counters();
  /// How long each of the driver's own threads works without a pause; empty for a driver without
  /// threads. Any thread.
  virtual std::vector<ThreadDuty> duties() { return {}; }
  /// The largest incarnation (ns) that the driver has given an NI; 0: it gives NIs no incarnation.
  /// Any thread.
  virtual std::uint64_t last_incarnation() const { return 0; }
};

}  // namespace ulnet::lnd
