// A checker watches one property that must hold in every simulated world; each has a file under
// checkers/. The world reports what happens to the checker, which changes nothing. A checker works
// incrementally, so that its cost per step does not grow with the world; check_all() compares its
// own records with the full state from time to time. Source: DESIGN.md 6.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "lnet/base/format.h"
#include "lnet/core/contract/actions.h"
#include "sim/kernel/verdict.h"

namespace ulnet::core {
struct ShardState;  // lnet/core/flow/step.h
}

namespace ulnet::lnd::sock {
class ConnView;  // lnet/lnd/sock/engine/view.h
}

namespace ulnet::sim {

class SimNode;
class World;
struct StreamEnd;  // sim/network/streams.h

/// One step of one shard. The references are valid during the call. For core::Api, `input` holds
/// the call, and after the step its results.
struct ShardStep {
  SimNode& node;
  std::uint32_t shard = 0;
  Instant now{};
  const core::Input& input;
  const core::Actions& actions;  ///< empty before the step
  const core::ShardState& state;
};

enum class NodeChange : std::uint8_t {
  kStarted,
  kConfigured,  ///< a shard takes a new snapshot; reported within the shard's step
  kPaused,
  kResumed,
  kCrashed,   ///< its MDs and their memory end with this incarnation
  kStopping,  ///< shutdown() was called
  kStopped,   ///< ... and has ended: every NI is gone
};
inline constexpr std::array kNodeWords = {"started", "configured", "paused", "resumed",
                                          "crashed", "stopping",   "stopped"};
static_assert(kNodeWords.size() == static_cast<std::size_t>(NodeChange::kStopped) + 1);
inline const char* to_string(NodeChange change) {
  return kNodeWords[static_cast<std::size_t>(change)];
}

class Checker {
 public:
  /// The groups of frequent calls, one bit each. The world makes these calls only to checkers that
  /// asked for them in the constructor. It makes all other calls to every checker.
  enum Interest : std::uint32_t {
    kBeforeStep = 1,
    kAfterStep = 2,
    kEvents = 4,
    kMemory = 8,
    kStreams = 16,
  };

  Checker(const char* name, std::uint32_t interests) : name_(name), interests_(interests) {}
  virtual ~Checker() = default;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  const char* name() const { return name_; }
  std::uint32_t interests() const { return interests_; }

  virtual void before_step(World&, const ShardStep&) {}
  virtual void after_step(World&, const ShardStep&) {}
  /// Called before the node calls the handler of this event.
  virtual void on_event(World&, SimNode&, const core::Post&) {}
  /// Called before a driver of the node carries out a command that reads this memory (`written`
  /// false) or writes it, one call per fragment.
  virtual void on_memory(World&, SimNode&, const iovec&, bool /*written*/) {}
  /// These calls report what an end of a virtual TCP connection wrote, what of it arrived at the
  /// other machine, what an end read, and that a connection is over for an end (StreamTap).
  virtual void on_written(World&, const StreamEnd&, const iovec* /*from*/, std::size_t /*bytes*/) {}
  virtual void on_acknowledged(World&, const StreamEnd&, std::size_t /*bytes*/) {}
  virtual void on_read(World&, const StreamEnd&, std::size_t /*bytes*/) {}
  virtual void on_over(World&, const StreamEnd&, bool /*let_go*/) {}
  /// A connection of this node's TCP driver is open: it carries messages from now on. `number` is
  /// StreamEnd::number.
  virtual void on_opened(World&, SimNode&, const lnd::sock::ConnView&, std::uint64_t /*number*/) {}
  /// A node changed; the world calls the actors after the checkers. At kCrashed the state of the
  /// node can be read for the last time.
  virtual void on_node(World&, SimNode&, NodeChange) {}
  /// Checks everything again from the state alone, and compares the result with the checker's own
  /// records.
  virtual void check_all(World&) {}
  /// Called when the world is quiet, its nodes are still up, and no load or fault will do anything
  /// more.
  virtual void at_rest(World&) {}
  /// Called when a time without faults and loads begins, or `ends`: see World::check_calm().
  virtual void on_calm(World&, bool /*ends*/) {}
  /// Called when the run is over: the world is quiet, and check_all() found nothing.
  virtual void at_end(World&) {}

 protected:
  /// Reports a violation. It returns, but the run ends after this step. Only the first violation
  /// counts.
  void violation(World& world, const SimNode* node, std::string what) const;
  /// The same with arguments as of fmt::format().
  template <class First, class... More>
  void violation(World& world, const SimNode* node,
                 fmt::format_string<const First&, const More&...> what, const First& first,
                 const More&... more) const {
    violation(world, node, fmt::format(what, first, more...));
  }

 private:
  const char* const name_;
  const std::uint32_t interests_;
};

}  // namespace ulnet::sim
