#include "selftest/service/served.h"

namespace ulnet::svc::selftest {
constinit const LifeCycle<ServedState, ServedEvent> kServedLifeCycle = [] {
  using S = ServedState;
  using E = ServedEvent;
  return LifeCycle<ServedState, ServedEvent>({
      {S::kFree, E::kTake, S::kServing},
      {S::kServing, E::kMove, S::kMoving},
      {S::kMoving, E::kOver, S::kServing},
      {S::kServing, E::kEnd, S::kEnding},
      {S::kEnding, E::kOver, S::kFree},
  });
}();

const char* to_string(ServedState state) {
  constexpr const char* kNames[] = {"free", "serving", "moving", "ending"};
  return kNames[static_cast<std::size_t>(state)];
}

const char* to_string(ServedEvent event) {
  constexpr const char* kNames[] = {"take", "move", "end", "over"};
  return kNames[static_cast<std::size_t>(event)];
}

void Served::take(const Arrived& request) {
  step(ServedEvent::kTake);
  request_ = request;
}

void Served::send(std::uint64_t bulkid, ByteSpan data) {
  step(ServedEvent::kMove);
  to_come_ = 0;
  begun(context_.put(md_, data, request_.from, {wire::kLstReplyPortal}, bulkid, request_.self,
                     *this));
}

void Served::fetch(std::uint64_t bulkid, ByteSpan data, Duration patience) {
  step(ServedEvent::kMove);
  to_come_ = data.size();
  begun(context_.get(md_, data, request_.from, bulkid, request_.self, *this));
  if (md_) context_.alarms.arm(*this, context_.host.now() + patience);
}

void Served::reply(const wire::LstMessage& message) {
  step(ServedEvent::kEnd);
  to_come_ = 0;
  wire::encode_lst_message(message, reply_);
  begun(context_.put(md_, reply_, request_.from, {wire::kLstReplyPortal}, request_.message.rpyid(),
                     request_.self, *this));
}

void Served::drop() {
  step(ServedEvent::kEnd);
  ++context_.rpc.dropped;
  begun(0);
}

void Served::abort() {
  if (!md_) return;
  status_ = status_ != 0 ? status_ : -EINTR;
  (void)context_.lnet.md_unlink(md_);
}

void Served::begun(int status) {
  status_ = status;
  if (!md_) context_.alarms.soon(*this);
}

void Served::ring() {
  if (!md_) return over();
  status_ = -ETIMEDOUT;
  (void)context_.lnet.md_unlink(md_);
}

void Served::on_event(const Event& event) {
  context_.note(event);
  if (event.status != 0 || event.type == EventType::kUnlink)
    status_ = status_ != 0 ? status_ : event.status != 0 ? event.status : -ECANCELED;
  if (event.type == EventType::kReply && event.status == 0)
    to_come_ -= std::min<std::size_t>(to_come_, event.mlength);
  if (event.unlinked) {
    context_.ended(md_);
    return over();
  }
  if (event.status != 0) (void)context_.lnet.md_unlink(md_);  // no REPLY will come
}

void Served::over() {
  const bool moved = state_ == ServedState::kMoving;
  step(ServedEvent::kOver);
  cancel();
  if (!moved) return owner_.freed(*this);
  owner_.moved(*this, status_ != 0 ? status_ : to_come_ != 0 ? -EIO : 0);
}

Served* ServedPool::take(const Arrived& request, std::size_t limit) {
  if (busy() >= limit) return nullptr;
  if (free_.empty()) {
    all_.push_back(std::make_unique<Served>(context_, owner_));
    free_.push_back(all_.back().get());
  }
  Served* served = free_.back();
  free_.pop_back();
  served->take(request);
  return served;
}

void ServedPool::abort_all() {
  for (const auto& served : all_) served->abort();
}

std::uint32_t judge_test_request(const wire::LstMessage& request) {
  const bool known =
      request.version == wire::kLstVersion && (request.features & ~wire::kLstFeatures) == 0;
  return known ? 0 : EPROTO;
}

wire::LstMessage test_reply(const wire::LstMessage& request, wire::LstBody body) {
  wire::LstMessage reply;
  if ((request.features & ~wire::kLstFeatures) == 0) reply.features = request.features;
  reply.body = std::move(body);
  return reply;
}

}  // namespace ulnet::svc::selftest
