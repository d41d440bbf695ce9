// No message waits on a lazy portal while a buffer for it exists: on its shard, and, when no
// inter-shard message is under way, on any shard. Waiting messages are served in the order in which
// they came to the portal's owner shard. A message also fits a buffer for another NID of its peer,
// from the step in which the owner shard learns of that NID. Source: spec/core-semantics.md 3, 4.3,
// 7.1, 18.10.
#include <algorithm>
#include <optional>

#include "lnet/core/flow/matched.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

/// Whether the entry accepts the message by spec/core-semantics.md 3 and 4.5, also as a message
/// from another NID of its peer. It does not use the shard's tables.
bool would_take(const core::Me& me, const core::Msg& msg) {
  const auto& put = std::get<wire::PutPart>(msg.header.part);
  if (me.md == nullptr || me.portal.index != put.portal) return false;
  const core::Md& md = *me.md;
  if (md.state != core::MdState::kActive || core::exhausted(md) || !md.has(kOpPut)) return false;
  if (((put.match_bits ^ me.match.value) & ~me.ignore.value) != 0) return false;
  if (!me.match_id.pid.is_any() && me.match_id.pid != msg.header.src_pid) return false;
  if (me.match_id.nid.is_any() || me.match_id.nid == msg.header.src_nid) return true;
  return msg.peer_entry != nullptr && msg.peer_entry->has(me.match_id.nid);
}

/// A message that waits on the portal although this entry would accept it; null: there is no such
/// message.
const core::Msg* overlooked(const core::ShardState& state, const core::Me& me) {
  const core::PortalState* portal = state.portals.find(me.portal);
  if (portal == nullptr) return nullptr;
  for (const core::Msg& msg : portal->held)
    if (msg.state == core::MsgState::kHeld && would_take(me, msg)) return &msg;
  return nullptr;
}

/// The message's ticket on the shard where it arrived, whether that shard or the portal's owner
/// shard holds it.
core::MsgTicket name_of(const core::Msg& msg) { return msg.parked ? msg.remote.msg : msg.self; }

/// The PUT that may join a portal's queue in this step.
const wire::LnetHeader* comes_in(const core::Input& input) {
  if (const auto* arrived = std::get_if<core::HeaderArrived>(&input))
    return arrived->header->type() == wire::MsgType::kPut ? arrived->header : nullptr;
  const auto* park = shard_msg_in<core::shard_msg::Park>(input);
  return park != nullptr && park->header.type() == wire::MsgType::kPut ? &park->header : nullptr;
}

/// The message to which this action gives a buffer of this shard, or for which it asks another
/// shard.
std::optional<core::MsgTicket> served(const core::Action& action) {
  if (const auto* land = std::get_if<core::Land>(&action)) return land->msg;
  if (const auto* matched = shard_msg_of<core::shard_msg::Matched>(action)) return matched->msg;
  if (const auto* match = shard_msg_of<core::shard_msg::Match>(action)) return match->msg;
  return std::nullopt;
}

class LazyServed final : public Checker {
 public:
  LazyServed() : Checker("lazy portals served", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    const auto* attach = answered<core::call::MdAttach>(step.input);
    const bool has_news = std::holds_alternative<core::FromShard>(step.input) || attach != nullptr;
    if (has_news && step.node.shards() > 1 && step.node.shard_msgs() == 0 &&
        actions_of<core::ToShard>(step).empty())
      between_shards(world, step.node);
    Record& record = records_.of(step.node, step.shard);
    note_queue(step, record);
    if (attach != nullptr || shard_msg_in<core::shard_msg::BufferPosted>(step.input) != nullptr)
      in_order(world, step, record);
    if (may_learn_peers(step)) beside_each_other(world, step.node, step.state);
    if (attach == nullptr) return;
    const core::Md* md = step.state.memory.find(attach->md);
    if (md != nullptr && md->me != nullptr && overlooked(step.state, *md->me) != nullptr)
      violation(world, &step.node, "a waiting message was not offered a buffer that it fits");
  }

  void check_all(World& world) override {
    for_each_shard(world, [&](const SimNode& node, const core::ShardState& state, std::uint32_t) {
      beside_each_other(world, node, state);
    });
  }

 private:
  /// The order in which waiting messages joined their portal's queue, by their tickets on the
  /// shard where they arrived.
  struct Record {
    PerMessage<std::uint64_t> place;
    std::uint64_t came = 0;
  };

  /// Notes which messages have joined a queue: a message that was not in the queue before is now
  /// its last one. Messages that arrived earlier may join later, since other shards were asked for
  /// a buffer first.
  void note_queue(const ShardStep& step, Record& record) {
    const wire::LnetHeader* header = comes_in(step.input);
    if (header == nullptr || !core::Portals::exists(core::portal_of(*header))) return;
    const core::PortalState* portal = step.state.portals.find(core::portal_of(*header));
    if (portal == nullptr) return;
    for (const core::Msg& msg : portal->held)
      if (record.place.find(name_of(msg)) == nullptr) record.place.add(name_of(msg), ++record.came);
  }

  void in_order(World& world, const ShardStep& step, Record& record) {
    std::uint64_t last = 0;
    for (const core::Action& action : step.actions) {
      const auto msg = served(action);
      const std::uint64_t* place = msg ? record.place.find(*msg) : nullptr;
      if (place == nullptr) continue;
      if (*place < last) violation(world, &step.node, "messages left a lazy portal out of order");
      last = *place;
    }
  }

  /// Checks that no message that waits at its portal's owner shard fits a buffer of the same shard.
  void beside_each_other(World& world, const SimNode& node, const core::ShardState& state) {
    state.mes.for_each([&](Handle, const core::Me& me) {
      if (overlooked(state, me) != nullptr)
        violation(world, &node, "a message waits though it fits a buffer");
    });
  }

  /// Checks that no message that waits at its portal's owner shard fits a buffer of any shard.
  void between_shards(World& world, const SimNode& node) {
    for_each_shard(node, [&](const core::ShardState& owner, std::uint32_t) {
      bool waits = false;
      owner.portals.for_each(
          [&](const core::PortalState& portal) { waits = waits || !portal.held.empty(); });
      if (!waits) return;
      for_each_shard(node, [&](const core::ShardState& other, std::uint32_t) {
        other.mes.for_each([&](Handle, const core::Me& me) {
          if (overlooked(owner, me) != nullptr)
            violation(world, &node, "a message waits though another shard has its buffer");
        });
      });
    });
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> lazy_served_checker() { return std::make_unique<LazyServed>(); }

}  // namespace ulnet::sim
