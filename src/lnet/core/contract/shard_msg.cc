// Defines the constructors, assignments and destructor of ShardMsg, so that they are compiled once.
// Source: DESIGN.md 3.
#include "lnet/core/contract/shard_msg.h"

namespace ulnet::core {

ShardMsg::ShardMsg() = default;
ShardMsg::ShardMsg(const ShardMsg&) = default;
ShardMsg::ShardMsg(ShardMsg&&) noexcept = default;
ShardMsg& ShardMsg::operator=(const ShardMsg&) = default;
ShardMsg& ShardMsg::operator=(ShardMsg&&) noexcept = default;
ShardMsg::~ShardMsg() = default;

}  // namespace ulnet::core
