// The path of a message, as an action of a step shows it. For checkers of paths.
#pragma once

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

struct ShownPath {
  const core::Msg& msg;
  const core::LocalNi* ni = nullptr;  ///< null: the shard that owns the hop chooses it
  const Nid& hop;
  const wire::LnetHeader& header;
  bool elsewhere = false;  ///< another shard transmits the message
};

/// The path by which the action gives a message to a driver, or to the shard that transmits it;
/// nothing: the action does neither.
inline std::optional<ShownPath> path_of(const ShardStep& step, const core::Action& action) {
  if (const auto* shard_msg = shard_msg_of<core::shard_msg::Transmit>(action)) {
    const core::Msg* msg = step.state.find(shard_msg->msg);
    if (msg == nullptr) return std::nullopt;
    return ShownPath{*msg, step.state.nis.find(shard_msg->path.ni), shard_msg->path.hop.nid,
                     shard_msg->header, true};
  }
  const auto* send = std::get_if<core::Send>(&action);
  const core::Msg* msg = send == nullptr ? nullptr : step.state.find(send->tx);
  if (msg == nullptr) return std::nullopt;
  return ShownPath{*msg, step.state.nis.find(send->ni), send->hop.nid, send->header, false};
}

/// Whether another shard has chosen the path.
inline bool is_of_other_shard(const ShownPath& path) {
  return !path.elsewhere && static_cast<bool>(path.msg.remote.msg);
}

/// Whether the message is an ACK or a REPLY: these go back to where their request came from.
inline bool goes_back(const ShownPath& path) {
  const wire::MsgType type = path.header.type();
  return type == wire::MsgType::kAck || type == wire::MsgType::kReply;
}

}  // namespace ulnet::sim
