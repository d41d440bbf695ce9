// The driver of LNet over MPI: it makes the calls of MPI for an engine (engine/engine.h). Compiled
// once for each MPI; no other code includes mpi.h. Source: docs/MPI-PROTOCOL.md, design document
// 000.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lnet/lnd/lnd.h"
#include "lnet/lnd/mpi/engine/engine.h"

namespace ulnet::lnd::mpi {

/// A communicator, and the neighbour at each of its ranks.
struct Group {
  /// Points to an MPI_Comm that only this driver uses, valid as long as the driver. The driver
  /// makes its calls return errors.
  const void* comm = nullptr;
  std::vector<core::Hop> hops;
};

struct MpiOptions {
  EngineOptions engine;  ///< `tag_max` is taken from the MPI
  /// Threads may call MPI at a time (MPI_THREAD_MULTIPLE). Otherwise only the thread that made the
  /// driver does: the polling thread of inline mode.
  bool any_thread = false;
  /// How long the driver looks again and again after the last message, before it lets its thread
  /// sleep.
  Duration spin = std::chrono::microseconds(50);
  /// The longest sleep between two looks while nothing happens.
  Duration longest_sleep = std::chrono::milliseconds(1);
  /// Ends the program when MPI reports an error; otherwise the messages concerned fail.
  bool abort_on_error = false;
};

class MpiLnd final : public Lnd {
 public:
  /// MPI must be initialised, and stay so as long as the driver. `inlet` must outlive the driver.
  /// `self`: the NID of the only NI. `epoch`: as Engine's. Throws std::runtime_error if MPI refuses
  /// what the driver needs.
  MpiLnd(Inlet& inlet, std::vector<Group> groups, const Nid& self, const MpiOptions& options,
         std::uint64_t epoch);
  /// The NI must have been stopped.
  ~MpiLnd() override;
  MpiLnd(const MpiLnd&) = delete;
  MpiLnd& operator=(const MpiLnd&) = delete;

  /// -EEXIST: it runs already. -EINVAL: another net than that of its NID.
  Result<NiStarted> start_ni(const NiSpec& spec) override;
  void stop_ni(core::NiId ni) override;
  void submit(Command&& command) override;
  void flush() override;
  Progress progress_kind() const override { return Progress::kPolled; }
  bool progress(Duration wait) override;
  Duration may_sleep() override;
  std::string trouble(const Nid& peer, int status) override;
  std::vector<std::pair<std::string, std::uint64_t>> counters() override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ulnet::lnd::mpi
