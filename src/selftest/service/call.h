// One RPC at its requester. It begins when buffers are posted for its answers, and ends with the
// last event of its last descriptor. A Call is used for one RPC after the other. Source:
// spec/wire-selftest.md 1.2, 1.3.
#pragma once

#include "lnet/base/life_cycle.h"
#include "selftest/service/context.h"
#include "selftest/service/rpc.h"

namespace ulnet::svc::selftest {

/// kFailing: ended() was called, but LNet still has the RPC's memory.
enum class CallState : std::uint8_t { kIdle, kWaiting, kFailing, kCount };
/// kDone: everything that the RPC waits for has come.
enum class CallEvent : std::uint8_t { kBegin, kDone, kFail, kRelease, kCount };
extern const LifeCycle<CallState, CallEvent> kCallLifeCycle;
const char* to_string(CallState state);
const char* to_string(CallEvent event);

class Call : private EventSink, private Alarm {
 public:
  explicit Call(Context& context) : context_(context) {}
  /// Destroy it only while idle, or when the node has died and no event can come any more.
  ~Call() override = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool idle() const { return state_ == CallState::kIdle; }
  /// Data that go with the RPC: memory that the peer reads (`offered`) or into which it writes.
  /// LNet uses the memory until released().
  struct Bulk {
    ByteSpan memory;
    bool offered = false;
  };
  /// Sends `request` and chooses its ids. The Call must be idle. Never calls ended() or released()
  /// inside this call.
  void begin(const ProcessId& peer, wire::LstMessage& request, const Bulk& bulk, Duration timeout);
  /// Ends the RPC with this status and calls ended() before it returns. If begin() was refused,
  /// ended() gets that error instead. Does nothing if ended() was called before or no RPC is under
  /// way.
  void abort(int status);

 protected:
  /// Reports how the RPC ended, as soon as that is known. Called once for each begin().
  virtual void ended(const RpcReply& reply) = 0;
  /// Reports that LNet has no memory of the RPC any more. The Call is idle: it can begin again or
  /// be destroyed.
  virtual void released() = 0;

 private:
  void on_event(const Event& event) override;
  void ring() override;
  void take_reply(const Event& event);
  void take_data(const Event& event);
  void fail(int status);
  void step(CallEvent event) { state_ = kCallLifeCycle.after(state_, event); }
  bool holds_memory() const { return request_ || reply_ || bulk_; }

  Context& context_;
  CallState state_ = CallState::kIdle;
  bool refused_ = false;      ///< begin() failed: the alarm reports it
  bool data_came_ = false;    ///< all data have come, or the RPC has no data
  std::size_t expected_ = 0;  ///< the type of the reply, as an index of LstBody
  std::size_t bulk_bytes_ = 0;
  MdHandle request_, reply_, bulk_;
  RpcReply result_;
  MessageBytes request_bytes_, reply_bytes_;
};

}  // namespace ulnet::svc::selftest
