// Fixture: ulst's command line with a real console and real test nodes on the simulator.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "bench.h"
#include "sim/checkers/all.h"
#include "sim/world/selftest_surroundings.h"

namespace ulnet::tools::lst::test {

class SimBench {
 public:
  struct Scene {
    unsigned nodes = 3;
    /// per node: in how many buffers it fills in wrong data
    std::vector<unsigned> spoil = {};
    std::vector<sim::NodeSetup> setups = {};  ///< the nodes, instead of `nodes` nodes on one net
    Duration rpc_timeout = svc::selftest::Settings{}.rpc_timeout;
  };
  /// The console is at node 0.
  SimBench(std::uint64_t seed, const Scene& scene);
  ~SimBench();

  /// Runs `ulst LINE` without a session key.
  Said ulst(const std::string& line);
  /// Calls `fn` with the context of ulst's commands: the console of node 0, and simulated time.
  void with_tool(const std::function<void(Tool&)>& fn);
  /// As ulst(), with "--json"; returns the parsed output.
  Tree json(const std::string& line, int code);
  /// Returns "10.0.0.N@tcp", N from 1.
  static std::string nid(std::size_t number);

  sim::World& world() { return world_; }
  svc::selftest::Selftest& selftest(std::size_t number) { return hosts_[number]->selftest(); }
  /// Lets the process of a node die after `delay`. (interrupt_after() interrupts as the user does.)
  void crash_after(Duration delay, std::size_t number);
  /// Pauses a node after `delay` for `lasts`.
  void pause_after(Duration delay, std::size_t number, Duration lasts);
  void interrupt_after(Duration delay) { interrupt_at_ = world_.now() + delay; }
  /// True if no node that is up is in a session.
  bool free_of_sessions() const;
  /// Calls `fn` whenever time has passed, at least every `every`.
  void look(Duration every, std::function<void()> fn) {
    look_every_ = every;
    look_ = std::move(fn);
  }

 private:
  class Client;
  class Time;

  void advance(Instant until);
  void after(Duration delay, std::function<void()> fn) {
    due_.emplace(world_.now() + delay, std::move(fn));
  }

  sim::World world_;
  std::vector<std::unique_ptr<sim::SelftestHost>> hosts_;
  std::unique_ptr<sim::SelftestSurroundings> surroundings_;
  std::unique_ptr<svc::selftest::console::Console> console_;
  std::multimap<Instant, std::function<void()>> due_;
  Instant interrupt_at_ = kNever;
  Duration look_every_ = std::chrono::hours(1);
  std::function<void()> look_;
};

}  // namespace ulnet::tools::lst::test
