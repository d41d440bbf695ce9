// One incarnation of a simulated node: all state that a crash destroys. It hosts the shards as
// node::Hosts does, but without threads. Each input is one step of a shard; then the actions of the
// step go to the drivers, and its inter-shard messages are sent. Outside a step it flushes the
// drivers and runs handlers. Source: DESIGN.md 3.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "lnet/core/contract/call_fanout.h"
#include "sim/world/handlers.h"
#include "sim/world/node.h"
#include "sim/world/shard_msg_queues.h"
#include "sim/world/sim_driver.h"
#include "sim/world/world.h"

namespace ulnet::sim {

struct SimNode::Incarnation final : public lnd::Inlet, private Handlers::Caller {
 public:
  Incarnation(SimNode& owner, World& owners_world);
  ~Incarnation() override;

  /// Starts 0@lo and the NIs of the setup.
  void begin();
  void pause();
  void resume();
  void crash(bool silent);
  void begin_shutdown(Duration grace);

  /// On failure it returns the driver's error.
  Result<void> start_ni(const NiSetup& setup);
  /// Makes a snapshot of the current configuration and has every shard get it.
  void publish();
  void remove_ni(const Nid& nid);
  bool over_tcp(core::NiId id) const { return sock_ != nullptr && driver_of(id) == sock_.get(); }
  core::NiId ni_of(const Nid& nid) const;
  void link_changed(const Nid& nid, bool now_up);

  void call(core::ApiCall& api);
  std::uint64_t next_ticket() { return ++tickets_; }
  /// Makes the ping with this ticket end in `sink`; null: its result is dropped.
  void expect(std::uint64_t ticket, PingSink* sink);
  void after(Duration delay, std::function<void()> fn);
  /// Handles the events of this MD. Afterwards none of them waits for its handler, unless the
  /// caller is itself a handler.
  void run_out(MdHandle md);

  // lnd::Inlet
  bool deliver(const core::Input& input) override;

  void after_batch() override { run_deferred(); }

  const lnd::sock::Engine* engine() const;
  bool running_deferred() const { return running_deferred_; }
  Leftovers leftovers() const;
  std::size_t shard_msgs() const { return shard_msg_queues_.under_way(); }
  bool busy() const;
  bool only_repeats_pings() const;

  SimNode& node;
  World& world;
  const core::ShardState& shard(std::uint32_t index) const { return shards_[index]->observe(); }
  std::shared_ptr<const core::NodeConfig> config;

 private:
  struct Ni {
    core::NiId id;
    NiSetup setup;
    SimDriver* driver = nullptr;
    bool removed = false;       ///< no snapshot contains it
    bool stopped = false;       ///< its driver's stop_ni() was called
    bool link_up = true;        ///< the last state that link_changed() reported
    std::uint32_t drained = 0;  ///< shards that reported core::Drained for it
  };
  /// Runs a core::Tick of a shard at the shard's next deadline.
  struct Clock final : Task {
    Clock(Incarnation& owner, std::uint32_t which) : incarnation(owner), shard(which) {}
    void run() override;
    Incarnation& incarnation;
    const std::uint32_t shard;
  };
  /// Ends the grace period of a shutdown: stops the NIs that have not drained.
  struct Grace final : Task {
    explicit Grace(Incarnation& owner) : incarnation(owner) {}
    void run() override;
    Incarnation& incarnation;
  };
  struct Later final : Task {
    Later(Incarnation& owner, std::function<void()> what)
        : incarnation(owner), fn(std::move(what)) {}
    void run() override;
    Incarnation& incarnation;
    Handle self;
    std::function<void()> fn;
  };
  /// What a shard has yet to get.
  struct Pending {
    Instant due{};                ///< when it gets the last snapshot
    std::uint32_t snapshots = 0;  ///< number of snapshots that the shard has not got
    /// States of links, which the shard gets after the snapshots: production reports the link of an
    /// NI only when all shards have the snapshot that names the NI (src/lnet/node/nets.cc).
    std::vector<core::NiState> links;
  };
  struct Expected {
    std::uint64_t ticket = 0;
    PingSink* sink = nullptr;
  };

  void handle(const core::Post& post) override;
  void strand_due(Task& strand) override;
  /// True: the process is paused, and the task is parked until resume().
  bool frozen(Task& task);
  void configure(std::uint32_t shard, std::shared_ptr<const core::NodeConfig> snapshot);
  /// Passes the input to one shard and carries out its actions.
  void enter(std::uint32_t shard, const core::Input& input);
  void step(std::uint32_t shard, const core::Input& input);
  bool is_busy_inside() const;
  void hand_on(std::uint32_t shard, core::Action& action);
  void shard_msg_due(ShardMsgQueue& msgs);
  void done(core::Done& done);
  /// Flushes the drivers and runs handlers until no work is left that needs no virtual time.
  void run_deferred();
  void wind(Clock& clock);
  void stop_drained();
  void stop_ni(Ni& ni);
  SimDriver& driver(DriverKind kind);

  SimDriver* driver_of(core::NiId ni) const { return nis_[ni.value].driver; }

  std::vector<std::unique_ptr<core::Shard>> shards_;
  core::Placement placement_;
  Rng caller_;                    ///< draws the partition that a call comes from
  Rng snapshots_;                 ///< draws when a shard gets a new configuration
  std::vector<Pending> pending_;  ///< by shard
  ShardMsgQueues shard_msg_queues_;
  core::Actions actions_;
  /// The header that is being delivered; null once its message has ended.
  const core::HeaderArrived* arriving_ = nullptr;
  bool running_deferred_ = false;
  bool stopping_ = false;
  bool drained_ = false;  ///< a shard reported core::Drained since stop_drained()
  bool counted_busy_ = false;
  std::unique_ptr<SimDriver> lo_, pipe_, sock_;  ///< made on first use
  std::vector<SimDriver*> drivers_;
  std::vector<Ni> nis_;  ///< by id; entry 0 is not an NI
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
