// The shards of a node, seen from outside: what comes in goes to the shard that it is for, what an
// API call asks of several is asked of them one after the other, what drivers get is flushed once
// for all. Source: DESIGN.md 2, 3.
#pragma once

#include <atomic>
#include <boost/container/static_vector.hpp>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/cache_line.h"
#include "base/placed.h"
#include "core/among.h"
#include "core/config.h"
#include "lnd/lnd.h"
#include "node/partitions.h"
#include "node/shard_host.h"
#include "node/timekeeper.h"
#include "node/waiting.h"

namespace ulnet::node {

class alignas(kCacheLinePair) Hosts final : public lnd::Inlet, private Settler {
 public:
  /// What the hosts report sideways; called without a token.
  struct Hooks {
    void (*log)(void* context, const core::Note& note) = nullptr;
    void* context = nullptr;
  };

  /// A shard per partition. `partitions` must outlive it.
  Hosts(const Partitions& partitions, std::uint64_t seed, Hooks hooks);
  ~Hosts() override;
  Hosts(const Hosts&) = delete;
  Hosts& operator=(const Hosts&) = delete;

  /// Lets time pass; with `own_threads` by itself. `begin(partition)` is called first on each
  /// thread of a partition.
  void start(bool own_threads, const std::function<void(std::uint32_t)>& begin);
  /// Ends those threads. Idempotent.
  void stop();

  std::uint32_t count() const { return partitions_.count(); }
  ShardHost& host(std::uint32_t shard) { return *hosts_[shard]; }
  /// The shard of the partition that the calling thread runs on.
  std::uint32_t here() const { return partitions_.here(); }
  /// The shard of a peer with this NID.
  std::uint32_t shard_of(const Nid& nid) const {
    return placement_.load(std::memory_order_acquire)->of(nid);
  }
  /// For timers that are nobody's in particular.
  Timekeeper& timekeeper() { return timekeepers_.front(); }
  /// One, or one per shard in dedicated mode.
  std::span<Timekeeper> timekeepers() { return timekeepers_; }

  /// Makes a driver known before its first NI starts; at most 32. It must outlive every input about
  /// it.
  unsigned add_driver(lnd::Lnd& driver);
  /// Commands for `ni` go to that driver from now on, for good: an NI's id is never reused.
  void bind_ni(core::NiId ni, unsigned driver);

  /// Gives every shard this snapshot; it is in force when this returns. One at a time.
  void configure(const std::shared_ptr<const core::NodeConfig>& snapshot);
  /// Tells every shard.
  void tell(const core::Input& input);

  // lnd::Inlet. Handlers do not run inside deliver(): the thread that called in, or after_batch(),
  // settles.
  void deliver(const core::Input& input) override {
    if (hosts_.size() == 1) return hosts_.front()->deliver(input);
    deliver_among(input);
  }
  void after_batch() override { OuterLoop::current().run(); }

  /// Runs an API call in one step of each shard that it asks; its results are in `call` when this
  /// returns. Any thread.
  void call(core::ApiCall& call) {
    std::size_t shard = 0;
    if (hosts_.size() != 1) {
      const MdHandle* md = core::md_of(call);
      shard = md != nullptr ? core::shard_of_cookie(md->cookie) : hosts_.size();
      if (shard >= hosts_.size()) return call_among(call);
    }
    hosts_[shard]->step(core::Input(core::Api{&call}));
  }
  /// The same for a waiting call: with status 0 its Done ends the waiter, which must stay until
  /// it has ended or waiting().forget().
  void call(core::ApiCall& call, Waiter& waiter);
  Waiting& waiting() { return waiting_; }

  /// Where the handler of this MD runs.
  Strands& strands_of(MdHandle md);
  /// No letter is under way, no handler runs or waits: nothing happens unless somebody comes in.
  bool idle();
  /// Waits until it is so. Not from a handler.
  void wait_until_idle();

  // For the hosts
  std::pmr::memory_resource& memory_of(std::uint32_t shard) const {
    return partitions_.memory().of(shard);
  }
  void submit(unsigned driver, lnd::Command&& command, OuterLoop& loop) {
    drivers_[driver]->submit(std::move(command));
    loop.owe(*this, 1U << driver);
  }
  void log(const core::Note& note) const {
    if (hooks_.log != nullptr) hooks_.log(hooks_.context, note);
  }

 private:
  /// Debts: a driver to be flushed, a bit each.
  void settle(Debts drivers) override;
  bool adopt(Strand* strand, Debts drivers) override;
  void deliver_among(const core::Input& input);
  void call_among(core::ApiCall& call);
  void place(const core::NodeConfig& config);

  const Partitions& partitions_;
  const Hooks hooks_;
  std::vector<lnd::Lnd*> drivers_;  // constant while NIs run
  Waiting waiting_;
  std::vector<Timekeeper> timekeepers_;
  /// Constant; in place, because every thread looks here.
  boost::container::static_vector<Placed<ShardHost>, limits::kMaxCpts> hosts_;

  /// In force; one of `placements_`, which are kept: somebody may be reading an old one, and a node
  /// has few that differ.
  std::atomic<const core::Placement*> placement_;
  std::vector<std::unique_ptr<const core::Placement>> placements_;  // of who configures
};

}  // namespace ulnet::node
