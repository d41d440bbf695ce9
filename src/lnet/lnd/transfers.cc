#include "lnet/lnd/transfers.h"

#include "lnet/base/assert.h"
#include "lnet/lnd/region.h"

namespace ulnet::lnd {

namespace {

/// Reports the end of the Send to the sender. The receiver has the header, so a message that fails
/// counts as begun.
void sent(Inlet& from, core::MsgTicket tx, int status = 0,
          core::Health health = core::Health::kOk) {
  from.deliver(core::SendDone{tx, status, health, status != 0});
}

/// Reports to the receiver that the transfer has ended before the receiver's verdict came.
void gone(Inlet& to, core::MsgTicket msg) {
  to.deliver(core::PayloadLanded{msg, -ECONNRESET, core::Health::kNetworkTimeout});
}

}  // namespace

void Transfers::begin(const core::Send& send, Inlet& from, Inlet& to, core::NiId to_ni,
                      const core::Hop& sender) {
  const core::Region& payload = send.payload;
  ByteView immediate = RegionCursor(payload).front();
  const bool whole = immediate.size() == payload.length;
  if (!whole) immediate = {};
  const Handle handle = live_.next();
  const core::RxTicket rx{static_cast<std::uint64_t>(handle.generation) << 32 | handle.slot};
  if (to.deliver(core::Input(std::in_place_type<core::HeaderArrived>, to_ni, sender, &send.header,
                             rx, immediate, whole))) {
    live_.skip();
    return sent(from, send.tx);
  }
  const Handle made = live_.make(send, &from, &to, to_ni).first;
  ULNET_ASSERT(made == handle);  // deliver() must not call begin()
}

Transfers::Transfer* Transfers::find(core::RxTicket rx, Handle& handle) {
  handle = {static_cast<std::uint32_t>(rx.value), static_cast<std::uint32_t>(rx.value >> 32)};
  return live_.find(handle);
}

void Transfers::land(const core::Land& land, Inlet& to) {
  Handle handle;
  Transfer* transfer = find(land.rx, handle);
  if (transfer == nullptr) return gone(to, land.msg);
  const bool lost = transfer->lost;
  const core::MsgTicket tx = transfer->send.tx;
  Inlet& from = *transfer->from;
  if (!lost) copy_region(transfer->send.payload, land.sink);
  live_.erase(handle);
  if (lost) return;
  to.deliver(core::PayloadLanded{land.msg, 0, core::Health::kOk});
  sent(from, tx);
}

void Transfers::hold(const core::HoldPayload& hold, Inlet& to) {
  Handle handle;
  Transfer* transfer = find(hold.rx, handle);
  if (transfer == nullptr) return gone(to, hold.msg);
  ULNET_ASSERT(!transfer->held || transfer->msg == hold.msg);
  transfer->held = true;
  transfer->msg = hold.msg;
}

void Transfers::drop(const core::DropPayload& drop) {
  Handle handle;
  Transfer* transfer = find(drop.rx, handle);
  if (transfer == nullptr) return;
  const bool lost = transfer->lost;
  const core::MsgTicket tx = transfer->send.tx;
  Inlet& from = *transfer->from;
  live_.erase(handle);
  if (!lost) sent(from, tx);
}

std::optional<Transfers::Transfer> Transfers::reject(const core::Reject& reject) {
  Handle handle;
  Transfer* transfer = find(reject.rx, handle);
  if (transfer == nullptr) return std::nullopt;
  const Transfer ended = *transfer;
  live_.erase(handle);
  if (ended.lost) return std::nullopt;
  sent(*ended.from, ended.send.tx, -EPROTO, core::Health::kRemoteError);
  return ended;
}

void Transfers::fail_if(const std::function<bool(const Transfer&)>& which, int status,
                        core::Health health) {
  std::vector<Handle> victims;
  live_.for_each([&](Handle handle, const Transfer& transfer) {
    if (!transfer.lost && which(transfer)) victims.push_back(handle);
  });
  for (const Handle handle : victims) {
    Transfer* transfer = live_.find(handle);
    const Transfer ended = *transfer;
    if (ended.held) {
      transfer->lost = true;
      lost_.push_back(handle);
      ended.to->deliver(core::PayloadLanded{ended.msg, status, health});
    } else {
      live_.erase(handle);
    }
    sent(*ended.from, ended.send.tx, status, health);
  }
}

void Transfers::settled() {
  if (lost_.empty() && lost_before_.empty()) return;
  for (const Handle handle : lost_before_)
    if (live_.find(handle) != nullptr) live_.erase(handle);
  lost_before_.clear();
  lost_before_.swap(lost_);
}

}  // namespace ulnet::lnd
