// The pings and pushes that a node sends. Each has a record with an MD of the shard's own. Source:
// spec/core-semantics.md 14, spec/wire-lnet.md 4, 5.
#pragma once

#include "lnet/core/flow/step.h"

namespace ulnet::core {

inline constexpr MatchBits kPortal0Bits{wire::kPingMatchBits};

Portal0Md& make_record(Step& step, Portal0Md::Kind kind, std::vector<std::byte> bytes);
/// Sends the GET of a ping to `record.target`, from `record.source`.
void send_ping(Step& step, Portal0Md& record);
/// Does the same as send_ping() for a ping that has to end within `time`, whatever the driver does
/// (on_ping_timeout()).
void send_ping_for(Step& step, Portal0Md& record, Duration time);
/// How often a ping is sent again at most because the REPLY did not fit. Once usually suffices, but
/// the peer may get NIs between two pings. Without a limit a peer could make this node ping for
/// ever.
inline constexpr std::uint32_t kPingRepeats = 3;
/// If the REPLY did not fit into the buffer: sends the GET again, with a buffer of `needed` bytes.
/// Returns whether it did.
bool send_ping_again(Step& step, Portal0Md& record, std::size_t needed);
/// Sends the PUT of a push to `record.target`, from `record.source`.
void send_push(Step& step, Portal0Md& record);
/// Unlinks an MD of the shard's own, unless it is gone, or was already aborted for another reason.
void abort_once(Step& step, MdHandle md, int status);

/// The REPLY to a ping.
inline ByteView answer_of(const Portal0Md& record) {
  return ByteView(record.bytes).first(record.received);
}

}  // namespace ulnet::core
