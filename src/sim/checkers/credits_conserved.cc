// Credits are neither lost nor created, and no message waits for a credit while one is free.
// Source: spec/core-semantics.md 10.1, 10.2, 18.13.
//
// The checker counts the messages that drivers have: each was given to a driver, and its SendDone
// has not come. A gate counts the credits of an NI or of a peer NI. After a step, the number of
// credits in use at an NI's gate must equal the number of messages that its driver has. At a peer
// NI's gate it may be larger, because messages that wait for an NI's credit already hold a credit
// of their peer NI. check_all() compares every gate of every shard with all messages of that shard.
// In a router it also compares the router credits of each peer NI, and the router buffers (10.3).
#include <map>

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::core {
class Gate;
}

namespace ulnet::sim {
namespace {

std::int32_t given_out(const core::Gate& gate) {
  return gate.max() - gate.credits() - gate.waiting();
}

class CreditsConserved final : public Checker {
 public:
  CreditsConserved() : Checker("credits conserved", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    Record* record = nullptr;
    Path ended;
    bool one_ended = false;
    if (const auto* done = std::get_if<core::SendDone>(&step.input)) {
      record = &records_.of(step.node, step.shard);
      if (const Path* path = record->sent.find(done->tx)) {
        ended = *path;
        one_ended = true;
        --record->nis[ended.ni].with_driver;
        --record->peers[ended.peer].with_driver;
        record->sent.erase(done->tx);
      }
    }
    for (const core::Send& send : actions_of<core::Send>(step)) {
      const core::LocalNi* ni = step.state.nis.find(send.ni);
      if (ni == nullptr || ni->loopback()) continue;
      if (record == nullptr) record = &records_.of(step.node, step.shard);
      record->sent.add(send.tx, {send.ni, send.hop.nid});
      ++record->nis[send.ni].with_driver;
      ++record->peers[send.hop.nid].with_driver;
    }
    if (record == nullptr) return;
    if (one_ended) look(world, step, *record, ended);
    for (const core::Send& send : actions_of<core::Send>(step))
      look(world, step, *record, {send.ni, send.hop.nid});
  }

  void check_all(World& world) override {
    for_each_shard(world,
                   [&](const SimNode& node, const core::ShardState& state, std::uint32_t shard) {
                     check(world, node, state, records_.of(node, shard));
                   });
  }

 private:
  /// The credits in use of a gate: by messages that a driver has, and at the gate's last check.
  struct InUse {
    std::int32_t with_driver = 0;
    std::int32_t before = 0;
  };
  struct Path {
    core::NiId ni;
    Nid peer;
  };
  struct Record {
    PerMessage<Path> sent;
    std::map<core::NiId, InUse> nis;
    std::map<Nid, InUse> peers;
  };

  void check(World& world, const SimNode& node, const core::ShardState& state, Record& record) {
    struct Count {
      std::int32_t held = 0, waiting = 0;
      /// Part of `held`: credits of messages that fault rules keep from the driver.
      std::int32_t delayed = 0;
      std::uint32_t messages = 0, answers = 0;
    };
    std::map<Nid, Count> router;  // by the peer NI that the messages came from
    std::map<core::RouterPools::Kind, Count> pools;
    std::map<core::NiId, Count> nis;
    std::map<Nid, Count> peers;
    state.messages.for_each([&](Handle, const core::Msg& msg) {
      if (msg.from != nullptr) {
        ++peers[msg.from->nid].messages;
        Count& from = router[msg.from->nid];
        from.held += msg.has_router_credit;
        from.waiting += msg.state == core::MsgState::kRouterQueue;
        Count& pool = pools[core::RouterPools::kind_for(msg.header.payload_length)];
        pool.held += msg.has_buffer;
        pool.waiting += msg.state == core::MsgState::kBufferQueue;
      }
      if (msg.ni == nullptr) return;
      Count& ni = nis[msg.ni->config.id];
      Count& peer = peers[msg.peer->nid];
      ++ni.messages;
      ++peer.messages;
      if (!msg.outgoing) return;
      ni.held += msg.has_ni_credit;
      peer.held += msg.has_peer_credit;
      ni.delayed += msg.has_ni_credit && msg.state == core::MsgState::kDelayed;
      ni.waiting += msg.state == core::MsgState::kNiQueue;
      peer.waiting += msg.state == core::MsgState::kPeerQueue;
      const auto type = msg.header.type();
      const bool answer = type == wire::MsgType::kAck || type == wire::MsgType::kReply;
      peer.answers += answer && !msg.routed;
    });
    const auto agree = [&](const core::Gate& gate, const Count& count, const auto& whose) {
      if (given_out(gate) == count.held && gate.waiting() == count.waiting) return;
      violation(world, &node, "{}: {} credits are out, {} messages have one", whose,
                given_out(gate), count.held);
    };
    for (const core::LocalNi* ni : state.nis.configured()) {
      const Count& count = nis[ni->config.id];
      if (!ni->loopback()) agree(ni->tx, count, ni->nid());
      if (ni->in_flight != count.messages)
        violation(world, &node, "{}: miscounts its messages in flight", ni->nid());
    }
    state.peers.for_each_ni([&](const core::PeerNi& peer) {
      if (peer.nid.is_loopback()) return;
      const Count& count = peers[peer.nid];
      agree(peer.tx, count, peer.nid);
      if (const core::Gate* gate = state.peers.router_gate(peer))
        agree(*gate, router[peer.nid], "router credits of " + peer.nid.to_string());
      const bool idle = count.messages == 0;
      if (peer.in_flight != count.messages || peer.answers != count.answers ||
          (idle && peer.queued_bytes != 0))
        violation(world, &node, "{}: miscounts its messages in flight", peer.nid);
    });
    for (const auto kind :
         {core::RouterPools::kTiny, core::RouterPools::kSmall, core::RouterPools::kLarge})
      agree(state.pools[kind].gate(), pools[kind],
            "router buffers of " + std::to_string(state.pools[kind].buffer_bytes()) + " bytes");
    for (const core::LocalNi* ni : state.nis.configured())
      if (!ni->loopback() && nis[ni->config.id].held - nis[ni->config.id].delayed !=
                                 record.nis[ni->config.id].with_driver)
        violation(world, &node, "{}: a message left its driver unseen", ni->nid());
  }

  void look(World& world, const ShardStep& step, Record& record, const Path& path) {
    const core::LocalNi* ni = step.state.nis.find(path.ni);
    const core::PeerNi* peer = step.state.peers.find_ni(path.peer);
    if (ni == nullptr || ni->loopback() || peer == nullptr) return;
    if (step.state.fault_holds.size() != 0) return;  // credits of messages that rules hold
    look(world, step.node, ni->tx, record.nis[path.ni], 0, ni->nid());
    std::int32_t waiting =
        ni->tx.waiting();  // each of these messages holds a credit of its peer NI
    for (const core::LocalNi* other : step.state.nis.configured())
      if (other != ni) waiting += other->tx.waiting();
    look(world, step.node, peer->tx, record.peers[path.peer], waiting, peer->nid);
  }

  void look(World& world, const SimNode& node, const core::Gate& gate, InUse& in_use,
            std::int32_t more, const Nid& whose) {
    const std::int32_t used = given_out(gate);
    const std::int32_t before = std::exchange(in_use.before, used);
    const auto wrong = [&](const char* what) {
      violation(world, &node, "{}: {} ({} credits, {} left, {} waiting, {} with the driver)", whose,
                what, gate.max(), gate.credits(), gate.waiting(), in_use.with_driver);
    };
    if (used < in_use.with_driver) return wrong("a credit came back that is still in use");
    if (used > in_use.with_driver + more) return wrong("a credit is lost");
    // The maximum may have been lowered below the number in use.
    if (used > gate.max() && used > before) return wrong("more credits were given than there are");
    if (gate.waiting() > 0 && used < gate.max())
      return wrong("a message waits though a credit is left");
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> credits_conserved_checker() {
  return std::make_unique<CreditsConserved>();
}

}  // namespace ulnet::sim
