// Local network interfaces (NIs) in one shard, and the nets that they form. Source:
// spec/multirail.md 1, 5.1, spec/core-semantics.md 2.3, 2.4, 10.1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "lnet/base/hash_index.h"
#include "lnet/base/life_cycle.h"
#include "lnet/core/contract/config.h"
#include "lnet/core/contract/counters.h"
#include "lnet/core/contract/life_cycles.h"
#include "lnet/core/contract/placement.h"
#include "lnet/core/path/credit.h"

namespace ulnet::core {

enum class NiPhase : std::uint8_t {
  kUp,
  kDraining,  ///< no longer configured; messages are still in flight on it
  kGone,
  kCount
};
enum class NiEvent : std::uint8_t { kRemoved, kIdle, kCount };
/// The rows are in ni.cc.
extern const LifeCycle<NiPhase, NiEvent> kNiLifeCycle;
const char* to_string(NiPhase phase);
const char* to_string(NiEvent event);

struct LocalNet;
struct InRecovery;

struct alignas(kCacheLinePair) LocalNi {
  NiConfig config;
  NiPhase phase = NiPhase::kUp;
  LocalNet* net = nullptr;  ///< null when draining
  Gate tx;
  std::uint32_t in_flight = 0;  ///< messages of this shard that name it
  std::uint64_t sequence = 0;   ///< NiTable::turns when it was last chosen
  /// Owned by the control shard. In the other shards: the last value from the control shard,
  /// changed by the outcomes of their messages since.
  std::int32_t health = kHealthMax;
  std::uint32_t priority = udsp::kNoPriority;  ///< by the policies; lower is preferred
  /// The distance from the memory of each partition to its device, at least numa_range; empty: all
  /// are equal.
  std::vector<std::uint32_t> distances;
  bool health_down = false;  ///< it fell to 0 and is not back at kHealthMax yet (multirail.md 5.1)
  bool fatal = false;        ///< the driver has reported NiLink::kFailed
  NiLifeState life_cycle = NiLifeState::kInit;
  /// For shard_msg::NiOutcomes: the balance that this step has to report.
  std::int32_t unreported = 0;
  bool unreported_receipt = false;
  ShardSet health_news_to;         ///< the shards that get NiOutcomes or NiHealth in this step
  InRecovery* recovery = nullptr;  ///< in the control shard; null: its health never fell
  Traffic traffic;
  PayloadBytes bytes;
  NiErrors errors;

  const Nid& nid() const { return config.nid; }
  bool loopback() const { return config.nid.is_loopback(); }
  bool up() const { return config.up && !fatal && !health_down; }
  /// The distance from memory of this partition; 0: not known.
  std::uint32_t distance_from(std::int32_t cpt) const {
    const auto at = static_cast<std::uint32_t>(cpt);  // -1: larger than any
    return at < distances.size() ? distances[at] : 0;
  }
  void on(NiEvent event) { phase = kNiLifeCycle.after(phase, event); }
  void on(NiLifeEvent event) { life_cycle = kNiShownLifeCycle.after(life_cycle, event); }
};

struct LocalNet {
  NetId id;
  std::vector<LocalNi*> nis;      ///< in the order of the configuration
  std::int32_t peer_credits = 0;  ///< the smallest of its NIs' values
  std::uint32_t priority = udsp::kNoPriority;
  std::uint64_t sequence = 0;  ///< NiTable::turns when one of its NIs was last chosen
  NetLifeState life_cycle = NetLifeState::kInit;

  void on(NetLifeEvent event) { life_cycle = kNetShownLifeCycle.after(life_cycle, event); }
  /// Whether one of its NIs has no fatal error.
  bool works() const {
    return std::ranges::any_of(nis, [](const LocalNi* ni) { return !ni->fatal; });
  }
  /// Updates the life cycle; called when links of its NIs may have changed.
  void look_at_links();
};

struct NetHash {
  std::size_t operator()(const NetId& net) const { return net.value(); }
};

class NiTable {
 public:
  /// The changes of a new configuration, on which the shard acts.
  struct Changes {
    std::vector<LocalNi*> added;
    std::vector<LocalNi*> removed;  ///< draining now
    std::vector<LocalNi*> resized;  ///< with other credits: waiting messages may get a credit
    std::vector<NetId> nets;        ///< new, or with other peer credits
  };
  Changes apply(const NodeConfig& config);
  /// Forgets a drained NI.
  void erase(LocalNi& ni);

  /// The NI with this id, even if it is draining; null: no such NI.
  LocalNi* find(NiId id) const { return id.value < by_id_.size() ? by_id_[id.value] : nullptr; }
  /// The next three find only NIs that are configured.
  LocalNi* find(const Nid& nid) const { return by_nid_.find(nid); }
  LocalNet* find(NetId net) const { return by_net_.find(net); }
  /// Whether this node has an NI without a fatal error on the net.
  bool works(NetId net) const {
    const LocalNet* const local = find(net);
    return local != nullptr && local->works();
  }
  LocalNi* loopback() const { return find(Nid::loopback()); }
  /// The configured NIs in the order of nets, then of NIs; 0@lo first.
  const std::vector<LocalNi*>& configured() const { return configured_; }

  std::uint64_t turns = 0;  ///< the number of round-robin choices of an NI
  /// The number of configurations applied. As long as it is the same, the nets and their peer
  /// credits are the same.
  std::uint64_t version() const { return version_; }

 private:
  LocalNi& add(const NiConfig& config, std::uint32_t shards);
  void rebuild_nets(Changes& changes);
  void apply_policies(const NodeConfig& config, const Changes& changes);
  void apply_distances(const NodeConfig& config);

  std::uint64_t version_ = 0;
  std::vector<std::unique_ptr<LocalNi>> all_;
  std::vector<LocalNi*> configured_;
  std::vector<std::unique_ptr<LocalNet>> nets_;
  std::shared_ptr<const udsp::RuleList> policies_;  ///< those last applied
  std::vector<LocalNi*> by_id_;  ///< index: the number of the NI; null: no such NI
  HashIndex<Nid, LocalNi, NidHash> by_nid_;
  HashIndex<NetId, LocalNet, NetHash> by_net_;
};

/// LNetDist (spec/core-semantics.md 2.4): the distance to `target`. -EHOSTUNREACH: the target is on
/// no net of this node, and no route leads there.
Result<Distance> distance(const NiTable& nis, const RouteList& routes, const Nid& target,
                          bool local_nid_dist_zero);
/// LNetGetId (spec/core-semantics.md 2.3): the NI with this index. Null: `index` is past the last
/// NI.
const LocalNi* nth_identity(const NiTable& nis, unsigned index, bool large_ok);

}  // namespace ulnet::core
