// Watches a network's nodes through their doors: asks each about twice a second, and follows its
// events. Two threads for each door, so that a node that is paused holds up nobody else.
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

#include "admin/client/door.h"
#include "lab/view/observation.h"
#include "lnet/base/time.h"

namespace ulnet::tools::lab {

/// A node and the path of its control socket.
struct WatchedDoor {
  std::string name;
  std::string socket;
};

/// Something that a node has told (docs/DOOR.md, GET /v1/events), or that was noticed from outside:
/// that it is there, silent or gone.
struct Happening {
  std::uint64_t number = 0;  ///< of this observer, from 1 without gaps
  std::string node;
  ctl::Tree event;  ///< has "type" and "text" at least
};

/// The time of the steady clock, by which looks are dated.
Instant steady_now();

class Observer {
 public:
  static constexpr Duration kEvery = std::chrono::milliseconds(500);
  /// A node that has not answered for so long is silent.
  static constexpr std::chrono::seconds kPatience{2};
  /// The last happenings that are kept.
  static constexpr std::size_t kHappenings = 1000;

  /// Begins to watch at once. Throws std::system_error when there cannot be so many threads.
  explicit Observer(std::vector<WatchedDoor> doors);
  /// Waits for answers under way, kPatience at most.
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  struct Look {
    std::uint64_t version = 0;        ///< rises with every change
    std::vector<ObservedNode> nodes;  ///< in the order of the doors
    std::vector<Happening> happenings;
    std::uint64_t last = 0;  ///< the number of the last happening there is
  };
  /// What is known now, with the happenings after `after`. Any thread.
  Look look(std::uint64_t after) const;
  /// Waits until there is something newer than `version`, at most for `time`. False: there is not.
  bool wait(std::uint64_t version, Duration time) const;
  /// All nodes have been asked so often; twice: then there are rates. Waits for that, at most for
  /// `time`.
  bool wait_for_all(Duration time, unsigned times = 1) const;

 private:
  struct Watch;
  void end();
  void ask(std::size_t index);
  void follow(std::size_t index);
  void put(std::size_t index, ObservedNode node);
  void tell(const std::string& node, ctl::Tree event);
  /// Sleeps. False: the observer ends.
  bool pause(Duration time);

  const std::vector<WatchedDoor> doors_;
  mutable std::mutex lock_;
  mutable std::condition_variable changed_;  // for those who look
  std::condition_variable ending_;           // for the threads, which sleep between looks
  std::vector<ObservedNode> nodes_;
  std::vector<unsigned> asked_;  // how often each was
  std::deque<Happening> happenings_;
  std::uint64_t last_ = 0, version_ = 1;
  bool over_ = false;
  std::vector<std::unique_ptr<Watch>> watches_;  // last: their threads use the rest
};

}  // namespace ulnet::tools::lab
