// The shards of a node, seen from outside. An input goes to the shard that it is for. An API call
// that concerns several shards enters them one after the other. A driver is flushed once for the
// commands of all shards. Source: DESIGN.md 2, 3.
#pragma once

#include <atomic>
#include <boost/container/static_vector.hpp>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "lnet/base/cache_line.h"
#include "lnet/base/placed.h"
#include "lnet/core/contract/call_fanout.h"
#include "lnet/core/contract/config.h"
#include "lnet/lnd/lnd.h"
#include "lnet/node/runtime/shard_host.h"
#include "lnet/node/runtime/timekeeper.h"
#include "lnet/node/runtime/waiting.h"
#include "lnet/os/partitions.h"

namespace ulnet::node {

class alignas(kCacheLinePair) Hosts final : public lnd::Inlet, private DeferredWork {
 public:
  /// The destination of the shards' notes for the log; called without a run token.
  struct Hooks {
    void (*log)(void* context, const core::Note& note) = nullptr;
    void* context = nullptr;
  };

  /// One shard per partition. `partitions` must outlive this object.
  Hosts(const Partitions& partitions, Hooks hooks);
  ~Hosts() override;
  Hosts(const Hosts&) = delete;
  Hosts& operator=(const Hosts&) = delete;

  /// Starts the timekeepers: with threads if `own_threads`, otherwise the node's user has to poll
  /// them. In dedicated mode the thread of each partition calls `begin(partition)` first.
  void start(bool own_threads, const std::function<void(std::uint32_t)>& begin);
  /// Stops the timekeepers and ends their threads. Idempotent.
  void stop();

  std::uint32_t count() const { return partitions_.count(); }
  ShardHost& host(std::uint32_t shard) { return *hosts_[shard]; }
  /// The shard of the partition that the calling thread runs on.
  std::uint32_t here() const { return partitions_.here(); }
  /// The shard of a peer with this NID.
  std::uint32_t shard_of(const Nid& nid) const {
    return placement_.load(std::memory_order_acquire)->of(nid);
  }
  /// The timekeeper for timers that belong to no shard: the only timekeeper, or that of shard 0.
  Timekeeper& timekeeper() { return timekeepers_.front(); }
  /// One timekeeper for all shards, or one per shard in dedicated mode.
  std::span<Timekeeper> timekeepers() { return timekeepers_; }

  /// Registers a driver, before its first NI starts; at most 32. The driver must stay as long as
  /// a shard may have commands for it.
  unsigned add_driver(lnd::Lnd& driver);
  /// Whether a driver wants to know the memory of MDs (NodeConfig::announces_memory).
  bool announces_memory() const { return !memory_drivers_.empty(); }
  /// From now on commands for `ni` go to that driver, permanently: an NI's id is never reused.
  void bind_ni(core::NiId ni, unsigned driver);

  /// Hands every shard this snapshot, one after the other; all of them use it when this returns.
  /// One call at a time.
  void configure(const std::shared_ptr<const core::NodeConfig>& snapshot);
  /// Gives every shard this input, one after the other.
  void step_all(const core::Input& input);

  // lnd::Inlet. deliver() runs no handlers: the calling thread does so later, in after_batch() or
  // at the end of the call that it is in.
  bool deliver(const core::Input& input) override {
    return hosts_.size() == 1 ? hosts_.front()->deliver(input) : deliver_to_shard(input);
  }
  void after_batch() override { OuterLoop::current().run(); }

  /// Runs an API call in one step of each shard that it concerns; its results are in `call` when
  /// this returns. Any thread.
  void call(core::ApiCall& call) {
    std::size_t shard = 0;
    if (hosts_.size() != 1) {
      const MdHandle* md = core::md_of(call);
      shard = md != nullptr ? core::shard_of_cookie(md->cookie) : hosts_.size();
      if (shard >= hosts_.size()) return call_by_placement(call);
    }
    hosts_[shard]->step(core::Input(core::Api{&call}));
  }
  /// Runs a waiting call in the same way. If `call.status` is 0, its Done will end `waiter`, which
  /// must stay in place until it has ended or until waiting().forget() was called.
  void call(core::ApiCall& call, Waiter& waiter);
  Waiting& waiting() { return waiting_; }

  /// The strands that run this MD's handler.
  Strands& strands_of(MdHandle md);
  /// Whether no inter-shard message is under way and no handler runs or waits. If so, nothing
  /// happens until an input, a call or a timer comes in.
  bool idle();
  /// Waits until idle(). Not from a handler.
  void wait_until_idle();

  // For ShardHost:
  std::pmr::memory_resource& memory_of(std::uint32_t shard) const {
    return partitions_.memory().of(shard);
  }
  void submit(unsigned driver, lnd::Command&& command, OuterLoop& loop) {
    drivers_[driver]->submit(std::move(command));
    loop.defer(*this, 1U << driver);
  }
  void submit(unsigned driver, const core::Send& send, OuterLoop& loop) {
    drivers_[driver]->submit_send(send);
    loop.defer(*this, 1U << driver);
  }
  /// Notify the drivers that want to know the memory of MDs.
  void attach_memory(const core::AttachMemory& attach) {
    for (lnd::Lnd* driver : memory_drivers_)
      driver->attach_memory(attach.md, {attach.fragments, attach.count});
  }
  void detach_memory(const core::DetachMemory& detach) {
    for (lnd::Lnd* driver : memory_drivers_) driver->detach_memory(detach.md);
  }
  void log(const core::Note& note) const {
    if (hooks_.log != nullptr) hooks_.log(hooks_.context, note);
  }

 private:
  /// Kinds of deferred work: the drivers to flush, one bit each.
  void run_deferred(Kinds drivers) override;
  bool take_over(Strand* strand, Kinds drivers) override;
  bool deliver_to_shard(const core::Input& input);
  void call_by_placement(core::ApiCall& call);
  void place(const core::NodeConfig& config);

  const Partitions& partitions_;
  const Hooks hooks_;
  // Both constant while NIs run
  std::vector<lnd::Lnd*> drivers_;
  std::vector<lnd::Lnd*> memory_drivers_;  ///< those with Lnd::wants_memory()
  Waiting waiting_;
  std::vector<Timekeeper> timekeepers_;
  /// Constant. Held in place, because every thread reads it for every input.
  boost::container::static_vector<Placed<ShardHost>, limits::kMaxCpts> hosts_;

  /// The placement in force: one of `placements_`. Old ones are kept, because a thread may still be
  /// reading one, and a node has only a few different ones while it runs.
  std::atomic<const core::Placement*> placement_;
  std::vector<std::unique_ptr<const core::Placement>> placements_;  // touched by configure() only
};

}  // namespace ulnet::node
