#include "sim/checkers/lazy_served.h"

#include <algorithm>

#include "core/step.h"
#include "sim/world.h"

namespace ulnet::sim {
namespace {

/// As section 3 and 4.5 say it, without the tables that the shard uses.
bool would_take(const core::ShardState& state, const core::Me& me, const core::Msg& msg) {
  const auto& put = std::get<wire::PutPart>(msg.header.part);
  if (me.md == nullptr || me.portal.index != put.portal) return false;
  const core::Md& md = *me.md;
  if (md.state != core::MdState::kActive || core::exhausted(md) || !md.has(kOpPut)) return false;
  if (((put.match_bits ^ me.match.value) & ~me.ignore.value) != 0) return false;
  if (!me.match_id.pid.is_any() && me.match_id.pid != msg.header.src_pid) return false;
  if (me.match_id.nid.is_any() || me.match_id.nid == msg.header.src_nid) return true;
  const core::PeerNi* named = state.peers.find(me.match_id.nid);
  const core::PeerNi* source = state.peers.find(msg.header.src_nid);
  return named != nullptr && source != nullptr && named->peer == source->peer;
}

/// Somebody who waits on the portal though this entry would take it.
const core::Msg* overlooked(const core::ShardState& state, const core::Me& me) {
  const core::PortalState* portal = state.portals.find(me.portal);
  if (portal == nullptr) return nullptr;
  for (const core::Msg& msg : portal->held)
    if (msg.state == core::MsgState::kHeld && would_take(state, me, msg)) return &msg;
  return nullptr;
}

}  // namespace

void LazyServed::after_step(World& world, const ShardStep& step) {
  const auto* attach = answered<core::call::MdAttach>(step.input);
  const bool told = std::holds_alternative<core::Mail>(step.input) || attach != nullptr;
  if (told && step.node.shards() > 1 && step.node.letters() == 0 &&
      std::none_of(step.actions.begin(), step.actions.end(), [](const core::Action& action) {
        return std::holds_alternative<core::SendMail>(action);
      }))
    between_shards(world, step.node);
  if (attach == nullptr) return;
  const core::Md* md = step.state.memory.find(attach->md);
  if (md != nullptr && md->me != nullptr && overlooked(step.state, *md->me) != nullptr)
    violation(world, &step.node, "a waiting message was not offered a buffer that it fits");
  const core::Msg* last = nullptr;
  for (const core::Action& action : step.actions) {
    const auto* land = std::get_if<core::Land>(&action);
    const core::Msg* msg = land == nullptr ? nullptr : step.state.find(land->msg);
    // What another shard was asked about first came to its portal's home later.
    if (msg == nullptr || msg->away != nullptr) continue;
    if (last != nullptr && msg->started < last->started)
      violation(world, &step.node, "messages left a lazy portal out of order");
    last = msg;
  }
}

void LazyServed::check_all(World& world) {
  for (std::size_t i = 0; i < world.size(); ++i)
    for_each_shard(world.node(i), [&](const core::ShardState& state, std::uint32_t) {
      state.mes.for_each([&](Handle, const core::Me& me) {
        if (overlooked(state, me) != nullptr)
          violation(world, &world.node(i), "a message waits beside a buffer that it fits");
      });
    });
}

/// What waits at its portal's home fits no buffer of any shard.
void LazyServed::between_shards(World& world, const SimNode& node) {
  for_each_shard(node, [&](const core::ShardState& home, std::uint32_t) {
    bool waits = false;
    home.portals.for_each(
        [&](const core::PortalState& portal) { waits = waits || !portal.held.empty(); });
    if (!waits) return;
    for_each_shard(node, [&](const core::ShardState& other, std::uint32_t) {
      other.mes.for_each([&](Handle, const core::Me& me) {
        if (overlooked(home, me) != nullptr)
          violation(world, &node, "a message waits though another shard has its buffer");
      });
    });
  });
}

}  // namespace ulnet::sim
