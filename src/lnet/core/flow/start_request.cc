// Makes the message of an LNetPut or LNetGet, and starts the deadline of its response. Source:
// spec/core-semantics.md 4.5, 6.1, 6.2, spec/multirail.md 6.
#include "lnet/core/flow/start_request.h"

#include "lnet/core/flow/message_records.h"
#include "lnet/core/flow/transmission.h"

namespace ulnet::core {

namespace {

void await_response(Step& step, Msg& msg, bool get, Instant deadline) {
  Md& md = *msg.md;
  const Globals& globals = step.config().globals;
  if (deadline == kNever && is_tracked(md.options, get, globals.response_tracking))
    deadline = step.now + std::chrono::seconds(globals.transaction_timeout);
  step.s.responses.begin(md.awaited, get, step.now, deadline);
  msg.waits_answer = true;
}

/// Begins an operation on the MD and makes its message, with all that a PUT and a GET have in
/// common.
Msg& begin_request(Step& step, Md& md, const ProcessId& target) {
  begin_operation(md);
  retire_if_exhausted(md);
  Msg& msg = make_message(step);
  msg.outgoing = true;
  msg.md = &md;
  md.messages.push_back(msg);
  msg.rlength = msg.mlength = md.length;
  msg.header.dest_nid = target.nid;
  msg.header.dest_pid = target.pid.is_any() ? Pid::lustre() : target.pid;
  return msg;
}

/// Whether a ping checks exactly the NID of its target. Such a ping goes to no other NID, and is
/// sent once.
bool asks_one_nid(Portal0Md::Kind kind) {
  using Kind = Portal0Md::Kind;
  return kind == Kind::kRecoveryPing || kind == Kind::kRouterCheck || kind == Kind::kNetPing ||
         kind == Kind::kLoopPing;
}

wire::WireHandle wire_handle(const Step& step, const Md& md) {
  return {step.config().interface_cookie, md.handle.cookie};
}

}  // namespace

void start_put(Step& step, Md& md, const PutRequest& request, Instant response_deadline) {
  Msg& msg = begin_request(step, md, request.target);
  const bool ack = request.ack == AckRequest::kAck;
  wire::PutPart& part = msg.header.part.emplace<wire::PutPart>();
  if (ack) part.ack_wmd = wire_handle(step, md);
  part.match_bits = request.match_bits.value;
  part.hdr_data = request.hdr_data;
  part.portal = request.portal.index;
  part.offset = request.offset;
  msg.header.payload_length = md.length;
  if (ack) await_response(step, msg, false, response_deadline);
  start_send(step, msg, request.self, request.portal == kReservedPortal);
}

void start_get(Step& step, Md& md, const GetRequest& request, Instant response_deadline) {
  Msg& msg = begin_request(step, md, request.target);
  wire::GetPart& part = msg.header.part.emplace<wire::GetPart>();
  part.return_wmd = wire_handle(step, md);
  part.match_bits = request.match_bits.value;
  part.portal = request.portal.index;
  part.src_offset = request.offset;
  part.sink_length = md.length;
  if (md.owner == MdOwner::kShard) {
    const auto& record = *static_cast<const Portal0Md*>(md.user_ptr);
    msg.recovery = asks_one_nid(record.kind);
    msg.hop.nid = record.by_router;
  }
  await_response(step, msg, true, response_deadline);
  start_send(step, msg, request.self, request.portal == kReservedPortal);
}

}  // namespace ulnet::core
