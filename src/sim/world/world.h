// A world: simulated nodes, the network between them, actors and checkers, one virtual clock, one
// seed. The same seed and the same program give the same history, byte for byte, with every
// compiler. Source: DESIGN.md 6.
//
//   World world(seed);
//   SimNode& a = world.add_node({.nis = {{*Nid::parse("10.0.0.1@tcp")}}});
//   SimNode& b = world.add_node({.nis = {{*Nid::parse("10.0.0.2@tcp")}}});
//   world.add_checker(credits_conserved_checker());  // a checker
//   world.add<VerifiedLoad>("load");                 // an actor
//   world.run_for(10s);
//   world.wind_down();
//   EXPECT_TRUE(world.run_until_quiet().reached()) << world.explain();
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/kernel/event_queue.h"
#include "sim/kernel/seeds.h"
#include "sim/kernel/trace.h"
#include "sim/kernel/verdict.h"
#include "sim/network/streams.h"
#include "sim/network/wire_model.h"
#include "sim/world/actor.h"
#include "sim/world/checker.h"
#include "sim/world/node.h"

namespace ulnet::sim {

class Pipes;

struct WorldOptions {
  LinkModel link{};
  StreamModel streams{};
  TraceOptions trace{};
  /// Steps between calls of check_all(); 0: only at the end.
  std::uint64_t check_all_every = 10'000;
};

/// How often things happened in a world, for the table of what a run exercised.
struct Exercised {
  std::uint64_t shard_steps = 0;
  std::array<std::uint64_t, 5> messages{};  ///< handed to drivers, by wire::MsgType
  std::array<std::uint64_t, 7> events{};    ///< handled, by EventType
  std::array<std::uint64_t, 5> lost{};      ///< messages, by WireLoss
  std::uint64_t duplicated = 0;
  std::array<std::uint64_t, 8> streams{};       ///< by StreamChange
  std::array<std::uint64_t, 7> node_changes{};  ///< by NodeChange
  std::map<std::string, std::uint64_t> acts;    ///< counts of actors, under the actors' own names
};

class World {
 public:
  explicit World(std::uint64_t seed, const WorldOptions& options = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // ---- its parts

  /// Starts the node at once. Its NIDs and its name must be new.
  SimNode& add_node(NodeSetup setup);
  std::size_t size() const { return nodes_.size(); }
  /// All nodes, in the order of their numbers.
  auto nodes() { return nodes_ | std::views::transform(&World::node_in<SimNode>); }
  auto nodes() const { return nodes_ | std::views::transform(&World::node_in<const SimNode>); }
  SimNode& node(std::size_t number) { return *nodes_[number]; }
  const SimNode& node(std::size_t number) const { return *nodes_[number]; }
  /// The node with that name, or with that NID. Null: no node has that name, or that NID is not
  /// configured.
  SimNode* find(const std::string& name);
  SimNode* find(const Nid& nid);

  /// Makes an actor or a checker and keeps it. An actor begins when the world runs next.
  template <class T, class... Args>
  T& add(Args&&... args) {
    auto made = std::make_unique<T>(std::forward<Args>(args)...);
    T& added = *made;
    if constexpr (std::is_base_of_v<Actor, T>) add_actor(std::move(made));
    if constexpr (std::is_base_of_v<Checker, T>) add_checker(std::move(made));
    return added;
  }
  void add_actor(std::unique_ptr<Actor> actor);
  Checker& add_checker(std::unique_ptr<Checker> checker);

  std::uint64_t seed() const { return seed_; }
  const WorldOptions& options() const { return options_; }
  Instant now() const { return queue_.now(); }
  /// The time since the world began.
  Duration age() const { return queue_.now() - EventQueue::kOrigin; }
  EventQueue& queue() { return queue_; }
  Wire& wire() { return wire_; }
  Streams& streams() { return streams_; }
  Trace& trace() { return trace_; }
  std::uint64_t digest() const { return trace_.digest(); }
  /// The generator of the component `name`.
  Rng rng(std::string_view name) const { return rng_for(seed_, name); }
  Exercised& exercised() {
    exercised_.streams = streams_.counts();
    return exercised_;
  }
  /// Summed over all nodes and their incarnations.
  std::array<std::uint64_t, core::kDropReasons> drops() const;

  // ---- running it

  /// Runs one task. False: no task is due, or a violation was found before.
  bool step();
  /// Runs all tasks that are due until then, and sets the clock to `until`. Returns kReached or
  /// kViolated.
  Verdict run_until(Instant until);
  Verdict run_for(Duration duration) { return run_until(now() + duration); }
  /// Runs until `condition(world)` is true; calls it before the first step and after each step.
  template <class Condition>
  Verdict run_until(Condition&& condition, const Limits& limits = {}) {
    Run run = begin_run(limits);
    while (!(run.over || condition(*this))) advance(run);
    return end_run(run);
  }
  /// Asks every actor to end its work: faults restore what they broke, loads begin no new
  /// operation.
  void wind_down();
  /// True: no node has a message, event, inter-shard message or awaited answer under way, nothing
  /// is on the wire, no actor is busy. Timers may still be due. O(1).
  bool quiet() const;
  /// Whether nothing more will happen at this instant. A node that has just resumed reads what has
  /// arrived for it during the pause; quiet() does not include that.
  bool instant_is_over() const { return queue_.next() > now(); }
  /// As quiet(), but pings that LNet itself repeats may be under way
  /// (SimNode::only_repeats_pings()), and anything may be on the wire. On links that lose messages,
  /// or to NIDs that do not answer, there may always be an unanswered ping. On slow links there may
  /// always be a ping on the wire. Looks at every node.
  bool quiet_except_pings() const;
  /// When the oldest piece on the wire was sent; kNever: the wire is empty. Looks at all pieces.
  Instant on_wire_since() const;
  /// Runs until the world is quiet, then calls check_at_end().
  Verdict run_until_quiet(const Limits& limits = {});
  /// Calls check_all() and at_end() of every checker.
  void check_at_end();
  /// Calls check_all() of every checker.
  void check_all();
  /// Calls at_rest() of every checker; the world must be quiet.
  void check_at_rest();
  /// Calls on_calm() of every checker. The world is quiet, and its faults have ended. A minute
  /// without faults and loads begins, or `ends`, in which LNet can recover by itself.
  void check_calm(bool ends);

  std::uint64_t steps() const { return steps_; }
  /// The first violation.
  const std::optional<Violation>& violation() const { return violation_; }
  /// One line: the seed, the step, the time, and the violation, or what is not quiet.
  std::string explain() const;

  // ---- called by the world's parts

  /// Records a violation, if it is the first one. `node` null: it concerns no single node.
  void violated(const char* checker, const SimNode* node, std::string what);
  /// Counts an act of a fault or load in Exercised::acts.
  void count(const std::string& what) { ++exercised_.acts[what]; }
  Pipes& pipes() { return *pipes_; }
  void node_changed(SimNode& node, NodeChange change);
  /// Calls the handler of the event.
  void handle(SimNode& node, const core::Post& post);
  /// Called before a driver reads or writes the memory of a message. It costs nothing when no
  /// checker has kMemory.
  void touch_memory(SimNode& node, const core::Region& region, bool written) {
    if (!interested_[3].empty()) report_memory(node, region, written);
  }
  void touch_memory(SimNode& node, const iovec& memory, bool written) {
    for (Checker* checker : interested_[3]) checker->on_memory(*this, node, memory, written);
  }
  /// Called when a connection of the node's TCP driver is open.
  void connection_opened(SimNode& node, const lnd::sock::ConnView& conn, std::uint64_t number) {
    for (const auto& checker : checkers_) checker->on_opened(*this, node, conn, number);
  }
  /// Whether a step, a handler or an act() is running.
  bool inside() const { return inside_; }

 private:
  friend class Actor;
  friend class SimNode;
  /// Passes the calls of virtual TCP to the checkers.
  struct Tap final : StreamTap {
    explicit Tap(World& owner) : world(owner) {}
    void on_written(const StreamEnd& end, const iovec* from, std::size_t bytes) override;
    void on_acknowledged(const StreamEnd& end, std::size_t bytes) override;
    void on_read(const StreamEnd& end, std::size_t bytes) override;
    void on_over(const StreamEnd& end, bool let_go) override;
    World& world;
  };
  struct Run {
    Limits limits;
    std::uint64_t first_step = 0;
    Instant until{};
    bool over = false;
    Outcome outcome = Outcome::kReached;
  };
  template <class Node>
  static Node& node_in(const std::unique_ptr<SimNode>& node) {
    return *node;
  }
  Run begin_run(const Limits& limits);
  void advance(Run& run);
  Verdict end_run(const Run& run) const;
  void begin_actors();
  void before_step(const ShardStep& step);
  void after_step(const ShardStep& step);
  void trace_step(const ShardStep& step);
  void report_memory(SimNode& node, const core::Region& region, bool written);

  const std::uint64_t seed_;
  const WorldOptions options_;
  // In this order: the members below, which hold tasks and streams, are destroyed first.
  EventQueue queue_;
  Trace trace_;
  Wire wire_;
  Tap tap_{*this};
  Streams streams_;
  std::unique_ptr<Pipes> pipes_;
  Exercised exercised_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  std::array<std::vector<Checker*>, 5> interested_;  ///< index: the bit of Checker::Interest
  std::vector<std::unique_ptr<SimNode>> nodes_;
  std::map<std::string, SimNode*> by_name_;
  std::map<Nid, SimNode*> by_nid_;
  std::vector<std::unique_ptr<Actor>> actors_;
  std::size_t begun_actors_ = 0;
  std::uint32_t busy_actors_ = 0;
  std::uint32_t busy_nodes_ = 0;
  std::uint64_t steps_ = 0;
  bool inside_ = false;
  std::optional<Violation> violation_;
};

}  // namespace ulnet::sim
