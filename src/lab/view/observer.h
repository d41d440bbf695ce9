// Watches a network's nodes through their control APIs: asks each node about twice a second, and
// follows its events. Each node has two threads, so that a paused node delays no other.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "admin/client/control_api.h"
#include "lab/view/observation.h"
#include "lnet/base/time.h"

namespace ulnet::tools::lab {

/// A node and the path of its control socket.
struct WatchedNode {
  std::string name;
  std::string socket;
};

/// An event that a node reported (docs/CONTROL-API.md, GET /v1/events), or a change that the
/// observer noticed: the node answers, is silent or is gone.
struct Happening {
  std::uint64_t number = 0;  ///< counted by this observer, from 1 without gaps
  std::string node;
  ctl::Tree event;  ///< has "type" and "text" at least
};

/// Returns the time of the steady clock, which dates the looks.
Instant steady_now();

class Observer {
 public:
  static constexpr Duration kEvery = std::chrono::milliseconds(500);
  /// A node that has not answered for this long is silent.
  static constexpr std::chrono::seconds kTimeout{2};
  /// The last happenings that are kept.
  static constexpr std::size_t kKeptEvents = 1000;

  /// Begins to watch at once. Throws std::system_error when the threads cannot be created.
  explicit Observer(std::vector<WatchedNode> watched);
  /// Waits for answers under way, kTimeout at most.
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  struct Look {
    std::uint64_t version = 0;        ///< increases with every change
    std::vector<ObservedNode> nodes;  ///< in the order of the nodes to watch
    std::vector<Happening> happenings;
    std::uint64_t last = 0;  ///< the number of the newest happening
  };
  /// Returns the current state, with the happenings after `after`. Any thread may call it.
  Look look(std::uint64_t after) const;
  /// Waits until there is a newer version than `version`, at most for `time`. Returns false if the
  /// version is still the same.
  bool wait(std::uint64_t version, Duration time) const;
  /// Waits until all nodes have been asked `times` times, at most for `time`. Rates exist after two
  /// times.
  bool wait_for_all(Duration time, unsigned times = 1) const;

 private:
  struct Watch;
  void end();
  void ask(std::size_t index);
  void follow(std::size_t index);
  void put(std::size_t index, ObservedNode node);
  void add_event(const std::string& node, ctl::Tree event);
  /// Sleeps. Returns false if the observer is ending.
  bool pause(Duration time);

  const std::vector<WatchedNode> watched_;
  mutable std::mutex lock_;
  mutable std::condition_variable changed_;  // for threads that wait for changes
  std::condition_variable ending_;           // for the threads, which sleep between looks
  std::vector<ObservedNode> nodes_;
  std::vector<unsigned> asked_;  // how often each node was asked
  std::deque<Happening> happenings_;
  std::uint64_t last_ = 0, version_ = 1;
  bool over_ = false;
  // the last member, because the threads of the watches use the members above
  std::vector<std::unique_ptr<Watch>> watches_;
};

}  // namespace ulnet::tools::lab
