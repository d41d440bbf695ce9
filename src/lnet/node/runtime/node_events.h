// The events of a node, for those who watch it (GET /v1/events, GET /v1/discovery, `ulnetctl
// events`, `ulnetctl discover --trace`). One object gets them all: notes of the core, reports of
// drivers, changes by administrators. Memory is bounded: the object forgets the oldest events, and
// folds those that repeat quickly. These are not LNet's events of MDs (ulnet::Event).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lnet/base/time.h"
#include "lnet/core/contract/ports.h"
#include "ulnet/nid.hpp"

namespace ulnet::node {

struct NodeEvent {
  using Type = core::Note::About;  ///< all but kDiscovered

  std::uint64_t number = 0;  ///< 1 for the node's first event; without gaps
  /// When the event happened; if `count` is larger than 1, when the last one did.
  std::uint64_t unix_ns = 0;
  Type type = Type::kOther;
  std::uint8_t level = 1;     ///< as in the log: 0 debug to 3 error
  bool of_discovery = false;  ///< a step of a discovery, whatever its type is
  /// How many such events this object reports; the other fields are those of the last event.
  std::uint32_t count = 1;
  Nid nid = Nid::any();        ///< the NID that it is about
  std::uint64_t detail = 0;    ///< the number in `text`, for programs; 0: none
  std::string text = {};       ///< a sentence, or its end after the NID
  std::vector<Nid> nids = {};  ///< all NIDs of a discovered peer
};

/// The name of a type in requests and answers: "peer-ni".
const char* to_string(NodeEvent::Type type);

/// A set of types.
class EventTypes {
 public:
  static constexpr auto kCount = static_cast<std::size_t>(NodeEvent::Type::kDiscovered);
  static EventTypes all() { return EventTypes((1U << kCount) - 1); }
  EventTypes() = default;
  void add(NodeEvent::Type type) { bits_ |= 1U << static_cast<unsigned>(type); }
  bool has(NodeEvent::Type type) const { return (bits_ >> static_cast<unsigned>(type) & 1) != 0; }
  /// Parses names separated by commas: "ni,route". Nothing: one of them is no type; `wrong` gets
  /// it.
  static std::optional<EventTypes> parse(std::string_view names, std::string& wrong);

 private:
  explicit EventTypes(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

/// Which events a reader wants: those of these types with at least this level.
struct EventsWanted {
  EventsWanted(EventTypes wanted = EventTypes::all(), std::uint8_t least = 0)
      : types(wanted), level(least) {}
  bool has(const NodeEvent& event) const { return types.has(event.type) && event.level >= level; }
  EventTypes types;
  std::uint8_t level;  ///< as NodeEvent::level
};

/// Any thread. Nothing throws: an event for which there is no memory is lost, which readers see.
class NodeEvents {
 public:
  static constexpr std::size_t kRemembered = 2048;
  static constexpr std::size_t kTextBytes = 512;  ///< the longest text; the rest is cut off
  /// The first kBurst events of one type about one NID within kWindow pass. Further ones become one
  /// event at the end of the window, with the text of the last. Steps of discoveries are not
  /// folded.
  static constexpr Duration kWindow = std::chrono::seconds(1);
  static constexpr std::uint32_t kBurst = 8;
  static constexpr std::uint32_t kResendBurst = 1;
  /// How many NIDs are counted separately at a time; all others of one type count as one.
  static constexpr std::size_t kSubjects = 256;

  struct Times {
    Instant now;
    std::uint64_t unix_ns = 0;
  };
  using Clock = std::function<Times()>;
  /// `clock`: for tests; else the machine's.
  explicit NodeEvents(Clock clock = {});
  NodeEvents(const NodeEvents&) = delete;
  NodeEvents& operator=(const NodeEvents&) = delete;

  /// Adds an event; sets its number, time and count.
  void add(NodeEvent event) noexcept;
  /// Ends the stream: no event will come any more. Wakes the readers.
  void end() noexcept;

  /// Identifies this run of a node: larger than that of the node before in the same process or
  /// under the same name (milliseconds of Unix time at the start).
  std::uint64_t incarnation() const { return incarnation_; }

  struct Reading {
    std::vector<NodeEvent> events;
    std::uint64_t lost = 0;   ///< forgotten events of all kinds that came before these
    std::uint64_t upto = 0;   ///< where to go on: `after` of the next call
    bool more = false;        ///< more events are available at once
    bool ended = false;       ///< there are no more events, and there will be none
    Instant folded = kNever;  ///< when an event that is being folded is due
  };
  /// Returns at most `most` events of `wanted` with a number larger than `after`, the oldest first.
  Reading read(std::uint64_t after, const EventsWanted& wanted, std::size_t most = kRemembered);
  /// Returns the steps of discoveries with a number larger than `after`.
  std::vector<NodeEvent> discovery_steps(std::uint64_t after);
  /// The number of the newest event; 0: no event yet.
  std::uint64_t newest() const;

  /// While it exists, `wake` is called after each event and at the end, by the thread that adds the
  /// event. The thread may be one that moves messages, so `wake` must not wait, nor call this
  /// object.
  class Watch {
   public:
    Watch(NodeEvents& events, std::function<void()> wake);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    friend class NodeEvents;
    NodeEvents& events_;
    const std::function<void()> wake_;
  };

 private:
  /// Events of one type about one NID, within a window.
  struct Subject {
    NodeEvent::Type type = NodeEvent::Type::kOther;
    Nid nid;
    Instant until;
    std::uint32_t passed = 0;
    NodeEvent last;  ///< with the number of folded events in `count`; 0: none
  };

  Times look() const;
  /// Folds the event if its subject has reached its burst; returns whether it did.
  bool fold(NodeEvent& event, Instant now);
  /// Memory ran out while an event was added: forgets the events before it too.
  void lose();
  Subject& subject_of(const NodeEvent& event, Instant now);
  /// Adds the folded events of windows that are over.
  void unfold(Instant now);
  void append(NodeEvent&& event);
  const Clock clock_;
  const std::uint64_t incarnation_;
  mutable std::mutex lock_;           // guards the rest; held briefly
  std::deque<NodeEvent> remembered_;  // the newest is the last
  std::uint64_t newest_ = 0;          // the number of the newest event, or of one lost after it
  std::vector<Subject> subjects_;
  Instant next_unfold_ = kNever;  // when the first window that is open ends
  std::vector<Watch*> watches_;
  bool ended_ = false;
};

}  // namespace ulnet::node
