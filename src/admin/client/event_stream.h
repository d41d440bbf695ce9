// Follows what happens in a node: the client of GET /v1/events (docs/DOOR.md). For programs that
// watch many nodes: one object and one thread for each.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "admin/client/door.h"

namespace ulnet::ctl {

/// Something that a stream has said.
struct StreamEvent {
  enum class Kind : std::uint8_t {
    kEvent,  ///< `tree` is the event (docs/DOOR.md)
    kGap,    ///< events are missing: {"lost": n}; null: nobody knows how many
    kEnd,    ///< the node has stopped; the stream ends
  } kind = Kind::kEvent;
  std::string id;  ///< of the last event, for EventStreamWish::after
  Tree tree;
};

struct EventStreamWish {
  /// A control socket's path, or "HOST:PORT" of a port that reads (ulnetd --metrics-api).
  std::string door;
  std::string types = {};  ///< "ni,route"; empty: all
  std::string level = {};  ///< at least: "info" leaves out the steps of discoveries; empty: all
  /// Go on after this event (StreamEvent::id, or a number); empty: with what happens from now on.
  std::string after = {};
};

class EventStream {
 public:
  /// A door says at least every 10 s that it is there. One that is silent for so long is gone.
  static constexpr std::chrono::seconds kPatience{30};

  explicit EventStream(EventStreamWish wish);
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  /// Gets what comes, on the thread of follow(). False: no more is wanted.
  using Take = std::function<bool(const StreamEvent&)>;
  /// Connects and calls `take` until that or stop() ends it, or the node has stopped: then this
  /// succeeds. It does not connect again. -ECONNREFUSED: nobody is there; -EBUSY: the node has as
  /// many streams as may be; -ECONNRESET: the stream broke off; -EPROTO: what came is no stream of
  /// events; else the door's own error. Called once.
  Result<void> follow(const Take& take);
  /// Ends follow(), which is under way or will be called. Any thread.
  void stop();

 private:
  struct Connection;
  const EventStreamWish wish_;
  const std::unique_ptr<Connection> connection_;
  std::atomic<bool> stopped_{false};
};

}  // namespace ulnet::ctl
