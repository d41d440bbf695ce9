// The parts of a node as text: everything that affects what happens next. explore.h visits each
// such state once.
#pragma once

#include <string>

#include "lnet/core/contract/shard_msg.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core::shard_msgs {

std::string text_of(MsgTicket msg);
std::string text_of(const ShardSet& shards);
std::string text_of(const ShardMsg& shard_msg);
std::string text_of(const ShardState& s);

}  // namespace ulnet::core::shard_msgs
