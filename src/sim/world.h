// A world: nodes, what lies between them, who acts on them and who watches, one virtual clock, one
// seed. The same seed and the same program give the same history, byte for byte, with every
// compiler. Source: DESIGN.md 6.
//
//   World world(seed);
//   SimNode& a = world.add_node({.nis = {{*Nid::parse("10.0.0.1@tcp")}}});
//   SimNode& b = world.add_node({.nis = {{*Nid::parse("10.0.0.2@tcp")}}});
//   world.add<CreditsConserved>();                    // a checker
//   world.add<PutLoad>("load", ...);                  // an actor
//   world.run_for(10s);
//   world.wind_down();
//   EXPECT_TRUE(world.run_until_quiet().reached()) << world.explain();
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/actor.h"
#include "sim/checker.h"
#include "sim/event_queue.h"
#include "sim/node.h"
#include "sim/seeds.h"
#include "sim/streams.h"
#include "sim/trace.h"
#include "sim/verdict.h"
#include "sim/wire_model.h"

namespace ulnet::sim {

class Pipes;

struct WorldOptions {
  LinkModel link{};
  StreamModel streams{};
  TraceOptions trace{};
  std::uint64_t check_all_every = 10'000;  ///< steps; 0: only at the end
};

/// What a world has been through, for the table of what was exercised.
struct Exercised {
  std::uint64_t shard_steps = 0;
  std::array<std::uint64_t, 5> messages{};  ///< handed to drivers, by wire::MsgType
  std::array<std::uint64_t, 7> events{};    ///< handled, by EventType
  std::array<std::uint64_t, 5> lost{};      ///< messages, by WireLoss
  std::uint64_t duplicated = 0;
  std::array<std::uint64_t, 8> streams{};       ///< by StreamChange
  std::array<std::uint64_t, 7> node_changes{};  ///< by NodeChange
  std::map<std::string, std::uint64_t> acts;    ///< what actors count, by their words
};

class World {
 public:
  explicit World(std::uint64_t seed, const WorldOptions& options = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // ---- what is in it

  /// Starts at once. NIDs and names must be new.
  SimNode& add_node(NodeSetup setup);
  std::size_t size() const { return nodes_.size(); }
  SimNode& node(std::size_t number) { return *nodes_[number]; }
  const SimNode& node(std::size_t number) const { return *nodes_[number]; }
  /// Null: nobody of that name; nobody configured with that NID.
  SimNode* find(const std::string& name);
  SimNode* find(const Nid& nid);

  /// Makes an actor or a checker and keeps it. Actors begin when the world runs next.
  template <class T, class... Args>
  T& add(Args&&... args) {
    auto made = std::make_unique<T>(std::forward<Args>(args)...);
    T& added = *made;
    if constexpr (std::is_base_of_v<Actor, T>) add_actor(std::move(made));
    if constexpr (std::is_base_of_v<Checker, T>) add_checker(std::move(made));
    return added;
  }
  void add_actor(std::unique_ptr<Actor> actor);
  void add_checker(std::unique_ptr<Checker> checker);

  std::uint64_t seed() const { return seed_; }
  const WorldOptions& options() const { return options_; }
  Instant now() const { return queue_.now(); }
  /// Since the world began.
  Duration age() const { return queue_.now() - EventQueue::kOrigin; }
  EventQueue& queue() { return queue_; }
  Wire& wire() { return wire_; }
  Streams& streams() { return streams_; }
  Trace& trace() { return trace_; }
  std::uint64_t digest() const { return trace_.digest(); }
  /// A generator for a component of this name.
  Rng rng(std::string_view name) const { return rng_for(seed_, name); }
  Exercised& exercised() {
    exercised_.streams = streams_.counts();
    return exercised_;
  }
  /// Sum over all nodes and their lives.
  std::array<std::uint64_t, core::kDropReasons> drops() const;

  // ---- running it

  /// One thing that is due. False: nothing is, or a violation was found.
  bool step();
  /// Everything due until then; then it is that time. kReached, or kViolated.
  Verdict run_until(Instant until);
  Verdict run_for(Duration duration) { return run_until(now() + duration); }
  /// Until `condition(world)` is true; asked before the first step and after each.
  template <class Condition>
  Verdict run_until(Condition&& condition, const Limits& limits = {}) {
    Run run = begin_run(limits);
    while (!(run.over || condition(*this))) advance(run);
    return end_run(run);
  }
  /// Tells every actor to end what it does: faults are mended, loads begin nothing new.
  void wind_down();
  /// Nothing is under way: no message, event or awaited answer in any node that is up, nothing on
  /// the wire, no actor busy. Timers may still be due. O(1).
  bool quiet() const;
  /// Runs until it is, then lets every checker look at everything and at the end.
  Verdict run_until_quiet(const Limits& limits = {});
  /// Lets every checker look at everything.
  void check_all();

  std::uint64_t steps() const { return steps_; }
  /// The first one.
  const std::optional<Violation>& violation() const { return violation_; }
  /// In words: the violation if there is one, what is not quiet if anything, the seed.
  std::string explain() const;

  // ---- for its parts

  /// Also for the whole world: node null.
  void violated(const char* checker, const SimNode* node, std::string what);
  /// Under the name of a fault or load, in the table of what was exercised.
  void count(const std::string& what) { ++exercised_.acts[what]; }
  Pipes& pipes() { return *pipes_; }
  void node_changed(SimNode& node, NodeChange change);
  /// Calls a handler.
  void handle(SimNode& node, const core::Post& post);
  /// A driver reads, or writes, the memory of a message. Costs nothing when no checker asks.
  void touch_memory(SimNode& node, const core::Region& region, bool written) {
    if (!interested_[3].empty()) tell_memory(node, region, written);
  }
  void touch_memory(SimNode& node, const iovec& memory, bool written) {
    for (Checker* checker : interested_[3]) checker->on_memory(*this, node, memory, written);
  }
  /// Of the node's TCP driver.
  void connection_opened(SimNode& node, const lnd::sock::ConnView& conn, std::uint64_t number) {
    for (const auto& checker : checkers_) checker->on_opened(*this, node, conn, number);
  }
  /// A step, a handler or an act() is being run.
  bool inside() const { return inside_; }

 private:
  friend class Actor;
  friend class SimNode;
  /// What checkers hear of virtual TCP.
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
  Run begin_run(const Limits& limits);
  void advance(Run& run);
  Verdict end_run(const Run& run) const;
  void begin_actors();
  void before_step(const ShardStep& step);
  void after_step(const ShardStep& step);
  void trace_step(const ShardStep& step);
  void tell_memory(SimNode& node, const core::Region& region, bool written);

  const std::uint64_t seed_;
  const WorldOptions options_;
  // In this order, so that who is due goes before the queue and who holds streams before them.
  EventQueue queue_;
  Trace trace_;
  Wire wire_;
  Tap tap_{*this};
  Streams streams_;
  std::unique_ptr<Pipes> pipes_;
  Exercised exercised_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  std::array<std::vector<Checker*>, 5> interested_;  ///< by the bit of Checker::Interest
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
