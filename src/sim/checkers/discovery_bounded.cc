// Discovery ends: a node begins few pings and pushes to a peer as long as nothing changes. Changes
// are: the node's own info or configuration, the info that the peer reports, the peer's
// incarnation, a failed discovery, a call for a discovery, an administrator's `peer del`, a peer
// that was forgotten because it was idle, and a check of the peer as a gateway that has ended: each
// causes a push, and several checks may be under way. Two nodes therefore do not answer each
// other's pushes for ever. Source: spec/multirail.md 4.1, 4.2, 4.4, 9.4.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "lnet/wire/ping_info.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

/// Whether every discovery may begin again after this step.
bool all_discoveries_restart(const core::Input& input) {
  if (shard_msg_in<core::shard_msg::PeerEvicted>(input) != nullptr) return true;
  return std::holds_alternative<core::Config>(input) ||
         std::holds_alternative<core::NiState>(input) ||
         answered<core::call::Discover>(input) != nullptr || !deleted(input).empty();
}

/// Whether an NI of the node has gone up or down in the step; it may have changed back since. The
/// push that reports the NI as up may fail because of the change (spec/multirail.md 5.1, 11.2).
bool turned(const ShardStep& step) {
  return std::ranges::any_of(notes_about(step, core::Note::About::kNi), [](const core::Note& note) {
    return says_health(note, 0) || says_health(note, core::kHealthMax);
  });
}

class DiscoveryBounded final : public Checker {
 public:
  /// The most pings and pushes after one change: a ping, one more into a larger buffer, a push; and
  /// the same once more when a push of the peer could not be read.
  static constexpr std::uint32_t kDiscoveryMax = 6;
  DiscoveryBounded() : Checker("discovery bounded", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    if (step.shard != core::kControlShard) return;
    Record& record = records_.of(step.node);
    const wire::PingInfo& info = step.state.portal0.info;
    // Other features, or another status of an NI, are pushed with the same sequence number.
    const bool changed = record.info != info;
    const std::uint64_t forgotten = drops(step.state, core::DropReason::kPeerIdle) +
                                    drops(step.state, core::DropReason::kPeerEvicted);
    if (std::exchange(record.forgotten, forgotten) != forgotten) record.peers.clear();
    if (changed || turned(step) || all_discoveries_restart(step.input)) record.peers.clear();
    if (changed) record.info = info;
    if (const Nid* restarted = restarted_in(step.input))
      if (const core::Peer* peer = step.state.directory.find(*restarted))
        record.peers.erase(peer->primary);
    note_ended_checks(step, record);
    for (const core::Action& action : step.actions)
      if (const core::Portal0Md* begun = begun_by(step.state, action))
        look_at(world, step, record, *begun);
  }

 private:
  struct Count {
    std::uint32_t begun = 0;
    std::uint32_t sequence = 0;  ///< the last that the peer has reported
    Handle last;                 ///< the Portal0Md of the last ping or push
  };
  struct Record {
    wire::PingInfo info;  ///< the node's own info
    /// Peers forgotten because they were idle or to make room for others.
    std::uint64_t forgotten = 0;
    std::map<Nid, Count> peers;  ///< by primary NID
    /// Portal0Mds that have not ended, of checks of gateways
    std::vector<std::pair<Handle, Nid>> checks;
  };

  void note_ended_checks(const ShardStep& step, Record& record) {
    std::erase_if(record.checks, [&](const auto& check) {
      if (step.state.portal0.mds.find(check.first) != nullptr) return false;
      if (const core::Peer* peer = step.state.directory.find(check.second))
        record.peers.erase(peer->primary);
      return true;
    });
  }

  void look_at(World& world, const ShardStep& step, Record& record, const core::Portal0Md& begun) {
    if (begun.kind == core::Portal0Md::Kind::kRouterCheck) {
      record.checks.emplace_back(begun.self, begun.gateway);
      return;
    }
    const core::Peer* peer = step.state.directory.find(begun.peer);
    if (peer == nullptr) return;
    Count& count = record.peers[peer->primary];
    // A report of the peer clears kPeerRediscover (spec/multirail.md 4.4.7), but not the error of
    // the discovery.
    const bool failed = peer->has(core::kPeerRediscover) || peer->error != 0;
    if (peer->sequence != count.sequence || failed) count.begun = 0;
    count.sequence = peer->sequence;
    if (std::exchange(count.last, begun.self) == begun.self) return;
    if (++count.begun > kDiscoveryMax)
      violation(world, &step.node, "{}: pinged and pushed to again and again, with no change",
                peer->primary);
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> discovery_bounded_checker() {
  return std::make_unique<DiscoveryBounded>();
}

}  // namespace ulnet::sim
