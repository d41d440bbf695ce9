// Sends the pings and pushes of this node, and sends a ping again with a larger buffer if its REPLY
// did not fit. Source: spec/core-semantics.md 14, spec/wire-lnet.md 4.1, 4.7, 5.
#include "lnet/core/flow/portal0_requests.h"

#include "lnet/core/flow/attach.h"
#include "lnet/core/flow/start_request.h"
#include "lnet/core/flow/unlink.h"

namespace ulnet::core {

namespace {

/// Binds the MD from which a push is sent, or into which the REPLY to a ping lands.
Md& bind_record(Step& step, Portal0Md& record, std::uint32_t options) {
  const iovec fragment{record.bytes.data(), record.bytes.size()};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.threshold = 2;
  spec.options = options | kTrackResponse;
  spec.user_ptr = &record;
  const Check check = bind_md(step, spec, UnlinkMode::kUnlink, MdOwner::kShard, record.md);
  ULNET_ASSERT(check.status == 0);
  return *step.s.memory.find(record.md);
}

}  // namespace

Portal0Md& make_record(Step& step, Portal0Md::Kind kind, std::vector<std::byte> bytes) {
  auto [self, record] = step.s.portal0.mds.make();
  record->self = self;
  record->kind = kind;
  record->bytes = std::move(bytes);
  return *record;
}

void send_ping(Step& step, Portal0Md& record) {
  GetRequest get;
  get.target = record.target;
  get.portal = kReservedPortal;
  get.match_bits = kPortal0Bits;
  get.self = record.source;
  start_get(step, bind_record(step, record, kTruncate), get, record.deadline);
  // The deadline of a call is also that of its REPLY. The timer is armed anew, so that it fires
  // after the REPLY's timer. So a missing REPLY is counted, and lowers the health of the peer.
  if (record.armed()) step.s.timers.arm(record, record.deadline);
}

void send_ping_for(Step& step, Portal0Md& record, Duration time) {
  record.deadline = step.now + time;
  step.s.timers.arm(record, record.deadline);
  send_ping(step, record);
}

bool send_ping_again(Step& step, Portal0Md& record, std::size_t needed) {
  if (needed <= record.bytes.size() || step.s.shut_down) return false;
  if (record.repeats == kPingRepeats) {
    step.s.counters.drop(DropReason::kInfoEndless);
    step.note(Note::Level::kWarning, "a peer's info grows with each ping, to {} bytes now",
              record.target.nid, needed);
    return false;
  }
  ++record.repeats;
  record.bytes.assign(needed, std::byte{});
  record.answered = false;
  send_ping(step, record);
  return true;
}

void send_push(Step& step, Portal0Md& record) {
  PutRequest put;
  put.target = record.target;
  put.portal = kReservedPortal;
  put.match_bits = kPortal0Bits;
  put.ack = AckRequest::kAck;
  put.self = record.source;
  start_put(step, bind_record(step, record, 0), put);
}

void abort_once(Step& step, MdHandle handle, int status) {
  Md* md = step.s.memory.find(handle);
  if (md != nullptr && md->state != MdState::kAborted) abort_md(step, *md, status);
}

}  // namespace ulnet::core
