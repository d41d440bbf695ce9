// A minute after all faults have ended the world has recovered: no discovery is under way; an NI or
// peer NI in recovery has full health if the pings that became due were enough for it; a gateway
// that has answered is up.
//
// The specification allows exceptions. With health_sensitivity 0 health does not change (5.1). The
// time to the next ping may be as long as that of the unanswered pings before, and each ping raises
// health by the sensitivity only (7). A peer NI from which no message ever came is not pinged, nor
// is one that aged out (7).
//
// The checker ignores a node where a message fails in that minute, or breaks off as it arrives: a
// peer refuses the message, the peer is gone, or the other end of a connection is gone. Each of
// these lowers health and takes routes down (5.2, 9.4).
//
// Gateways are checked by their answers in that minute, since they are pinged at an interval (9.4),
// and by their near side, if they report it as up: an NI whose health is 0 is down, and their far
// side is down where no peer visits it (5.1, 9.5). A gateway that disconnects after its answer is
// down until the next message from it, and is pinged at once (8, 9.4). The discovery of a gateway
// may be under way at any time, because of its checks (9.4). Source: spec/multirail.md 4.2, 5.1,
// 5.2, 7, 8, 9.3, 9.4, 9.5.
#include <utility>
#include <vector>

#include "sim/checkers/checkers.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

using std::chrono::seconds;

/// How long a ping, or a dial before it, takes on the slowest links.
constexpr Duration kRoundTrips = seconds(5);

std::int32_t health_in_recovery(const core::ShardState& state, const core::InRecovery& record) {
  if (record.ni.value != 0) {
    const core::LocalNi* ni = state.nis.find(record.ni);
    return ni == nullptr ? core::kHealthMax : ni->health;
  }
  const core::PeerNid* known = state.peers.find(record.nid);
  return known == nullptr ? core::kHealthMax : known->health;
}

/// The number of messages that failed as far as this node knows, and of those that were lost on any
/// wire.
std::uint64_t failures_of(World& world, const SimNode& node) {
  std::uint64_t failures = sum(world.exercised().lost);
  for_each_shard(node, [&](const core::ShardState& state, std::uint32_t) {
    const core::GlobalStats& all = state.counters.global;
    failures += all.response_timeout_count + all.local_interrupt_count + all.local_dropped_count +
                all.local_aborted_count + all.local_no_route_count + all.local_timeout_count +
                all.local_error_count + all.remote_dropped_count + all.remote_error_count +
                all.remote_timeout_count + all.network_timeout_count;
  });
  return failures;
}

/// Whether whether the NI could recover: its link is up, its pings are answered, and its peer does
/// not report it as down.
bool is_answering(const core::ShardState& state, const core::InRecovery& record) {
  if (record.recovery.phase != core::RecoveryPhase::kWaiting || record.recovery.ping_count > 1)
    return false;
  if (record.ni.value != 0) {
    const core::LocalNi* ni = state.nis.find(record.ni);
    return ni == nullptr || !ni->fatal;
  }
  const core::PeerNi* ni = state.peers.find_ni(record.nid);
  return ni != nullptr && !ni->moved && ni->reported != core::ReportedStatus::kDown;
}

/// Whether the node with this NID reports an NI as up on a net of this node. If that node has
/// forgotten this one, as it does with idle peers, it reports to this node only when pinged.
bool says_up(World& world, const core::ShardState& state, const Nid& nid) {
  const SimNode* node = world.find(nid);
  const core::ShardState* there =
      node == nullptr ? nullptr : node->shard_state(core::kControlShard);
  const auto is_known = [&](const core::LocalNi* ni) {
    return there->directory.find(ni->nid()) != nullptr;
  };
  if (there == nullptr || std::ranges::none_of(state.nis.configured(), is_known)) return false;
  const auto is_up = [&](const wire::PingEntry& entry) {
    return entry.status == wire::NiStatus::kUp && state.nis.find(entry.nid.net()) != nullptr;
  };
  const wire::PingInfo& info = there->portal0.info;
  return std::ranges::any_of(info.legacy, is_up) || std::ranges::any_of(info.large, is_up);
}

class WellAgain final : public Checker {
 public:
  WellAgain() : Checker("world recovered", kAfterStep) {}

  void after_step(World&, const ShardStep& step) override {
    const auto* landed = std::get_if<core::PayloadLanded>(&step.input);
    if (landed != nullptr && landed->status != 0) ++failures_.of(step.node).broken_off;
  }

  void on_calm(World& world, bool ends) override {
    count_failures(world);
    for (const SimNode& node : world.nodes()) {
      if (!node.up()) continue;
      for_each_shard(node, [&](const core::ShardState& state, std::uint32_t shard) {
        Record& record = records_.of(node, shard);
        if (!ends) return foresee(world, state, record);
        if (shard == core::kControlShard) look_at_discovery(world, node, state);
        if (has_failed(node)) return;
        look_at(world, node, state, record);
        if (shard == core::kControlShard) look_at_gateways(world, node, state, record);
      });
    }
  }

 private:
  /// When an NI in recovery will have full health.
  struct WellBy {
    Handle self;
    std::uint64_t since = 0;  ///< core::InRecovery::since: another value means another recovery
    Instant when{};
  };
  struct Record {
    Instant began{};
    /// For each NI in recovery: the latest time at which it has full health, if its pings are
    /// answered.
    std::vector<WellBy> well_by;
  };
  /// Messages of a node that have failed.
  struct Failures {
    std::uint64_t broken_off = 0;  ///< messages that broke off as they arrived
    std::uint64_t by_last_look = 0;
    bool since_last_look = false;
  };

  void count_failures(World& world) {
    for (const SimNode& node : world.nodes()) {
      if (!node.up()) continue;
      Failures& failures = failures_.of(node);
      const std::uint64_t now = failures_of(world, node) + failures.broken_off;
      failures.since_last_look = std::exchange(failures.by_last_look, now) != now;
    }
  }
  bool has_failed(const SimNode& node) { return failures_.of(node).since_last_look; }

  /// Computes when each NI in recovery has full health. Its first ping is sent when it is due, the
  /// second one after the interval of the pings before, and the others every 2 s (spec/multirail.md
  /// 7).
  void foresee(World& world, const core::ShardState& state, Record& record) const {
    record.began = world.now();
    record.well_by.clear();
    const core::Globals& globals = state.config->globals;
    if (globals.health_sensitivity <= 0) return;
    state.recovering.for_each([&](Handle self, const core::InRecovery& of) {
      if (!of.recovery.is_on()) return;
      const std::int64_t missing = core::kHealthMax - health_in_recovery(state, of);
      const std::int64_t pings =
          (missing + globals.health_sensitivity - 1) / globals.health_sensitivity;
      const std::int64_t apart =
          std::min(std::int64_t{2} << std::clamp(of.recovery.ping_count, 0, 9),
                   std::int64_t{globals.max_recovery_ping_interval});
      const Instant due = std::max(world.now(), core::due_of(of.recovery));
      record.well_by.push_back({self, of.since, due + seconds(apart + 2 * pings) + kRoundTrips});
    });
  }

  void look_at(World& world, const SimNode& node, const core::ShardState& state,
               const Record& record) const {
    for (const WellBy& each : record.well_by) {
      const core::InRecovery* of = state.recovering.find(each.self);
      if (of == nullptr || of->since != each.since)
        continue;  // it has recovered, and is in recovery again
      if (each.when > world.now() || !is_answering(state, *of)) continue;
      const std::int32_t health = health_in_recovery(state, *of);
      if (health < core::kHealthMax)
        violation(world, &node, "{} has health {}, though its pings were answered for a minute",
                  of->nid, health);
    }
  }

  void look_at_discovery(World& world, const SimNode& node, const core::ShardState& state) const {
    state.directory.for_each([&](const core::Peer& peer) {
      // Each check of a gateway starts its discovery again, so the discovery may be under way
      // (spec/multirail.md 9.4).
      if (state.gateways.has_any(peer.nids())) return;
      if (peer.has(core::kPeerDiscovering) || peer.phase != core::DiscoveryPhase::kIdle)
        violation(world, &node, "{}: its discovery has not ended, though all is quiet",
                  peer.primary);
    });
  }

  void look_at_gateways(World& world, const SimNode& node, const core::ShardState& state,
                        const Record& record) {
    for (const auto& [nid, gateway] : state.gateways.by_nid) {
      if (gateway.last_answer == Instant::min() || gateway.last_answer < record.began) continue;
      const core::GatewayView view{gateway, state.directory.find(nid), state.nis,
                                   state.config->globals};
      using Trouble = core::RouteTrouble;
      const Trouble trouble = core::trouble_of(view);
      if (trouble != Trouble::kSilent && trouble != Trouble::kUntried &&
          trouble != Trouble::kNearDown)
        continue;
      // The gateway reports by a push that it is up again, and that push may have failed there.
      if (trouble == Trouble::kNearDown &&
          (!says_up(world, state, nid) || has_failed(*world.find(nid))))
        continue;
      // The gateway was lost just now, and is pinged at once, or a second after its last extra
      // ping.
      if (gateway.deadline() <= gateway.next_extra_check(world.now())) continue;
      violation(world, &node, "the gateway {} has answered, and its routes are down: {}", nid,
                core::to_string(trouble));
    }
  }
  PerNode<Record> records_;
  PerNode<Failures> failures_;
};

}  // namespace

std::unique_ptr<Checker> well_again_checker() { return std::make_unique<WellAgain>(); }

}  // namespace ulnet::sim
