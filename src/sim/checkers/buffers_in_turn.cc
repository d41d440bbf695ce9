// Where a node of several partitions looks for a message's buffer: first on the shard that the
// portal rotor and the hash of NIDs name, then in turn on the shards that have buffers. Source:
// spec/core-semantics.md 3, 7.3, 13.2, docs/PARTITIONS.md.
#include <map>
#include <string>
#include <vector>

#include "lnet/core/contract/placement.h"
#include "lnet/core/flow/matched.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

using core::ShardSet;

/// The PUT or GET that arrived with this step and is not delayed, if its portal exists.
const wire::LnetHeader* request_in(const ShardStep& step) {
  const auto* in = std::get_if<core::HeaderArrived>(&step.input);
  if (in == nullptr || for_another_node(step) != nullptr || delayed_in(step) != nullptr)
    return nullptr;
  return is_request(in->header->type()) && core::Portals::exists(core::portal_of(*in->header))
             ? in->header
             : nullptr;
}

/// Messages dropped for the reasons that a shard finds before it looks for a buffer
/// (spec/core-semantics.md 8). A message that this node sends, such as the REPLY to the one that
/// arrived, may be lost in the same step: it does not count here.
std::uint64_t dropped_unseen(const core::ShardState& state) {
  using core::DropReason;
  return drops(state,
               {DropReason::kPayloadNotAllowed, DropReason::kPayloadTooLong, DropReason::kNotThisNi,
                DropReason::kOtherNet, DropReason::kUnknownNi, DropReason::kRoutingOff,
                DropReason::kBadSource, DropReason::kSimulatedFailure, DropReason::kAsymmetricRoute,
                DropReason::kCameBack, DropReason::kAnswersWait, DropReason::kTooManyPeers,
                DropReason::kNiRemoved, DropReason::kShutdown, DropReason::kFaultRule});
}

template <class Body, class Fn>
void for_each_shard_msg(const ShardStep& step, Fn&& fn) {
  for (const core::Action& action : step.actions)
    if (const auto* body = shard_msg_of<Body>(action))
      fn(std::get<core::ToShard>(action).to, *body);
}

/// The primary NID of the peer that sent the message.
const Nid& primary(const core::PeerEntryRef& peer_entry, const wire::LnetHeader& header) {
  return peer_entry == nullptr ? header.src_nid : peer_entry->primary();
}

std::string name_of(Portal portal) { return "portal " + std::to_string(portal.index); }

/// The partition that spec/core-semantics.md 7.3 names first; nothing: the next one of the round
/// robin.
std::optional<std::uint32_t> wanted_first(const core::ShardState& state,
                                          const wire::LnetHeader& header) {
  const core::PortalState* portal = state.portals.find(core::portal_of(header));
  if (portal != nullptr && portal->unique())
    return state.placement.of(state.peers.primary_of(header.src_nid));
  const bool routed = header.src_nid.net() != header.dest_nid.net();
  switch (state.config->globals.portal_rotor) {
    case core::PortalRotor::kOff:
      return state.index;
    case core::PortalRotor::kOn:
      return std::nullopt;
    case core::PortalRotor::kRoundRobinRouted:
      return routed ? std::nullopt : std::optional(state.index);
    case core::PortalRotor::kHashRouted:
      return routed ? state.placement.of(header.src_nid) : state.index;
  }
  return state.index;
}

/// The shards that the owner shard of the portal could ask for a buffer, as far as it knows: those
/// in `have`, except those in `nothing`, which found none. The owner shard counts exactly if it has
/// match entries on the portal.
ShardSet could_ask(const ShardStep& step, Portal portal, ShardSet have, const ShardSet& nothing) {
  const core::PortalState* state = step.state.portals.find(portal);
  const bool here = state != nullptr && !state->entries.empty();
  here ? have.insert(step.shard) : have.erase(step.shard);
  return have - nothing;
}

class BuffersInTurn final : public Checker {
 public:
  BuffersInTurn() : Checker("buffers in turn", kBeforeStep | kAfterStep) {}

  void before_step(World&, const ShardStep& step) override {
    if (step.node.shards() == 1) return;
    if (request_in(step) != nullptr) dropped_unseen_ = dropped_unseen(step.state);
  }

  void after_step(World& world, const ShardStep& step) override {
    if (step.node.shards() == 1) return;
    Record& record = records_.of(step.node, step.shard);
    const bool go_on = record.delayed.look(step);
    if (go_on) record.last_first.clear();  // the round robin has advanced too
    look_first(world, step, record);
    learn(step, record);
    look_on(world, step, record, go_on || may_learn_peers(step));
  }

 private:
  /// A message for which its portal's owner shard has asked another shard for a buffer.
  struct Asked {
    Portal portal;
    Nid primary;             ///< primary NID of the peer that sent the message
    core::ShardSet nothing;  ///< shards that found no buffer
    std::uint64_t seen = 0;  ///< Msg::seen; when it has changed, all shards are asked again
  };
  /// What the checker knows at a portal's owner shard. `passed[s]`: the shards that were asked
  /// since shard s could have been asked, while s was not asked.
  struct Owner {
    core::ShardSet have;  ///< other shards that are known to have buffers
    std::vector<core::ShardSet> passed;
  };
  struct Record {
    /// The last choice of the round robin, by portal.
    std::map<std::uint32_t, std::uint32_t> last_first;
    std::map<std::uint32_t, Owner> owners;
    PerMessage<Asked> asked;
    DelayedArrivals delayed;
  };

  void look_first(World& world, const ShardStep& step, Record& record) {
    const wire::LnetHeader* header = request_in(step);
    if (header == nullptr || dropped_unseen(step.state) != dropped_unseen_) return;
    const Portal portal = core::portal_of(*header);
    std::uint32_t first = step.shard;
    for_each_shard_msg<core::shard_msg::Match>(step, [&](std::uint32_t to, const auto& match) {
      if (!match.parked) first = to;
    });
    std::optional<std::uint32_t> wanted = wanted_first(step.state, *header);
    if (!wanted) {
      const auto [last, fresh] = record.last_first.try_emplace(portal.index, first);
      wanted = fresh ? first : (last->second + 1) % step.node.shards();
      last->second = first;
    }
    if (first != *wanted)
      violation(world, &step.node,
                "{}: a message looked for a buffer in partition {} first, not in {}",
                name_of(portal), first, *wanted);
  }

  /// Updates which shards have buffers, from what a portal's owner shard learns in this step.
  void learn(const ShardStep& step, Record& record) {
    if (const auto* claim = answered<core::call::ClaimPortal>(step.input))
      record.owners[claim->portal.index].have.insert(claim->user);
    if (const auto* buffers = shard_msg_in<core::shard_msg::BufferPosted>(step.input))
      record.owners[buffers->portal.index].have.insert(std::get<core::FromShard>(step.input).from);
    if (const auto* searched = shard_msg_in<core::shard_msg::Searched>(step.input)) {
      const Asked* asked = record.asked.find(searched->parked);
      if (asked != nullptr && searched->empty)
        record.owners[asked->portal.index].have.erase(std::get<core::FromShard>(step.input).from);
    }
  }

  /// `again`: in this step several messages may look for a buffer.
  void look_on(World& world, const ShardStep& step, Record& record, bool again) {
    bool asked_others = false, took_it = false;
    for_each_shard_msg<core::shard_msg::Match>(step, [&](std::uint32_t to, const auto& match) {
      if (!match.parked) return;
      asked_others = true;
      const Portal portal = core::portal_of(match.header);
      const core::Msg* msg = step.state.find(match.parked);
      if (step.state.placement.owner_of(portal) != step.shard || msg == nullptr)
        return violation(world, &step.node, "{}: a shard that does not own it asked for a buffer",
                         name_of(portal));
      const Asked* before = record.asked.find(match.parked);
      Owner& owner = record.owners[portal.index];
      if (again || (before != nullptr && before->seen != msg->seen)) owner.passed.clear();
      const Asked& asked = record.asked.add(
          match.parked, {portal, primary(match.peer_entry, match.header), msg->asked, msg->seen});
      offered(world, step, owner, asked, to, could_ask(step, portal, owner.have, msg->asked));
    });
    // When several messages look for a buffer, the owner shard may take some of them itself in
    // between.
    if (again)
      for (auto& [portal, owner] : record.owners) owner.passed.clear();
    if (asked_others) return;
    for_each_shard_msg<core::shard_msg::Matched>(step, [&](auto, const auto&) { took_it = true; });
    // The owner shard may have parked the message and then taken it, because its own peer entry is
    // newer than that of the Match.
    if (const auto* match = match_at_owner(step); match != nullptr && took_it) {
      const core::PeerEntry* peer_entry = match->peer_entry.get();
      if (peer_entry_at_owner(step, match->header.src_nid, peer_entry) != peer_entry)
        record.owners[core::portal_of(match->header).index].passed.clear();
    }
    const auto* park = shard_msg_in<core::shard_msg::Park>(step.input);
    const auto* searched = shard_msg_in<core::shard_msg::Searched>(step.input);
    const Asked* before = searched == nullptr ? nullptr : record.asked.find(searched->parked);
    if (park == nullptr && before == nullptr) return;
    Asked asked = before != nullptr
                      ? *before
                      : Asked{core::portal_of(park->header),
                              primary(park->peer_entry, park->header), park->asked, 0};
    if (before != nullptr) asked.nothing.insert(std::get<core::FromShard>(step.input).from);
    Owner& owner = record.owners[asked.portal.index];
    // The owner shard may have searched its own entries without success, which leaves no trace.
    if (!took_it) return owner.passed.clear();
    offered(world, step, owner, asked, step.shard,
            could_ask(step, asked.portal, owner.have, asked.nothing));
  }

  /// Checks a step in which the owner shard asked shard `to` (or itself) for a buffer. On a unique
  /// portal it has to ask the initiator's partition, if it could ask that partition. On other
  /// portals it may not ask a shard twice while it could have asked another shard all that time and
  /// did not.
  void offered(World& world, const ShardStep& step, Owner& owner, const Asked& asked,
               std::uint32_t to, const ShardSet& could) {
    if (step.state.portals.find(asked.portal)->unique()) {
      const std::uint32_t own = step.state.placement.of(asked.primary);
      if (to != own && could.contains(own))
        violation(world, &step.node, "{}: not the initiator's partition was asked",
                  name_of(asked.portal));
      return;
    }
    owner.passed.resize(step.node.shards());
    for (std::uint32_t other = 0; other < step.node.shards(); ++other) {
      ShardSet& passed = owner.passed[other];
      if (other == to || !could.contains(other)) {
        passed = {};
      } else if (passed.contains(to)) {
        return violation(world, &step.node,
                         "{}: partition {} was asked for a buffer again, before {}",
                         name_of(asked.portal), to, other);
      } else {
        passed.insert(to);
      }
    }
  }
  PerNode<Record> records_;
  std::uint64_t dropped_unseen_ = 0;  ///< the count before the current step
};

}  // namespace

std::unique_ptr<Checker> buffers_in_turn_checker() { return std::make_unique<BuffersInTurn>(); }

}  // namespace ulnet::sim
