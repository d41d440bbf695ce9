// The parts of a node as text: everything that affects what happens next. explore.h visits each
// such state once.
#pragma once

#include <string>

#include "lnet/core/contract/letter.h"
#include "lnet/core/flow/step.h"

namespace ulnet::core::letters {

std::string text_of(MsgTicket msg);
std::string text_of(const ShardSet& shards);
std::string text_of(const Letter& letter);
std::string text_of(const ShardState& s);

}  // namespace ulnet::core::letters
