// One RPC at its requester: from the buffers posted for its answers to the last event of its last
// descriptor. The object is used for one RPC after the other. Source: spec/wire-selftest.md 1.2,
// 1.3.
#pragma once

#include "core/life_cycle.h"
#include "svc/selftest/rpc.h"
#include "svc/selftest/shop.h"

namespace ulnet::svc::selftest {

/// kFailing: how it ended is told, LNet still has its memory.
enum class CallState : std::uint8_t { kIdle, kWaiting, kFailing, kCount };
/// kDone: all that it waited for has come.
enum class CallEvent : std::uint8_t { kBegin, kDone, kFail, kRelease, kCount };
extern const core::LifeCycle<CallState, CallEvent> kCallLife;
const char* to_string(CallState state);
const char* to_string(CallEvent event);

class Call : private EventSink, private Alarm {
 public:
  explicit Call(Shop& shop) : shop_(shop) {}
  /// Idle, or its node has died and no event comes any more.
  ~Call() override = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool idle() const { return state_ == CallState::kIdle; }
  /// Data that goes with it: the peer reads it, or it is what the peer writes. Stays in use until
  /// released().
  struct Bulk {
    ByteSpan memory;
    bool offered = false;
  };
  /// Sends `request`, whose ids are chosen here. Idle before; nothing is told from inside.
  void begin(const ProcessId& peer, wire::LstMessage& request, const Bulk& bulk, Duration timeout);
  /// ended() with this status, unless it has been told: maybe inside this call.
  void abort(int status);

 protected:
  /// How it ended, once for each begin(): as soon as it is known.
  virtual void ended(const RpcReply& reply) = 0;
  /// LNet has nothing of it any more and it is idle; it may begin again or be destroyed.
  virtual void released() = 0;

 private:
  void on_event(const Event& event) override;
  void ring() override;
  void take_reply(const Event& event);
  void take_data(const Event& event);
  void fail(int status);
  void step(CallEvent event) { state_ = kCallLife.after(state_, event); }
  bool holds_memory() const { return request_ || reply_ || bulk_; }

  Shop& shop_;
  CallState state_ = CallState::kIdle;
  bool refused_ = false;      ///< begin() could not begin: told by the alarm
  bool data_came_ = false;    ///< all of it, when there is any
  std::size_t expected_ = 0;  ///< the kind of the reply, as LstBody counts
  std::size_t bulk_bytes_ = 0;
  MdHandle request_, reply_, bulk_;
  RpcReply result_;
  MessageBytes request_bytes_, reply_bytes_;
};

}  // namespace ulnet::svc::selftest
