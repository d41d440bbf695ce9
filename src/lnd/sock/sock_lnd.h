// LNet over TCP (socklnd). The driver seen from outside: it keeps the NIs and hands every peer to
// one of its reactors. Source: spec/wire-socklnd.md; DESIGN.md 2, 3.
//
// Inside: connection machines without descriptors, clocks or threads (engine.h and below), and
// reactors that hold the descriptors (reactor.h).
#pragma once

#include <memory>

#include "lnd/lnd.h"
#include "lnd/sock/reactor_homes.h"
#include "lnd/sock/report.h"
#include "lnd/sock/tunables.h"

namespace ulnet::lnd::sock {

/// Who moves the bytes: threads of the driver's own (flush() helps), or only flush() and progress()
/// of the owner's thread.
enum class Threads : std::uint8_t { kOwn, kInline };

class SockLnd final : public Lnd {
 public:
  /// `inlet` must outlive the driver. `last_incarnation`: the largest that this node ever used,
  /// where it is known (ns); new ones grow beyond it even when the wall clock stepped back
  /// (spec/wire-socklnd.md 8). `placing`: a thread per partition (more with `nscheds`, or where the
  /// machine has several hardware interfaces); inline, one reactor for all.
  /// `reports`, if given, hears what the driver tells people, and must outlive it.
  SockLnd(Inlet& inlet, const SockTunables& tunables, Threads threads,
          std::uint64_t last_incarnation = 0, Placing placing = {}, ReportSink* reports = nullptr);
  /// Stops every NI still there.
  ~SockLnd() override;
  SockLnd(const SockLnd&) = delete;
  SockLnd& operator=(const SockLnd&) = delete;

  Result<NiStarted> start_ni(const NiSpec& spec) override;
  void stop_ni(core::NiId ni) override;
  void submit(Command&& command) override;
  void flush() override;
  void flush_all() override;
  bool progress(Duration wait) override;
  Result<NiStarted> tune_ni(core::NiId ni, const NiTuning& tuning) override;
  Result<void> set_tunable(std::string_view name, std::string_view value) override;
  std::string trouble(const Nid& peer) override;
  std::vector<std::pair<std::string, std::uint64_t>> counters() override;
  std::vector<ThreadDuty> duties() override;

  /// The tunables in force. Any thread.
  SockTunables tunables() const;
  /// The largest incarnation given out, to be handed to the next life of the node.
  std::uint64_t last_incarnation() const;
  /// Inline mode: a descriptor that polls readable when progress(0) may have something to do (for
  /// an owner's own event loop).
  int poll_descriptor() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ulnet::lnd::sock
