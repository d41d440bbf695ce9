// The words of the scenarios: given a world of two nodes, alice and bob; when one of them puts,
// gets or unlinks something; then this is what they are told. Every story is watched by all
// checkers, and ends well only if the world comes to rest.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/step.h"
#include "sim/world.h"

namespace ulnet::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// What a user has lent to LNet, and was told about it since.
struct Lent final : EventSink {
  void on_event(const Event& event) override {
    events.push_back(event);
    if (then) then(event);
  }
  /// "SEND, ACK (last)"; an event that failed says how: "SEND -110 (last)".
  std::string told() const;
  const Event& event(EventType type) const;
  /// How many bytes from the start are `byte`.
  std::size_t filled_with(char byte) const;

  int status = 0;  ///< of the call
  MeHandle me;
  MdHandle md;
  std::vector<char> memory;
  std::vector<Event> events;
  std::function<void(const Event&)> then;  ///< what the user does inside its handler
};

struct Posting {
  Portal portal{5};
  MatchBits bits{7}, ignore{};
  ProcessId from{};
  std::uint32_t options = kOpPut;
  std::size_t bytes = 1024;
  std::size_t pieces = 1;
  std::uint32_t max_size = 0;
  std::int32_t threshold = kThresholdInfinite;
  UnlinkMode unlink = UnlinkMode::kUnlink;
  InsertPosition position = InsertPosition::kAfter;
};
struct Sending {
  ProcessId to;
  std::size_t bytes = 100;
  AckRequest ack = AckRequest::kNoAck;
  std::int32_t threshold = 2;
  Portal portal{5};
  MatchBits bits{7};
  std::uint32_t offset = 0;
  std::uint64_t hdr_data = 0;
  std::uint32_t options = 0;
  UnlinkMode unlink = UnlinkMode::kUnlink;
  char byte = 'p';
};

/// A node and its user.
class Person {
 public:
  Person(World& world, SimNode& at) : node(at), world_(world) {}

  Lent& posts(const Posting& what = {});
  Lent& puts(const Sending& what);
  Lent& gets(const Sending& what);
  /// What comes of unlinking it.
  int unlinks(const Lent& lent) { return errno_of(node.md_unlink(lent.md)); }
  template <class Value>
  static int errno_of(const Result<Value>& result) {
    return result ? 0 : result.error().code;
  }
  ProcessId id() const { return node.id(); }
  std::uint64_t dropped(core::DropReason reason) const {
    return node.drops()[static_cast<std::size_t>(reason)];
  }
  const core::ShardState& state() const { return *node.shard_state(); }

  SimNode& node;

 private:
  Lent& lend(std::size_t bytes, char byte);
  MdSpec spec(Lent& lent, std::size_t pieces);

  World& world_;
  std::vector<iovec> fragments_;
  std::vector<std::unique_ptr<Lent>> lent_;
};

/// How a Send ended, as a driver told its core.
struct Ending {
  int status = 0;
  core::Health health = core::Health::kOk;
  bool operator==(const Ending&) const = default;
};

struct Given {
  EdgeKind edge = EdgeKind::kPipe;
  core::NetTunables tunables{};
  core::Globals globals{};
  lnd::sock::SockTunables alice_sock{}, bob_sock{};
  Duration handler_delay{};
};

class Story {
 public:
  explicit Story(const Given& given = {});
  ~Story();

  /// Until nothing is under way.
  void comes_to_rest();
  void runs_for(Duration time) { EXPECT_TRUE(world.run_for(time).reached()) << world.explain(); }
  void cut(const Person& from, const Person& to, bool cut = true) {
    world.wire().cut(from.node.place(), to.node.place(), cut);
  }
  /// How the messages of this node ended, in order.
  const std::vector<Ending>& endings(const Person& person) const;

 private:
  class Listener;
  std::unique_ptr<std::vector<std::vector<Ending>>> endings_;

 public:
  World world;
  Person alice, bob;
};

}  // namespace ulnet::sim
