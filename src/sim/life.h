// One life of a node: what a crash takes away. It hosts the shards as node::Hosts does, without
// threads: an input is a step, its actions go to the drivers' queues, its letters on their way, and
// when nothing is being stepped the drivers are flushed and handlers run. Source: DESIGN.md 3.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/among.h"
#include "sim/edge.h"
#include "sim/handlers.h"
#include "sim/mail.h"
#include "sim/node.h"
#include "sim/world.h"

namespace ulnet::sim {

struct SimNode::Life final : public lnd::Inlet, private Handlers::Caller {
 public:
  Life(SimNode& owner, World& owners_world);
  ~Life() override;

  /// 0@lo, then the NIs of the setup.
  void begin();
  void pause();
  void resume();
  void crash(bool silent);
  void begin_shutdown(Duration grace);

  /// What the driver says when it cannot.
  Result<void> start_ni(const NiSetup& setup);
  /// A snapshot of what is configured now.
  void publish();
  void remove_ni(const Nid& nid);
  core::NiId ni_of(const Nid& nid) const;
  void link_changed(const Nid& nid, bool up);

  void call(core::ApiCall& api);
  std::uint64_t next_ticket() { return ++tickets_; }
  /// `sink` null: whoever asked does not want to know any more.
  void expect(std::uint64_t ticket, PingSink* sink);
  void after(Duration delay, std::function<void()> fn);
  /// Not from a handler: everything that waits for this MD's handler has been handled afterwards.
  void run_out(MdHandle md);

  // lnd::Inlet
  void deliver(const core::Input& input) override;

  void after_batch() override { settle(); }

  const lnd::sock::Engine* engine() const;
  bool settling() const { return settling_; }
  Leftovers leftovers() const;
  std::size_t letters() const { return mails_.under_way(); }
  bool busy() const;

  SimNode& node;
  World& world;
  const core::ShardState& shard(std::uint32_t index) const { return shards_[index]->observe(); }
  std::shared_ptr<const core::NodeConfig> config;

 private:
  struct Ni {
    core::NiId id;
    NiSetup setup;
    Edge* edge = nullptr;
    bool removed = false;       ///< no snapshot names it
    bool stopped = false;       ///< its driver has let it go
    std::uint32_t drained = 0;  ///< shards that said so
  };
  /// When a shard wants a Tick.
  struct Clock final : Task {
    Clock(Life& owner, std::uint32_t which) : life(owner), shard(which) {}
    void run() override;
    Life& life;
    const std::uint32_t shard;
  };
  /// What is left of the grace of a shutdown.
  struct Grace final : Task {
    explicit Grace(Life& owner) : life(owner) {}
    void run() override;
    Life& life;
  };
  struct Later final : Task {
    Later(Life& owner, std::function<void()> what) : life(owner), fn(std::move(what)) {}
    void run() override;
    Life& life;
    Handle self;
    std::function<void()> fn;
  };
  struct Expected {
    std::uint64_t ticket = 0;
    PingSink* sink = nullptr;
  };

  void handle(const core::Post& post) override;
  void strand_due(Task& strand) override;
  /// True: the process stands still, and the task waits until it goes on.
  bool frozen(Task& task);
  /// Lets one shard take it; what it decided is on its way.
  void enter(std::uint32_t shard, const core::Input& input);
  void step(std::uint32_t shard, const core::Input& input);
  void hand_on(std::uint32_t shard, core::Action& action);
  void letter_due(Mail& mail);
  void done(core::Done& done);
  /// Everything that was asked for and needs no time.
  void settle();
  void stop_drained();
  void stop_ni(Ni& ni);
  Edge& edge(EdgeKind kind);

  Edge* edge_of(core::NiId ni) const { return nis_[ni.value].edge; }

  std::vector<std::unique_ptr<core::Shard>> shards_;
  core::Placement placement_;
  Rng caller_;  ///< the partition that a call comes from
  Mails mails_;
  core::Actions actions_;
  bool settling_ = false;
  bool stopping_ = false;
  bool drained_ = false;  ///< an NI drained since stop_drained()
  bool counted_busy_ = false;
  std::unique_ptr<Edge> lo_, pipe_, sock_;  ///< made on first use
  std::vector<Edge*> edges_;
  std::vector<Ni> nis_;  ///< by id; 0 is nobody
  std::uint64_t generation_ = 0;
  std::uint64_t tickets_ = 0;
  std::vector<Expected> expected_;
  Handlers handlers_;
  std::vector<std::unique_ptr<Clock>> clocks_;  ///< by shard
  Grace grace_{*this};
  Slab<Later, 8> later_;
  Parking parking_;
};

}  // namespace ulnet::sim
