// A node has an entry of a peer NI if it has exchanged a message with the peer NI since an
// administrator last deleted it, or its net, or if a peer has reported it. When nothing is under
// way, it has no other entries. Source: spec/core-semantics.md 8.8, spec/multirail.md 1, 2.1, 2.2,
// 4.4, 7.
#include <set>

#include "sim/checkers/checkers.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/peers_before.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

class PeersMet final : public Checker {
 public:
  PeersMet() : Checker("no stray peer entries", kAfterStep) {}

  void after_step(World&, const ShardStep& step) override {
    Record& record = records_.of(step.node, step.shard);
    if (const auto* in = std::get_if<core::HeaderArrived>(&step.input))
      heard_.of(step.node).insert({in->hop.nid, in->header->src_nid});
    if (const auto* done = std::get_if<core::SendDone>(&step.input)) {
      const Nid* to = record.sent.find(done->tx);
      if (to != nullptr && done->status == 0) record.reached.insert(*to);
      record.sent.erase(done->tx);
    }
    for (const Nid& nid : deleted(step.input)) {
      record.reached.erase(nid);
      record.met.erase(nid);
    }
    for (const core::Action& action : step.actions)
      if (const auto* evicted = shard_msg_of<core::shard_msg::PeerEvicted>(action)) {
        record.reached.erase(evicted->nid);
        record.met.erase(evicted->nid);
      }
    if (std::holds_alternative<core::Config>(step.input)) forget_removed(step, record);
    for (const core::Send& send : actions_of<core::Send>(step))
      if (is_request(send.header.type())) record.sent.add(send.tx, send.hop.nid);
    look_for_lost(step, record);
  }

  void check_all(World& world) override {
    for_each_shard(world,
                   [&](const SimNode& node, const core::ShardState& state, std::uint32_t shard) {
                     look(world, node, state, records_.of(node, shard));
                   });
  }

 private:
  /// The record of a shard.
  struct Record {
    PerMessage<Nid> sent;   ///< the peer NI of each message that a driver has
    std::set<Nid> reached;  ///< NIDs to which a message was sent
    std::set<Nid> met;      ///< NIDs that had an entry at the last look, and exchanged a message
    PeersBefore before;     ///< kept for the control shard
  };
  /// Per node: source NIDs of messages that arrived.
  using Heard = std::set<Nid>;

  /// Forgets peer NIs that the control shard has deleted. When a peer loses discovery, the control
  /// shard deletes it in the step in which it learns of that, and makes it again in the same step
  /// if a message waits for its discovery (spec/multirail.md 4.4.2). It also deletes a peer whose
  /// primary NID an administrator gives to another one (2.2). The other shards get the inter-shard
  /// message about the deletion.
  static void look_for_lost(const ShardStep& step, Record& record) {
    if (step.shard != core::kControlShard) return;
    const core::Directory& directory = step.state.directory;
    const PeersBefore& before = record.before;
    if (!record.before.look(directory)) return;
    const bool configures = answered<core::call::PeerAdd>(step.input) != nullptr;
    const auto gone = [&](const Nid& nid) {
      const core::PeerNi* ni = step.state.peers.find_ni(nid);
      if (ni != nullptr && ni->met) return false;
      const core::Peer* peer = directory.find(nid);
      if (peer == nullptr) return true;
      const Handle former = configures || before.is_new(*peer) ? before.former(nid) : Handle{};
      return former && directory.find(former) == nullptr;
    };
    std::erase_if(record.met, gone);
    std::erase_if(record.reached, gone);
  }

  /// Forgets NIDs of nets on which this node has no NI any more, as the node does
  /// (spec/multirail.md 2.1). The control shard's inter-shard message may still be under way: until
  /// it arrives, the entry counts as met.
  static void forget_removed(const ShardStep& step, Record& record) {
    const auto left = [&](const Nid& nid) { return step.state.nis.find(nid.net()) == nullptr; };
    const auto went = [&](const Nid& nid) {
      return left(nid) && step.state.peers.find_ni(nid) == nullptr;
    };
    std::erase_if(record.reached, went);
    std::erase_if(record.met, left);
  }

  /// Whether the peer has reported a status of its NI. The node remembers the status although it
  /// exchanged no message with that NI (spec/multirail.md 4.4.6; 7 pings it). The status is
  /// forgotten with the peer. The control shard deletes the peer first; its inter-shard messages
  /// about the peer may still be under way to other shards.
  static bool has_reported_status(const World& world, const SimNode& node, const core::PeerNi& ni,
                                  std::uint32_t shard) {
    if (ni.reported == core::ReportedStatus::kNothing) return false;
    const core::ShardState* control = node.shard_state(core::kControlShard);
    if (control != nullptr && control->directory.find(ni.nid) != nullptr) return true;
    return shard != core::kControlShard && !world.quiet();
  }

  void look(World& world, const SimNode& node, const core::ShardState& state, Record& record) {
    const Heard& heard = heard_.of(node);
    const auto wrong = [&](const Nid& nid, const char* what) {
      violation(world, &node, "{}: {}", nid, what);
    };
    for (const Nid& nid : record.met)
      if (state.peers.find_ni(nid) == nullptr) wrong(nid, "met before, and forgotten");
    state.peers.for_each_ni([&](const core::PeerNi& ni) {
      if (state.placement.of(ni.nid) != state.index && !ni.moved)
        wrong(ni.nid, "a peer NI is not in its owner shard");
      const bool reached = record.reached.contains(ni.nid);
      if (reached || ni.last_heard != Instant::min()) record.met.insert(ni.nid);
      const bool was_reported =
          ni.known->peer_entry != nullptr || has_reported_status(world, node, ni, state.index);
      if (!reached && !was_reported && ni.in_flight == 0 && !heard.contains(ni.nid))
        wrong(ni.nid, "an entry is left of a peer that was never met");
    });
  }
  PerNode<Record> records_;
  PerNode<Heard> heard_;
};

}  // namespace

std::unique_ptr<Checker> peers_met_checker() { return std::make_unique<PeersMet>(); }

}  // namespace ulnet::sim
