// Takes a stream of server-sent events (text/event-stream) apart. Source: the HTML standard,
// "Server-sent events".
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace ulnet::ctl {

/// One event as it came.
struct StreamedEvent {
  std::string id;    ///< of this event, or of the last one that had one
  std::string kind;  ///< its field "event"; "message" when it has none
  std::string data;  ///< its lines of data, with '\n' between
};

/// One thread. What comes in is bounded: a stream that does not keep to it is refused.
class EventParser {
 public:
  static constexpr std::size_t kEventBytes = 256U << 10;  ///< of one event, its lines together

  /// Gets each event. False: no more is wanted.
  using Take = std::function<bool(const StreamedEvent&)>;

  /// Feeds what came next, in pieces of any size. False: take() has said so, or an event is longer
  /// than kEventBytes (too_long()); nothing more may be fed then.
  bool feed(std::string_view bytes, const Take& take);
  bool too_long() const { return too_long_; }

 private:
  bool end_line(const Take& take);
  bool end_event(const Take& take);
  void take_field();

  std::string line_;
  bool after_return_ = false;  // the last byte was '\r': a '\n' belongs to it
  bool begun_ = false;         // a line was there: a byte order mark may be before the first only
  StreamedEvent event_;
  bool has_data_ = false;
  bool too_long_ = false;
};

}  // namespace ulnet::ctl
