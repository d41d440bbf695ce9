#include "lnet/node/runtime/hosts.h"

#include <algorithm>

#include "lnet/base/assert.h"
#include "lnet/core/contract/cookie.h"

namespace ulnet::node {

Hosts::Hosts(const Partitions& partitions, Hooks hooks)
    : partitions_(partitions),
      hooks_(hooks),
      waiting_(partitions.count()),
      timekeepers_(partitions.own_threads() ? partitions.count() : 1) {
  placements_.push_back(std::make_unique<core::Placement>());
  placement_.store(placements_.front().get(), std::memory_order_relaxed);
  for (std::uint32_t shard = 0; shard < partitions.count(); ++shard)
    hosts_.push_back(make_placed<ShardHost>(partitions.memory().of(shard), shard, *this,
                                            timekeepers_[partitions.own_threads() ? shard : 0],
                                            partitions.own_threads()));
}

Hosts::~Hosts() { stop(); }

void Hosts::start(bool own_threads, const std::function<void(std::uint32_t)>& begin) {
  if (!partitions_.own_threads()) {
    timekeepers_.front().start(
        [this] {
          for (auto& host : hosts_) host->wake();
        },
        own_threads);
    return;
  }
  for (std::uint32_t shard = 0; shard < count(); ++shard)
    timekeepers_[shard].start([this, shard] { hosts_[shard]->wake(); }, own_threads,
                              [begin, shard] { begin(shard); });
}

void Hosts::stop() {
  for (Timekeeper& timekeeper : timekeepers_) timekeeper.stop();
}

unsigned Hosts::add_driver(lnd::Lnd& driver) {
  ULNET_ASSERT(drivers_.size() < 32);
  drivers_.push_back(&driver);
  if (driver.wants_memory()) memory_drivers_.push_back(&driver);
  return static_cast<unsigned>(drivers_.size() - 1);
}

void Hosts::bind_ni(core::NiId ni, unsigned driver) {
  for (auto& host : hosts_) host->bind_ni(ni, driver);
}

// ---- inputs and API calls -----------------------------------------------------------------------

void Hosts::place(const core::NodeConfig& config) {
  const core::Placement fresh(config);
  auto known = std::find_if(placements_.begin(), placements_.end(),
                            [&](const auto& placement) { return *placement == fresh; });
  if (known == placements_.end())
    known = placements_.insert(known, std::make_unique<core::Placement>(fresh));
  placement_.store(known->get(), std::memory_order_release);
}

void Hosts::configure(const std::shared_ptr<const core::NodeConfig>& snapshot) {
  ULNET_ASSERT(snapshot->shards == count());
  place(*snapshot);
  step_all(core::Input(core::Config{snapshot}));
}

void Hosts::step_all(const core::Input& input) {
  for (auto& host : hosts_) host->step(input);
}

bool Hosts::deliver_to_shard(const core::Input& input) {
  const auto shard = core::shard_of(*placement_.load(std::memory_order_acquire), input);
  ULNET_ASSERT(shard && *shard < hosts_.size());  // each input of a driver is for one shard
  return hosts_[*shard]->deliver(input);
}

void Hosts::call_by_placement(core::ApiCall& call) {
  core::call_among(*placement_.load(std::memory_order_acquire), here(), call,
                   [&](std::uint32_t shard, core::ApiCall& part) {
                     hosts_[shard]->step(core::Input(core::Api{&part}));
                   });
}

void Hosts::call(core::ApiCall& call, Waiter& waiter) {
  waiting_.add(waiter);
  this->call(call);
  if (call.status != 0) waiting_.forget(waiter);
}

// ---- work after a run token is released ---------------------------------------------------------

void Hosts::run_deferred(Kinds drivers) {
  for (unsigned driver = 0; drivers != 0; ++driver, drivers >>= 1)
    if (drivers & 1) drivers_[driver]->flush();
}

bool Hosts::take_over(Strand*, Kinds drivers) {
  // The thread that takes over did not submit the commands, so it flushes everything that the
  // driver has.
  return timekeeper().take_over([this, drivers] {
    for (unsigned driver = 0; driver < drivers_.size(); ++driver)
      if (drivers & 1U << driver) drivers_[driver]->flush_all();
  });
}

Strands& Hosts::strands_of(MdHandle md) {
  const std::uint32_t shard = core::shard_of_cookie(md.cookie);
  return hosts_[shard < hosts_.size() ? shard : 0]->strands();
}

/// All activity in a node is an inter-shard message or a strand, and each of them counts what it
/// starts before it counts itself as ended. So when the number that had ended, read first, equals
/// the number that had begun, read afterwards, nothing was under way in between.
bool Hosts::idle() {
  std::uint64_t begun = 0, ended = 0;
  for (auto& host : hosts_) {
    const Strands::Count strands = host->strands().count();
    ended += strands.made - strands.live;
    for (const Mailbox& mailbox : host->mailboxes()) ended += mailbox.count_done();
  }
  for (auto& host : hosts_) {
    begun += host->strands().count().made;
    for (const Mailbox& mailbox : host->mailboxes()) begun += mailbox.count_put();
  }
  return begun == ended;
}

void Hosts::wait_until_idle() {
  while (!idle())
    for (auto& host : hosts_) {
      host->enter([](core::Shard&, Instant, core::Actions&) {});
      host->strands().wait_until_all_at_rest();
    }
}

}  // namespace ulnet::node
