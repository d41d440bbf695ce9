// Properties that hold in every world: one class, one file each, under checkers/. A checker is told
// what happens and looks; it changes nothing. It is incremental: what it does per step does not
// grow with the world, and check_all() shows now and then that its own books agree with the state.
// Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <string>

#include "core/ports.h"
#include "sim/verdict.h"

namespace ulnet::core {
struct ShardState;  // core/step.h
}

namespace ulnet::lnd::sock {
class ConnView;  // lnd/sock/view.h
}

namespace ulnet::sim {

class SimNode;
class World;
struct StreamEnd;  // sim/streams.h

/// One step of one shard. References hold during the call. For core::Api the call is in `input`,
/// with its results after the step.
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
  kConfigured,  ///< a new snapshot is in force; told within the step that took it
  kPaused,
  kResumed,
  kCrashed,   ///< everything of this life is gone, its MDs and their memory are nobody's
  kStopping,  ///< shutdown() was called
  kStopped,   ///< ... and has ended: every NI is gone
};
const char* to_string(NodeChange change);

class Checker {
 public:
  /// Which of the calls below it wants, for those that are made often.
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
  /// A handler is about to be called with this event.
  virtual void on_event(World&, SimNode&, const core::Post&) {}
  /// A driver reads (`written` false) or has written this memory for a message.
  virtual void on_memory(World&, SimNode&, const iovec&, bool /*written*/) {}
  /// Somebody wrote on virtual TCP, what it wrote arrived, somebody read, or a connection is over
  /// for one end (StreamTap).
  virtual void on_written(World&, const StreamEnd&, const iovec* /*from*/, std::size_t /*bytes*/) {}
  virtual void on_acknowledged(World&, const StreamEnd&, std::size_t /*bytes*/) {}
  virtual void on_read(World&, const StreamEnd&, std::size_t /*bytes*/) {}
  virtual void on_over(World&, const StreamEnd&, bool /*let_go*/) {}
  /// A connection of this node's TCP driver carries messages from now on; `number` as StreamEnd has
  /// it.
  virtual void on_opened(World&, SimNode&, const lnd::sock::ConnView&, std::uint64_t /*number*/) {}
  /// Before what it says is seen by others; kCrashed comes while the node's state can be seen for
  /// the last time.
  virtual void on_node(World&, SimNode&, NodeChange) {}
  /// Everything again from the state alone, and against its own books.
  virtual void check_all(World&) {}
  /// The run is over and the world is quiet.
  virtual void at_end(World&) {}

 protected:
  /// Does not return control to anybody: the run ends with this step, the first violation counts.
  void violation(World& world, const SimNode* node, std::string what) const;

 private:
  const char* const name_;
  const std::uint32_t interests_;
};

}  // namespace ulnet::sim
