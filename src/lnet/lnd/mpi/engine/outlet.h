// What the engine asks of its owner, which makes the calls of MPI or models them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lnet/base/slab.h"
#include "lnet/core/contract/ports.h"
#include "lnet/lnd/mpi/engine/place.h"
#include "lnet/lnd/mpi/engine/tags.h"

namespace ulnet::lnd::mpi {

/// An operation that the owner has begun. It ends with exactly one Engine::sent() or
/// Engine::received(), never before the call that began it has returned.
using OpId = Handle;

/// An implementation must not call the engine back, except that deliver() of a HeaderArrived gives
/// the commands that answer the header to Engine::command(), unless it returns true.
class Outlet {
 public:
  virtual ~Outlet() = default;
  /// Passes an input to the core. Returns what lnd::Inlet::deliver() returns.
  virtual bool deliver(const core::Input& input) = 0;

  /// The place of a neighbour; nothing: the driver knows no process with this NID and PID.
  virtual std::optional<Place> place_of(const core::Hop& hop) const = 0;
  /// The name of a process; nothing: no neighbour is there.
  virtual std::optional<core::Hop> hop_of(const Place& place) const = 0;

  /// Sends a short message, with kShortTag. Ends with sent().
  virtual void send_short(OpId op, const Place& to, std::vector<std::byte>&& message) = 0;
  /// Sends the payload of a transfer, which is valid until the operation has ended. `posted`: the
  /// receiver has posted the receive already, so a ready send is allowed. Ends with sent().
  virtual void send(OpId op, const Place& to, Tag tag, const core::Region& payload,
                    bool posted) = 0;
  /// Posts the receive of a transfer of at most `length` bytes. The first bytes go into `sink`,
  /// which is valid until the operation has ended; those that do not fit are discarded. Ends with
  /// received().
  virtual void post(OpId op, const Place& from, Tag tag, const core::Region& sink,
                    std::uint32_t length) = 0;
  /// Ends an operation as soon as possible, with -ECANCELED unless it has succeeded. Then MPI
  /// touches its memory no longer, but for memory that a dead process was to read.
  virtual void cancel(OpId op) = 0;

  /// A line for the log about a process.
  virtual void warn(const Place& about, const std::string& text) = 0;
};

}  // namespace ulnet::lnd::mpi
