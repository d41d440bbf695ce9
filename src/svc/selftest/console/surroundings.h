// Where a console lives: a real node, the simulator, or a test. One thread at a time, as the whole
// console.
#pragma once

#include <functional>
#include <optional>

#include "base/time.h"
#include "svc/selftest/latency.h"
#include "svc/selftest/rpc.h"

namespace ulnet::svc::selftest::console {

class Surroundings {
 public:
  virtual ~Surroundings() = default;
  virtual Caller& caller() = 0;
  virtual Instant now() const = 0;
  /// Milliseconds of the calendar: the stamp of a session.
  virtual std::int64_t wall_ms() const = 0;
  /// The NID by which nodes know this console, with a 4-byte address. -EADDRNOTAVAIL with the
  /// reason when it has none.
  virtual Result<Nid> nid() = 0;
  /// True when that is this node.
  virtual bool is_own(const Nid& nid) const = 0;
  /// How long RPCs of this node's n-th test (from 1) of a batch took, for which answers on the wire
  /// have no place. Nothing when this node is no client in it.
  virtual std::optional<Latency> own_latency(const wire::LstSessionId& session, std::uint64_t batch,
                                             std::uint32_t index) const = 0;
  virtual void after(Duration delay, std::function<void()> fn) = 0;
};

}  // namespace ulnet::svc::selftest::console
