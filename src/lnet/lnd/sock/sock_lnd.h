// LNet over TCP (socklnd). The driver itself: it keeps the NIs and assigns every peer to one of
// its reactors. Source: spec/wire-socklnd.md; DESIGN.md 2, 3.
//
// Its parts: connection machines without descriptors, clocks or threads (engine.h and what it
// includes), and reactors that hold the descriptors (reactor.h).
#pragma once

#include <memory>

#include "lnet/base/memory_budget.h"
#include "lnet/lnd/lnd.h"
#include "lnet/lnd/placing.h"
#include "lnet/lnd/report.h"
#include "lnet/lnd/sock/engine/tunables.h"

namespace ulnet::lnd::sock {

/// kOwn: the driver has threads that move bytes, and flush() helps them. kInline: bytes move only
/// in flush() and progress(), on the owner's thread.
enum class Threads : std::uint8_t { kOwn, kInline };

class Reactor;

class SockLnd final : public Lnd {
 public:
  /// `inlet`, `reports` and `memory` must outlive the driver; `reports` may be null, and so may
  /// `memory`, which bounds the payload that is held. `last_incarnation`:
  /// the largest incarnation (ns) that this node ever used, if it is known; new ones are larger,
  /// even if the wall clock was set back (spec/wire-socklnd.md 8). `placing`: with kOwn each
  /// partition has a thread (more with `nscheds`, or if the machine has several hardware
  /// interfaces); with kInline there must be one partition, and there is one reactor. Throws
  /// std::system_error if no descriptor is free.
  SockLnd(Inlet& inlet, const SockTunables& tunables, Threads threads,
          std::uint64_t last_incarnation = 0, Placing placing = {}, ReportSink* reports = nullptr,
          MemoryBudget* memory = nullptr);
  /// Stops every NI that still runs.
  ~SockLnd() override;
  SockLnd(const SockLnd&) = delete;
  SockLnd& operator=(const SockLnd&) = delete;

  Result<NiStarted> start_ni(const NiSpec& spec) override;
  void stop_ni(core::NiId ni) override;
  void link_changed(core::NiId ni, bool up) override;
  void submit(Command&& command) override;
  void submit_send(const core::Send& send) override;
  void flush() override;
  void flush_all() override;
  /// kOwnThreads, or inline kPolled.
  Progress progress_kind() const override;
  bool progress(Duration wait) override;
  int wait_descriptor() const override;
  Duration may_sleep() override;
  Result<NiStarted> tune_ni(core::NiId ni, const NiTuning& tuning) override;
  Result<void> set_tunable(std::string_view name, std::string_view value) override;
  std::string trouble(const Nid& peer, int status) override;
  std::vector<std::pair<std::string, std::uint64_t>> counters() override;
  std::vector<ThreadDuty> duties() override;
  std::uint64_t last_incarnation() const override;

  /// The tunables as they are now. Any thread.
  SockTunables tunables() const;

 private:
  class Impl;
  /// The reactor with this number; from now on the calling thread's next flush() flushes it.
  Reactor& to_flush(std::size_t index);

  std::unique_ptr<Impl> impl_;
};

}  // namespace ulnet::lnd::sock
