// Parses a stream of server-sent events (text/event-stream). Source: the HTML standard,
// "Server-sent events".
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace ulnet::ctl {

/// One event of the stream.
struct StreamedEvent {
  std::string id;    ///< the id of this event, or of the last event that had one
  std::string kind;  ///< the field "event"; "message" when the event has no such field
  std::string data;  ///< the lines of data, with '\n' between them
};

/// One thread. The input is bounded: a stream that exceeds the bound is refused.
class EventParser {
 public:
  /// The largest size of one event, all its lines together.
  static constexpr std::size_t kEventBytes = 256U << 10;

  /// Receives each event. Returns false when it wants no more events.
  using Take = std::function<bool(const StreamedEvent&)>;

  /// Feeds the next bytes, in pieces of any size. Returns false when `take` wants no more events,
  /// or when an event is longer than kEventBytes (too_long()). Do not feed more bytes then.
  bool feed(std::string_view bytes, const Take& take);
  bool too_long() const { return too_long_; }

 private:
  bool end_line(const Take& take);
  bool end_event(const Take& take);
  void take_field();

  std::string line_;
  bool after_return_ = false;  // the last byte was '\r': a '\n' belongs to it
  bool begun_ = false;         // a line has come: a byte order mark may precede only the first
  StreamedEvent event_;
  bool has_data_ = false;
  bool too_long_ = false;
};

}  // namespace ulnet::ctl
