// The functions that a console needs from its node. The node is a real one, one of the simulator,
// or one of a test. One thread at a time, as for the whole console.
#pragma once

#include <functional>
#include <optional>

#include "lnet/base/time.h"
#include "selftest/service/latency.h"
#include "selftest/service/rpc.h"

namespace ulnet::svc::selftest::console {

class Surroundings {
 public:
  virtual ~Surroundings() = default;
  virtual Caller& caller() = 0;
  virtual Instant now() const = 0;
  /// Returns milliseconds since 1970, for the stamp of a session.
  virtual std::int64_t wall_ms() const = 0;
  /// Returns the NID by which nodes know this console; it has a 4-byte address. -EADDRNOTAVAIL with
  /// the reason: the node has no such NID.
  virtual Result<Nid> nid() = 0;
  /// Whether `nid` is one of this node's NIDs.
  virtual bool is_own(const Nid& nid) const = 0;
  /// Returns how long the RPCs of test number `index` (from 1) of a batch took at this node;
  /// replies on the wire have no field for these times. Nothing: this node is not a client of that
  /// test.
  virtual std::optional<Latency> own_latency(const wire::LstSessionId& session, std::uint64_t batch,
                                             std::uint32_t index) const = 0;
  virtual void after(Duration delay, std::function<void()> fn) = 0;
};

}  // namespace ulnet::svc::selftest::console
