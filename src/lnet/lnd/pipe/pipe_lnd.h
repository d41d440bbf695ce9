// A driver in memory: each PipeLnd of a PipeWorld reaches every other one by NID. For tests and
// benchmarks: it has no sockets, no clock and no randomness, and is deterministic in one thread.
#pragma once

#include <cstdint>
#include <memory>

#include "lnet/lnd/lnd.h"

namespace ulnet::lnd::pipe {

/// What the PipeLnds of one world share: which NID belongs to which driver, and one queue of
/// submitted commands. Any thread may submit and flush. One thread at a time moves bytes, also
/// for commands that others submit meanwhile. No other thread may use the world while an NI is
/// started or stopped or a connection is cut.
class PipeWorld {
 public:
  /// kFlush: flush() of any driver carries out commands until no command is left.
  /// kManual: only step() carries out commands.
  enum class Run : std::uint8_t { kFlush, kManual };
  explicit PipeWorld(Run run = Run::kFlush);
  ~PipeWorld();
  PipeWorld(const PipeWorld&) = delete;
  PipeWorld& operator=(const PipeWorld&) = delete;

  /// Carries out one submitted command; false when no command waits.
  bool step();
  /// Cuts the connection between two NIDs, as if a socket had died: what is in flight between
  /// them fails, and both drivers deliver PeerDown. The next Send connects again.
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

  /// The NI's NID is spec.nid, else the text of spec.interface as an address on spec.net.
  /// -EADDRINUSE: another NI of this world has it. -EINVAL: the text is no address.
  Result<NiStarted> start_ni(const NiSpec& spec) override;
  void stop_ni(core::NiId ni) override;
  void submit(Command&& command) override;
  void submit_send(const core::Send& send) override;
  void flush() override;

 private:
  PipeWorld& world_;
  Inlet& inlet_;
};

}  // namespace ulnet::lnd::pipe
