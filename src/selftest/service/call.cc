#include "selftest/service/call.h"

namespace ulnet::svc::selftest {

constinit const LifeCycle<CallState, CallEvent> kCallLifeCycle({
    {CallState::kIdle, CallEvent::kBegin, CallState::kWaiting},
    {CallState::kWaiting, CallEvent::kDone, CallState::kIdle},
    {CallState::kWaiting, CallEvent::kFail, CallState::kFailing},
    {CallState::kFailing, CallEvent::kRelease, CallState::kIdle},
});

const char* to_string(CallState state) {
  constexpr const char* kNames[] = {"idle", "waiting", "failing"};
  return kNames[static_cast<std::size_t>(state)];
}

const char* to_string(CallEvent event) {
  constexpr const char* kNames[] = {"begin", "done", "fail", "release"};
  return kNames[static_cast<std::size_t>(event)];
}

void Call::begin(const ProcessId& peer, wire::LstMessage& request, const Bulk& bulk,
                 Duration timeout) {
  step(CallEvent::kBegin);
  const std::uint64_t rpyid = context_.next_id++;
  const std::uint64_t bulkid = bulk.memory.empty() ? 0 : context_.next_id++;
  request.set_ids(rpyid, bulkid);
  wire::encode_lst_message(request, request_bytes_);
  expected_ = request.body.index() + 1;
  bulk_bytes_ = bulk.memory.size();
  data_came_ = bulk.memory.empty();

  int status = context_.expect(reply_, peer, rpyid, reply_bytes_, kOpPut, *this);
  if (status == 0 && !bulk.memory.empty())
    status =
        context_.expect(bulk_, peer, bulkid, bulk.memory, bulk.offered ? kOpGet : kOpPut, *this);
  const wire::LstService service = request.service();
  const Portal portal{is_test_service(service) ? wire::kLstTestPortal : wire::kLstFrameworkPortal};
  if (status == 0)
    status = context_.put(request_, request_bytes_, peer, portal,
                          static_cast<std::uint64_t>(service), Nid::any(), *this);
  result_.status = status;
  refused_ = status != 0;
  if (refused_) ++context_.rpc.errors;  // counts it like a message whose failure LNet reports later
  refused_ ? context_.alarms.soon(*this) : context_.alarms.arm(*this, context_.deadline(timeout));
}

void Call::abort(int status) {
  if (state_ == CallState::kWaiting) fail(refused_ ? result_.status : status);
}

void Call::ring() {
  if (state_ == CallState::kFailing) {  // LNet had no descriptor of this RPC
    step(CallEvent::kRelease);
    return released();
  }
  if (!refused_) ++context_.rpc.expired;
  fail(refused_ ? result_.status : -ETIMEDOUT);
}

// LNet reports an UNLINK event for each md_unlink(). The last event of every descriptor therefore
// arrives here, and then released() is called. If no descriptor is left, the alarm calls
// released(), which must not be called inside abort().
void Call::fail(int status) {
  step(CallEvent::kFail);
  result_.status = status;
  cancel();
  for (const MdHandle md : {request_, reply_, bulk_})
    if (md) (void)context_.lnet.md_unlink(md);
  if (!holds_memory()) context_.alarms.soon(*this);
  ended(result_);
}

void Call::take_reply(const Event& event) {
  auto message = wire::decode_lst_message(ByteView(reply_bytes_).first(event.mlength));
  if (!message || message->body.index() != expected_) return fail(-EBADMSG);
  result_.message = *message;
  // A node that refuses does not touch the data (spec/wire-selftest.md 4.2).
  if (result_.message.status() != 0 && bulk_ && !data_came_) {
    data_came_ = true;
    (void)context_.lnet.md_unlink(bulk_);
  }
}

void Call::take_data(const Event& event) {
  data_came_ = true;
  if (event.mlength != bulk_bytes_) fail(-EBADMSG);
}

void Call::on_event(const Event& event) {
  context_.note(event);
  MdHandle& md = event.md == request_ ? request_ : event.md == reply_ ? reply_ : bulk_;
  ULNET_ASSERT(event.md == md);
  const bool is_request = &md == &request_, is_reply = &md == &reply_;
  if (event.unlinked) context_.ended(md);
  if (state_ == CallState::kWaiting && !refused_) {
    const bool unlinked_by_us = event.type == EventType::kUnlink && &md == &bulk_ && data_came_;
    if (event.status != 0) {
      fail(event.status);
    } else if (unlinked_by_us) {
    } else if (event.type == EventType::kUnlink) {
      fail(-ECANCELED);  // the node is stopping
    } else if (is_request) {
      ++context_.rpc.sent;
    } else if (is_reply) {
      take_reply(event);
    } else {
      take_data(event);
    }
  }
  if (holds_memory()) return;
  if (state_ == CallState::kWaiting && !refused_) {
    step(CallEvent::kDone);
    cancel();
    ended(result_);
    released();
  } else if (state_ == CallState::kFailing && !armed()) {
    step(CallEvent::kRelease);
    released();
  }
}

}  // namespace ulnet::svc::selftest
