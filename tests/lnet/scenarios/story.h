// The vocabulary of the stories: given a world with the nodes alice and bob; when one of them sends
// a PUT or GET or unlinks an MD; then these are the events. All checkers watch every story, and it
// succeeds only if the world becomes quiet.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lnet/core/flow/step.h"
#include "sim/world/acquaint_fixture.h"
#include "sim/world/world.h"

namespace ulnet::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// An MD of a user, with its memory and the events that the user got.
struct Lent final : EventSink {
  void on_event(const Event& event) override {
    events.push_back(event);
    if (then) then(event);
  }
  /// The events as text: "SEND, ACK (last)"; an event with an error as "SEND -110 (last)".
  std::string reported() const;
  const Event& event(EventType type) const;
  /// How many bytes, from the first on, equal `byte`.
  std::size_t filled_with(char byte) const;

  int status = 0;  ///< result of the call
  MeHandle me;
  MdHandle md;
  std::vector<char> memory;
  std::vector<Event> events;
  std::function<void(const Event&)> then;  ///< called in the handler
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
  /// The result of unlinking its MD: 0 or -errno.
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

/// How a Send ended (SendDone).
struct Ending {
  int status = 0;
  core::Health health = core::Health::kOk;
  bool operator==(const Ending&) const = default;
};

struct Given {
  DriverKind driver = DriverKind::kPipe;
  core::NetTunables tunables{};
  core::Globals globals{};
  lnd::sock::SockTunables alice_sock{}, bob_sock{};
  Duration handler_delay{};
};

class Story {
 public:
  /// Alice and Bob know each other.
  explicit Story(const Given& given = {});
  ~Story();

  /// Runs until the world is quiet.
  void comes_to_rest();
  void runs_for(Duration time) { EXPECT_TRUE(world.run_for(time).reached()) << world.explain(); }
  /// Makes `who` count the peer as discovered.
  void knows(const Person& who, const Nid& peer) { acquaint(who.node, peer); }
  void cut(const Person& from, const Person& to, bool cut = true) {
    world.wire().cut(from.node.place(), to.node.place(), cut);
  }
  /// How the Sends of this node ended, in order.
  const std::vector<Ending>& endings(const Person& person) const;

 private:
  class Listener;
  std::unique_ptr<std::vector<std::vector<Ending>>> endings_;

 public:
  World world;
  Person alice, bob;
};

}  // namespace ulnet::sim
