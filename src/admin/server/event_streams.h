// Streams of events (GET /v1/events): connections to which one thread sends a node's events, as
// server-sent events. The node never waits for a reader: a stream keeps a few events at most, and a
// reader that is slower than the events learns how many it has missed.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "admin/http/wake.h"
#include "lnet/node/runtime/node_events.h"

namespace ulnet::node::control {

struct ControlCounters;

/// Returns the event as one JSON object (docs/CONTROL-API.md).
std::string json_of(const NodeEvent& event);

/// Where a stream begins.
struct StreamStart {
  std::shared_ptr<NodeEvents> events;
  EventsWanted wanted = {};
  std::uint64_t after = 0;
  bool restarted = false;  ///< its reader has events of an earlier node
};

/// Any thread.
class EventStreams {
 public:
  /// `counters` must outlive this object.
  explicit EventStreams(ControlCounters& counters);
  /// Ends all streams.
  ~EventStreams();
  EventStreams(const EventStreams&) = delete;
  EventStreams& operator=(const EventStreams&) = delete;

  /// A place for a stream, one of limits::kEventStreams. It is free again when its last copy is
  /// destroyed. Null: all places are taken, or the system has no thread for streams.
  using Place = std::shared_ptr<void>;
  Place take_place();
  /// Sends events to the connection until its reader or the node ends, and then closes it. Takes
  /// over the descriptor, which must be non-blocking.
  void add(int descriptor, Place place, const StreamStart& start);

 private:
  using Clock = std::chrono::steady_clock;
  class Stream;

  struct TakenPlace;

  void run();
  bool go_on(Stream& stream, bool readable);
  /// Makes the thread look at all streams.
  void wake();
  /// Takes the new streams. Returns false if the server stays open, true if it ends.
  bool take_new(std::vector<std::unique_ptr<Stream>>& streams);

  ControlCounters& counters_;
  std::mutex mutex_;  // guards the rest; held briefly, and never with a call of NodeEvents
  http::WakeFlag news_;
  std::vector<std::unique_ptr<Stream>> new_;
  std::size_t places_ = 0;  // the number of places that are taken
  bool ending_ = false;
  std::thread thread_;  // runs from the first stream on
};

}  // namespace ulnet::node::control
