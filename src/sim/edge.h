// A driver at a simulated node's edge: the contract of all drivers, on virtual time, and what a
// process does to its drivers when it is frozen or dies. There are three: lnd/lo itself, PipeEdge
// (messages travel as values) and SockEdge (lnd/sock's engine on virtual byte streams). Source:
// DESIGN.md 2, 6.
#pragma once

#include <memory>

#include "lnd/lnd.h"

namespace ulnet::sim {

class SimNode;
class World;

/// flush() is where everything happens that submit() asked for; what it delivers meanwhile may
/// submit more, which it carries out as well.
class Edge : public lnd::Lnd {
 public:
  bool progress(Duration) final {
    flush();
    return false;
  }
  /// Something was submitted and waits for flush().
  virtual bool pending() const = 0;
  /// The process stands still: nothing is delivered until it goes on, and then everything is.
  virtual void pause(bool paused) = 0;
  /// The process is gone: nothing is delivered any more. `silent`: nobody is told either.
  virtual void crash(bool silent) = 0;
  /// Messages that it has in its hands: after stop_ni() of every NI none.
  virtual std::size_t messages() const = 0;
};

/// How often which: for the table of what was exercised.
enum class EdgeKind : std::uint8_t { kPipe, kSock };
const char* to_string(EdgeKind kind);

}  // namespace ulnet::sim
