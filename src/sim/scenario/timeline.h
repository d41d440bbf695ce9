// Records what happened between nodes, for a picture: messages with both of their ends, events,
// changes of nodes, faults with their duration. It watches the inputs and actions of the shards, so
// it does not depend on the driver.
#pragma once

#include <deque>
#include <map>
#include <tuple>
#include <vector>

#include "lnet/wire/lnet_header.h"
#include "sim/kernel/trace.h"
#include "sim/world/checker.h"

namespace ulnet::sim {

/// A message that was sent, and the node where it arrived.
struct Journey {
  std::uint32_t from = kNoNode, to = kNoNode;
  wire::MsgType type = wire::MsgType::kPut;
  std::uint32_t portal = 0;  ///< of PUTs and GETs
  std::uint32_t length = 0;
  Instant sent{};
  Instant arrived = kNever;  ///< kNever: it has not arrived
  bool failed = false;       ///< its SendDone reported an error
};
/// An event that a node handled, or a change of the node.
struct Happening {
  std::uint32_t node = kNoNode;
  Instant at{};
  bool change = false;
  NodeChange what = NodeChange::kStarted;  ///< with `change`
  EventType type = EventType::kSend;       ///< else
  std::int32_t status = 0;
};
/// A fault that lasted a while, as an actor wrote it into the trace (faults.h, script.h).
struct Breach {
  std::uint8_t detail = 0;
  std::uint32_t node = kNoNode, other = kNoNode;
  Instant from{}, until = kNever;
};

class Timeline final : public Checker {
 public:
  /// Keeps the last `most` journeys, and as many happenings.
  explicit Timeline(std::size_t most) : Checker("chronicle", kAfterStep | kEvents), most_(most) {}

  void after_step(World& world, const ShardStep& step) override;
  void on_event(World& world, SimNode& node, const core::Post& post) override;
  void on_node(World& world, SimNode& node, NodeChange change) override;

  const std::deque<Journey>& journeys() const { return journeys_; }
  const std::deque<Happening>& happenings() const { return happenings_; }
  /// Reads the actors' records of a trace that was kept.
  static std::vector<Breach> breaches(const Trace& trace);

 private:
  /// The fields of a header that identify a message at both ends.
  using Key = std::tuple<Nid, Nid, std::size_t, std::uint64_t, std::uint64_t, std::uint32_t>;
  static Key key_of(const wire::LnetHeader& header);
  Journey* find(std::uint64_t number) {
    return number < first_ ? nullptr : &journeys_[number - first_];
  }
  void add(const Happening& happening);

  const std::size_t most_;
  std::uint64_t first_ = 0;  ///< number of the oldest journey kept
  std::deque<Journey> journeys_;
  std::deque<Happening> happenings_;
  std::map<Key, std::deque<std::uint64_t>> under_way_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint64_t> sends_;
};

}  // namespace ulnet::sim
