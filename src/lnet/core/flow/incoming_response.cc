// Finds the MD that an incoming ACK or REPLY answers, in this shard or another one, and ends or
// drops the message. Source: spec/core-semantics.md 6.3, 6.4, 6.5.
#include "lnet/core/flow/incoming_response.h"

#include <optional>

#include "lnet/core/flow/accounting.h"
#include "lnet/core/flow/operation.h"

namespace ulnet::core {

namespace {

using wire::MsgType;

/// The MD of this shard that the wire handle of an ACK or REPLY names, if the MD may take one more
/// (spec/core-semantics.md 6.3, 6.4, spec/wire-lnet.md 2.5).
Md* answered_md(ShardState& s, const wire::WireHandle& handle) {
  Md* md = s.memory.find(MdHandle{handle.object_cookie});
  const bool fit =
      md != nullptr && !md->passive && md->state == MdState::kActive && md->threshold != 0;
  return fit ? md : nullptr;
}

/// Why an ACK or a REPLY is dropped; kCount: it is accepted. `md` is what answered_md() found.
DropReason judge_answer(const Step& step, const wire::LnetHeader& header,
                        const wire::WireHandle& handle, const Md* md) {
  const bool reply = header.type() == MsgType::kReply;
  const bool old_incarnation = handle.interface_cookie != step.config().interface_cookie;
  if (old_incarnation) return DropReason::kOldIncarnation;
  if (md == nullptr) return reply ? DropReason::kReplyNoMd : DropReason::kAckNoMd;
  if ((reply ? md->awaited.replies : md->awaited.acks) == 0)
    return reply ? DropReason::kReplyUnexpected : DropReason::kAckUnexpected;
  if (reply && header.payload_length > md->length && !md->has(kTruncate))
    return DropReason::kReplyTooLong;
  return DropReason::kCount;
}

const wire::WireHandle& handle_of(const wire::LnetHeader& answer) {
  const auto* ack = std::get_if<wire::AckPart>(&answer.part);
  return ack != nullptr ? ack->dst_wmd : std::get<wire::ReplyPart>(answer.part).dst_wmd;
}

/// Begins the operation of an ACK or REPLY on its MD.
void use_answered(Md& md, bool reply) {
  begin_operation(md);
  if (reply) retire_if_exhausted(md);
}

void end_ack(Step& step, Md& md, const wire::LnetHeader& ack, const Nid& hop, const Nid& primary) {
  end_md_operation(step, md, 0, [&](Event& event) { fill_ack(event, ack, hop, primary); });
}

/// Returns the shard of the MD that an ACK or REPLY is for, if it is another shard; else nullopt.
/// Returns nullopt too for a handle of an earlier incarnation of this node, and for an invalid
/// cookie.
std::optional<std::uint32_t> answered_elsewhere(const ShardState& s,
                                                const wire::WireHandle& handle) {
  if (handle.interface_cookie != s.config->interface_cookie) return std::nullopt;
  const std::uint32_t shard = shard_of_cookie(handle.object_cookie);
  if (shard == s.index || shard >= s.placement.shards()) return std::nullopt;
  return shard;
}

/// Asks the MD's shard by an inter-shard message. A REPLY waits for the answer; an ACK is finished
/// here.
void ask_md(Step& step, const Arrival& a, std::uint32_t shard) {
  shard_msg::ResponseArrived shard_msg{
      step.s.index, {},           a.header(),
      a.in.ni,      a.in.hop.nid, initiator_of(step.s, *a.peer, a.header().src_nid)};
  if (a.header().type() == MsgType::kReply) {
    Msg& msg = make_incoming(step, a);
    defer(step, a, msg);
    msg.on(MsgEvent::kAsk);
    shard_msg.msg = msg.self;
  } else {
    account_success(step, a.ni, *a.peer, true);  // the MD's shard counts the ACK
  }
  step.send_to_shard(shard, std::move(shard_msg));
}

}  // namespace

void on_response(Step& step, const Arrival& a) {
  ShardState& s = step.s;
  const bool reply = a.header().type() == MsgType::kReply;
  const wire::WireHandle& handle = handle_of(a.header());
  if (!reply) drop_payload(step, a.in, 0);
  if (const auto shard = answered_elsewhere(s, handle)) return ask_md(step, a, *shard);
  Md* md = answered_md(s, handle);
  const DropReason reason = judge_answer(step, a.header(), handle, md);
  if (reason != DropReason::kCount)
    return reply ? drop(step, a.in, &a.ni, reason) : count_drop(step, &a.ni, a.header(), reason);
  if (const auto took = s.responses.end(md->awaited, reply, step.now))
    count_round_trip(a.ni, *a.peer, reply, *took);
  if (reply) {
    use_answered(*md, true);
    return land_arrival(step, a, *md, 0, std::min(a.header().payload_length, md->length));
  }
  count_taken(step, a.ni, *a.peer);
  use_answered(*md, false);
  end_ack(step, *md, a.header(), a.in.hop.nid, initiator_of(s, *a.peer, a.header().src_nid));
}

void on_shard_msg(Step& step, std::uint32_t, const shard_msg::ResponseArrived& in) {
  ShardState& s = step.s;
  const bool reply = in.header.type() == MsgType::kReply;
  const wire::WireHandle& handle = handle_of(in.header);
  Md* md = answered_md(s, handle);
  const DropReason reason = judge_answer(step, in.header, handle, md);
  if (reason != DropReason::kCount) {
    if (reply) return step.send_to_shard(in.origin, shard_msg::Dropped{in.msg, reason});
    return count_drop(step, s.nis.find(in.ni), in.header, reason);
  }
  if (const auto took = s.responses.end(md->awaited, reply, step.now))
    count_round_trip_elsewhere(step, in.ni, in.hop, reply, *took);
  use_answered(*md, reply);
  if (!reply) {
    ++s.counters.global.recv_count;
    return end_ack(step, *md, in.header, in.hop, in.primary);
  }
  const std::uint32_t mlength = std::min(in.header.payload_length, md->length);
  md->remote_shards.insert(in.origin);
  const Region memory = region_of(*md, 0, md->has(kDiscard) ? 0 : mlength);
  step.send_to_shard(in.origin, shard_msg::Matched{in.msg, md->handle, memory, 0, mlength, false});
}

void reply_landed(Step& step, const ReplyLanded& in) {
  Msg* get = step.s.find(in.tx);
  if (get == nullptr || !get->optimised) {
    step.note(Note::Level::kError, "a driver answered a GET that it did not have");
    return;
  }
  shard_msg::ReplyInPlace reply;
  reply.md = get->md != nullptr ? get->md->handle : get->remote_md->md;
  reply.status = in.status;
  reply.hop = get->hop.nid;
  reply.ni = get->ni->config.id;
  fill_optimised_reply(reply.event, *get, in.mlength);
  if (get->md != nullptr) return on_shard_msg(step, step.s.index, reply);
  step.send_to_shard(shard_of_cookie(reply.md.cookie), std::move(reply));
}

void on_shard_msg(Step& step, std::uint32_t from, const shard_msg::ReplyInPlace& in) {
  ShardState& s = step.s;
  Md* md = s.memory.find(in.md);
  ULNET_ASSERT(md != nullptr);  // the GET is an operation on the MD
  if (md->threshold == 0 || md->awaited.replies == 0)
    return s.counters.drop(DropReason::kReplyUnexpected);
  if (const auto took = s.responses.end(md->awaited, true, step.now)) {
    if (from != s.index) {
      count_round_trip_elsewhere(step, in.ni, in.hop, true, *took);
    } else {
      LocalNi* ni = s.nis.find(in.ni);
      PeerNi* peer = s.peers.find_ni(in.hop);
      if (ni != nullptr && peer != nullptr) count_round_trip(*ni, *peer, true, *took);
    }
  }
  begin_operation(*md);
  if (in.status == 0) {
    ++s.counters.global.recv_count;
    s.counters.global.recv_length += in.event.mlength;
  }
  end_md_operation(step, *md, in.status, [&](Event& event) {
    event = in.event;
    event.rlength = event.mlength = std::min(event.mlength, md->length);
  });
}

}  // namespace ulnet::core
