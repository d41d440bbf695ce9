// Recovery: an NI that is unhealthy and can be pinged is in recovery and stays there; a healthy one
// is not pinged. There are never two pings of one NI under way; a ping goes to the NI's NID and is
// sent once. A message from a peer NI raises its health once, and its pings then count from 0. A
// peer NI that has left recovery because of `recovery_limit` stays out until a message comes from
// it, even if the limit has changed by then. Source: spec/multirail.md 5.2, 7.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "lnet/core/path/select_route.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

/// Whether one message restores the full health of the peer NI: the peer NI is a router's, or this
/// node is a router (spec/multirail.md 5.2).
bool is_beside_router(const core::ShardState& state, const Nid& nid) {
  if (state.router.forwards()) return true;
  return std::ranges::any_of(state.routes.gateways(), [&](const auto& gateway) {
    return core::is_of_gateway(state.peers, gateway.first, nid);
  });
}

/// The health of the NI that a record is about.
std::int32_t health_of(const core::ShardState& state, const core::InRecovery& record) {
  if (record.ni.value != 0) {
    const core::LocalNi* ni = state.nis.find(record.ni);
    return ni == nullptr ? 0 : ni->health;
  }
  const core::PeerNid* known = state.peers.find(record.nid);
  return known == nullptr ? 0 : known->health;
}

bool is_on(const core::InRecovery* record) { return record != nullptr && record->recovery.is_on(); }

std::size_t pings_of(const core::ShardState& state, const core::InRecovery& record) {
  std::size_t count = 0;
  state.portal0.mds.for_each([&](Handle, const core::Portal0Md& md) {
    if (md.kind == core::Portal0Md::Kind::kRecoveryPing && md.peer == record.self) ++count;
  });
  return count;
}

/// Whether the step may have raised health for another reason than one arriving message.
bool set_by_hand(const core::Input& input) {
  return std::holds_alternative<core::Api>(input) || std::holds_alternative<core::PeerDown>(input);
}

/// Calls `fn(ni)` for each peer NI that is unhealthy and not in recovery, although a message has
/// come from it.
template <class Fn>
void for_each_left_alone(const core::ShardState& state, Fn&& fn) {
  state.peers.for_each_ni([&](const core::PeerNi& ni) {
    const bool heard = ni.last_heard != Instant::min() && !ni.moved && !ni.nid.is_loopback();
    if (heard && ni.known->health < core::kHealthMax && !is_on(ni.recovery)) fn(ni);
  });
}

/// Whether the limit of this shard keeps the peer NI from recovery.
bool is_aged_out(const core::ShardState& state, const core::PeerNi& ni, Instant now) {
  const std::int32_t limit = state.config->globals.recovery_limit;
  return limit != 0 && now - ni.last_heard > std::chrono::seconds(limit);
}

class RecoveryPings final : public Checker {
 public:
  RecoveryPings() : Checker("recovery pings", kBeforeStep | kAfterStep) {}

  void before_step(World&, const ShardStep& step) override {
    if (std::holds_alternative<core::Config>(step.input)) note_aged_out(step);
    before_.clear();
    step.state.recovering.for_each([&](Handle self, const core::InRecovery& record) {
      if (!record.recovery.is_on()) return;
      const core::Recovery& recovery = record.recovery;
      const bool beside_router = record.ni.value == 0 && is_beside_router(step.state, record.nid);
      before_.push_back(
          {self,
           {recovery.phase, health_of(step.state, record), recovery.next_ping, beside_router}});
    });
  }

  void after_step(World& world, const ShardStep& step) override {
    for (const core::Send& send : actions_of<core::Send>(step)) {
      const core::Msg* msg = step.state.find(send.tx);
      if (msg == nullptr || !msg->recovery) continue;
      // For a NID on a net where this node has no NI, the next hop is a router.
      const bool near = step.state.nis.find(msg->target.net()) != nullptr;
      const Nid& to = near ? send.hop.nid : send.header.dest_nid;
      if (msg->tries != 0 || to != msg->target)
        violation(world, &step.node, "the recovery ping of {} is sent again, or to {}", msg->target,
                  send.hop.nid);
    }
    const bool go_on = records_.of(step.node, step.shard).delayed.look(step);
    for (const auto& [self, before] : before_) {
      const core::InRecovery* record = step.state.recovering.find(self);
      if (record == nullptr) continue;  // the NI was deleted
      if (before.phase == core::RecoveryPhase::kWaiting &&
          record->recovery.phase == core::RecoveryPhase::kPinging)
        look_at_ping(world, step, *record, go_on);
      const bool better = health_of(step.state, *record) > before.health;
      if (record->ni.value == 0 && better && !set_by_hand(step.input))
        look_at_peer_ni(world, step, *record, before, go_on);
    }
  }

  void check_all(World& world) override {
    for_each_shard(world,
                   [&](const SimNode& node, const core::ShardState& state, std::uint32_t shard) {
                     if (!state.shut_down) look_at_shard(world, node, state, shard);
                   });
  }

 private:
  /// A recovery record before the step.
  struct Before {
    core::RecoveryPhase phase = core::RecoveryPhase::kNone;
    std::int32_t health = 0;
    std::int64_t next_ping = 0;
    bool beside_router = false;
  };
  /// The record of a shard.
  struct Record {
    /// The peer NIs that an earlier recovery_limit has kept from recovery, each with the time of
    /// its last message.
    std::map<Nid, Instant> aged_out;
    DelayedArrivals delayed;
  };

  /// Notes which peer NIs recovery_limit keeps from recovery, because the step may bring another
  /// limit.
  void note_aged_out(const ShardStep& step) {
    std::map<Nid, Instant> still;
    auto& aged_out = records_.of(step.node, step.shard).aged_out;
    for_each_left_alone(step.state, [&](const core::PeerNi& ni) {
      const auto before = aged_out.find(ni.nid);
      const bool since_before = before != aged_out.end() && before->second == ni.last_heard;
      if (since_before || is_aged_out(step.state, ni, step.now))
        still.emplace(ni.nid, ni.last_heard);
    });
    aged_out = std::move(still);
  }

  /// Checks a ping that is sent in this step. `go_on`: after the ping, delayed messages may have
  /// restored the NI's health (spec/multirail.md 11.3).
  void look_at_ping(World& world, const ShardStep& step, const core::InRecovery& record,
                    bool go_on) {
    const auto wrong = [&](const char* what) {
      violation(world, &step.node, "{} {}", record.nid, what);
    };
    if (!go_on && health_of(step.state, record) >= core::kHealthMax)
      wrong("is pinged though its health is full");
    if (pings_of(step.state, record) != 1) wrong("is pinged, but not by exactly one ping");
  }

  /// Checks a peer NI whose health has risen in this step. `go_on`: several delayed messages may
  /// have raised it.
  void look_at_peer_ni(World& world, const ShardStep& step, const core::InRecovery& record,
                       const Before& before, bool go_on) {
    const auto wrong = [&](const char* what) {
      violation(world, &step.node, "{}: {}", record.nid, what);
    };
    const std::int32_t now = health_of(step.state, record);
    // The peer NI was a router's when the message came, or is one because of what the message
    // reports.
    const bool beside_router = before.beside_router || is_beside_router(step.state, record.nid);
    // Beside a router the health is full at once. Other events in the step may lower it again any
    // number of times: what the message reports, and messages that cannot be sent.
    const bool at_once =
        beside_router && (now == core::kHealthMax || has_been_full(step, record.nid));
    if (!go_on && !at_once && now - before.health > step.state.config->globals.health_sensitivity)
      wrong("one message raised its health twice");
    // A ping may have been sent after the message, and have ended already because it could not be
    // sent.
    const bool pinged = record.recovery.next_ping != before.next_ping;
    if (record.recovery.ping_count > (pinged ? 1 : 0))
      wrong("a message came from it, and its pings do not count from 0");
  }

  void look_at_shard(World& world, const SimNode& node, const core::ShardState& state,
                     std::uint32_t shard) {
    const auto wrong = [&](const Nid& nid, const char* what) {
      violation(world, &node, "{} {}", nid, what);
    };
    state.recovering.for_each([&](Handle, const core::InRecovery& record) {
      if (!record.recovery.is_on()) return;
      const std::size_t pings = pings_of(state, record);
      if (!record.armed() && pings == 0)
        wrong(record.nid, "is in recovery without a ping or a timer");
      const bool pinging = record.recovery.phase == core::RecoveryPhase::kPinging;
      if (pings != (pinging ? 1U : 0U))
        wrong(record.nid, "has another number of pings than its recovery state");
    });
    if (shard == core::kControlShard)
      for (const core::LocalNi* ni : state.nis.configured())
        if (!ni->loopback() && ni->health < core::kHealthMax && !is_on(ni->recovery))
          wrong(ni->nid(), "has less than full health, and is not in recovery");
    const auto& aged_out = records_.of(node, shard).aged_out;
    for_each_left_alone(state, [&](const core::PeerNi& ni) {
      const auto before = aged_out.find(ni.nid);
      if (before != aged_out.end() && before->second == ni.last_heard) return;
      if (!is_aged_out(state, ni, world.now()))
        wrong(ni.nid, "has less than full health, and is not in recovery");
    });
  }
  std::vector<std::pair<Handle, Before>> before_;
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> recovery_pings_checker() { return std::make_unique<RecoveryPings>(); }

}  // namespace ulnet::sim
