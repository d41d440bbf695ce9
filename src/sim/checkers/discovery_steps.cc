#include "sim/checkers/discovery_steps.h"

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

const core::Portal0Md* begun_by(const core::ShardState& state, const core::Action& action) {
  MdHandle md{};
  if (const auto* shard_msg = shard_msg_of<core::shard_msg::Transmit>(action)) {
    md = shard_msg->internal ? shard_msg->md : MdHandle{};
  } else if (const auto* send = std::get_if<core::Send>(&action)) {
    const core::Msg* msg = state.find(send->tx);
    if (msg != nullptr && msg->internal && msg->md != nullptr) md = msg->md->handle;
  }
  const core::Md* found = md ? state.memory.find(md) : nullptr;
  if (found == nullptr || found->owner != core::MdOwner::kShard) return nullptr;
  const auto* record = static_cast<const core::Portal0Md*>(found->user_ptr);
  const bool discovers = record->kind == core::Portal0Md::Kind::kPeerPing ||
                         record->kind == core::Portal0Md::Kind::kPush ||
                         record->kind == core::Portal0Md::Kind::kRouterCheck;
  return discovers ? record : nullptr;
}

}  // namespace ulnet::sim
