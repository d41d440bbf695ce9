// A driver in memory: every PipeLnd of one PipeWorld reaches every other by NID. For tests and
// benchmarks: without sockets, clocks or chance, and deterministic where one thread uses it.
#pragma once

#include <cstdint>
#include <memory>

#include "lnd/lnd.h"

namespace ulnet::lnd::pipe {

/// What the ends share: who is where, and the one queue of what was submitted, in order. Whoever
/// flushes moves it; one thread at a time, which also moves what others submit meanwhile. NIs are
/// started and stopped, and connections cut, while no other thread uses it.
class PipeWorld {
 public:
  /// kFlush: flush() and progress() of any end move everything until nothing is left. kManual: only
  /// step() moves.
  enum class Run : std::uint8_t { kFlush, kManual };
  explicit PipeWorld(Run run = Run::kFlush);
  ~PipeWorld();
  PipeWorld(const PipeWorld&) = delete;
  PipeWorld& operator=(const PipeWorld&) = delete;

  /// Carries out one submitted command; false when there is none.
  bool step();
  /// Cuts the connection between two NIDs, as a dying socket would: what is in flight between them
  /// fails, both sides get PeerDown. The next Send connects anew.
  void cut(const Nid& a, const Nid& b);

 private:
  friend class PipeLnd;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

class PipeLnd final : public Lnd {
 public:
  /// `world` and `inlet` must outlive the driver.
  PipeLnd(PipeWorld& world, Inlet& inlet);
  ~PipeLnd() override;
  PipeLnd(const PipeLnd&) = delete;
  PipeLnd& operator=(const PipeLnd&) = delete;

  /// The NID is spec.nid, else the text of spec.interface as an address in spec.net. -EADDRINUSE:
  /// taken in this world.
  Result<NiStarted> start_ni(const NiSpec& spec) override;
  void stop_ni(core::NiId ni) override;
  void submit(Command&& command) override;
  void flush() override;
  bool progress(Duration wait) override;

 private:
  PipeWorld& world_;
  Inlet& inlet_;
};

}  // namespace ulnet::lnd::pipe
