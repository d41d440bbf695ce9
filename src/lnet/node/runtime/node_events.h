// What has happened in a node, for those who watch it (GET /v1/events, GET /v1/discovery,
// `ulnetctl events`, `ulnetctl discover --trace`). Everything that happens is told to one object:
// notes of the core, reports of drivers, changes by administrators. Memory is bounded: the oldest
// are forgotten, and what repeats quickly is folded. Not LNet's events of MDs (ulnet::Event).
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
#include "ulnet/nid.hpp"

namespace ulnet::node {

struct NodeEvent {
  enum class Type : std::uint8_t {
    kLog,  ///< what has no other type
    kDiscovery,
    kPeer,
    kNi,
    kPeerNi,
    kRoute,
    kResend,
    kRouter,
    kDrop,
    kConnection,
    kMemory,
    kConfig,
    kNode,
    kTypes
  };

  std::uint64_t number = 0;   ///< 1 for the first one of this node; without gaps
  std::uint64_t unix_ns = 0;  ///< when it happened; of several, the last
  Type type = Type::kLog;
  std::uint8_t level = 1;      ///< as of the log's lines: 0 debug to 3 error
  bool of_discovery = false;   ///< a step of a discovery, whatever its type is
  std::uint32_t count = 1;     ///< how many such events it stands for; the rest is of the last one
  Nid nid = Nid::any();        ///< what it is about
  std::uint64_t detail = 0;    ///< the number in `text`, for programs; 0: none
  std::string text = {};       ///< a sentence, or its end after the NID
  std::vector<Nid> nids = {};  ///< of a peer that was discovered: all that it has
};

/// The name of a type in requests and answers: "peer-ni".
const char* to_string(NodeEvent::Type type);

/// A set of types.
class EventTypes {
 public:
  static constexpr auto kCount = static_cast<std::size_t>(NodeEvent::Type::kTypes);
  static EventTypes all() { return EventTypes((1U << kCount) - 1); }
  EventTypes() = default;
  void add(NodeEvent::Type type) { bits_ |= 1U << static_cast<unsigned>(type); }
  bool has(NodeEvent::Type type) const { return (bits_ >> static_cast<unsigned>(type) & 1) != 0; }
  /// Names with commas between: "ni,route". Nothing: one of them is no type; `wrong` gets it.
  static std::optional<EventTypes> parse(std::string_view names, std::string& wrong);

 private:
  explicit EventTypes(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

/// Which events a reader wants: those of these types, of this level at least.
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
  static constexpr std::size_t kTextBytes = 512;  ///< of a text; the rest is cut off
  /// Of events of one type about one NID so many pass within kWindow; further ones become one
  /// event at its end, which has the last one's words. Steps of discoveries are not folded.
  static constexpr Duration kWindow = std::chrono::seconds(1);
  static constexpr std::uint32_t kBurst = 8;
  static constexpr std::uint32_t kResendBurst = 1;
  /// So many NIDs are told apart at a time; all others of one type count as one.
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

  /// Something has happened; its number, time and count are set here.
  void add(NodeEvent event) noexcept;
  /// No event will come any more. Readers are woken.
  void end() noexcept;

  /// Which life of a node this is: differs from that of the node before in the same process or
  /// under the same name, and is larger (milliseconds of Unix time at its start).
  std::uint64_t life() const { return life_; }

  struct Reading {
    std::vector<NodeEvent> events;
    std::uint64_t lost = 0;   ///< forgotten events of all kinds that came before these
    std::uint64_t upto = 0;   ///< where to go on: `after` of the next call
    bool more = false;        ///< there are more at once
    bool ended = false;       ///< there are no more, and none will come
    Instant folded = kNever;  ///< when an event that is being folded is due
  };
  /// Those of `wanted` with a number larger than `after`, the oldest first, at most `most`.
  Reading read(std::uint64_t after, const EventsWanted& wanted, std::size_t most = kRemembered);
  /// The same for steps of discoveries.
  std::vector<NodeEvent> discovery_steps(std::uint64_t after);
  /// The number of the newest one; 0: none yet.
  std::uint64_t newest() const;

  /// As long as it lives, `wake` is called after each event, and at the end, by the thread that
  /// tells it, which may be one that moves messages: it must not wait, nor call this object.
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
    NodeEvent::Type type = NodeEvent::Type::kLog;
    Nid nid;
    Instant until;
    std::uint32_t passed = 0;
    NodeEvent last;  ///< with the number of those that were folded; 0: none
  };

  Times look() const;
  /// Whether the event was put to a subject that has had enough.
  bool fold(NodeEvent& event, Instant now);
  /// There was no memory for an event: nothing before it is remembered either.
  void lose();
  Subject& subject_of(const NodeEvent& event, Instant now);
  /// Tells what was folded in windows that are over.
  void unfold(Instant now);
  void append(NodeEvent&& event);
  const Clock clock_;
  const std::uint64_t life_;
  mutable std::mutex lock_;           // guards the rest; held briefly
  std::deque<NodeEvent> remembered_;  // the newest is the last
  std::uint64_t newest_ = 0;          // its number, or that of one that was lost after it
  std::vector<Subject> subjects_;
  Instant next_unfold_ = kNever;  // when the first window that is open ends
  std::vector<Watch*> watches_;
  bool ended_ = false;
};

}  // namespace ulnet::node
