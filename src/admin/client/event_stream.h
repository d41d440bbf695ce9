// Follows the events of a node: the client of GET /v1/events (docs/CONTROL-API.md). For programs
// that watch many nodes: one object and one thread for each.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "admin/client/control_api.h"

namespace ulnet::ctl {

/// An item of a stream.
struct StreamEvent {
  enum class Kind : std::uint8_t {
    kEvent,  ///< `tree` is the event (docs/CONTROL-API.md)
    kGap,    ///< events are missing: {"lost": n}; null: the number is not known
    kEnd,    ///< the node has stopped; the stream ends
  } kind = Kind::kEvent;
  std::string id;  ///< the id of the last event; EventStreamOptions::after takes it
  Tree tree;
};

struct EventStreamOptions {
  /// A control socket's path, or "HOST:PORT" of a read-only port (ulnetd --metrics-api).
  std::string api;
  std::string types = {};  ///< "ni,route"; empty: all
  /// the least level: "info" leaves out the steps of discoveries; empty: all
  std::string level = {};
  /// The stream goes on after this event (StreamEvent::id, or a number); empty: with events from
  /// now on.
  std::string after = {};
};

class EventStream {
 public:
  /// The control API sends something at least every 10 s. A stream that is silent for this long
  /// counts as gone.
  static constexpr std::chrono::seconds kTimeout{30};

  explicit EventStream(EventStreamOptions options);
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  /// Receives the items, on the thread of follow(). Returns false when it wants no more items.
  using Take = std::function<bool(const StreamEvent&)>;
  /// Connects and calls `take` for each item. Returns success when `take` or stop() ends the
  /// stream, or when the node has stopped. Does not connect again. -ECONNREFUSED: no process
  /// listens. -EBUSY: the node has the most streams that it allows. -ECONNRESET: the stream broke
  /// off. -EPROTO: the answer is not a stream of events. Other errors are those of the control API.
  /// Call it once.
  Result<void> follow(const Take& take);
  /// Ends follow(), which is under way or is called later. Any thread.
  void stop();

 private:
  struct Connection;
  const EventStreamOptions options_;
  const std::unique_ptr<Connection> connection_;
  std::atomic<bool> stopped_{false};
};

}  // namespace ulnet::ctl
