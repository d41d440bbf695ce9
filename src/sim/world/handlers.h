// Runs the event handlers of a simulated node. Each MD has a strand (a FIFO of events): events of
// one MD are handled in order and one at a time, events of different MDs in any order. Source:
// DESIGN.md 3.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>

#include "lnet/base/hash_index.h"
#include "lnet/base/rng.h"
#include "lnet/base/slab.h"
#include "lnet/core/contract/ports.h"
#include "sim/kernel/event_queue.h"

namespace ulnet::sim {

class Handlers {
 public:
  /// Calls the event handlers. The node's Incarnation implements it.
  class Caller {
   public:
    virtual ~Caller() = default;
    virtual void handle(const core::Post& post) = 0;
    /// A strand has an event whose delay is over: calls Handlers::run(strand), later if the node is
    /// paused.
    virtual void strand_due(Task& strand) = 0;
  };

  /// Each event is delayed by up to `delay`, at random, from when it becomes the first of its
  /// strand. With 0 all events wait for run_all().
  Handlers(EventQueue& queue, Caller& caller, Rng rng, Duration delay)
      : queue_(queue), caller_(caller), rng_(rng), delay_(delay) {}
  ~Handlers();
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

  void append(core::Post&& post);
  /// With a delay of 0: handles all waiting events, and those that are appended meanwhile.
  void run_all();
  /// Handles one event of this strand.
  void run(Task& strand);
  /// Handles all events of one MD now, without their delays.
  void run_out(MdHandle md);
  bool empty() const { return waiting_ == 0; }
  std::size_t waiting() const { return waiting_; }

 private:
  struct Queued {
    core::Post post;
    Handle self, next;
  };
  struct Strand final : Task {
    Handlers* handlers = nullptr;
    Handle self, first, last;
    std::uint64_t cookie = 0;
    bool running = false;
    boost::intrusive::list_member_hook<> ready;
    void run() override { handlers->caller_.strand_due(*this); }
  };
  struct CookieHash {
    std::size_t operator()(std::uint64_t cookie) const { return cookie; }
  };

  void handle_next(Strand& strand);
  void later(Strand& strand);

  EventQueue& queue_;
  Caller& caller_;
  Rng rng_;
  const Duration delay_;
  std::size_t waiting_ = 0;
  Slab<Queued> queued_;
  Slab<Strand> strands_;
  HashIndex<std::uint64_t, Strand, CookieHash> by_cookie_;
  using Ready = boost::intrusive::list<
      Strand,
      boost::intrusive::member_hook<Strand, boost::intrusive::list_member_hook<>, &Strand::ready>>;
  Ready ready_;
};

}  // namespace ulnet::sim
