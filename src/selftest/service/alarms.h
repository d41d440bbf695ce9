// Alarms: objects whose ring() is called when their time has come, from one timer wheel.
#pragma once

#include "lnet/base/timer_wheel.h"
#include "selftest/service/host.h"

namespace ulnet::svc::selftest {

class Alarm : public Timer {
 public:
  virtual ~Alarm() = default;
  virtual void ring() = 0;
};

/// An alarm that calls a member function of its owner.
template <class Owner, void (Owner::*function)()>
class AlarmOf final : public Alarm {
 public:
  explicit AlarmOf(Owner& owner) : owner_(owner) {}
  void ring() override { (owner_.*function)(); }

 private:
  Owner& owner_;
};

class Alarms {
 public:
  explicit Alarms(Host& host) : host_(host) {}

  /// Arms an alarm, or moves an armed one. An alarm whose deadline has passed rings soon, never
  /// inside this call. kNever disarms it.
  void arm(Alarm& alarm, Instant deadline) {
    wheel_.arm(alarm, deadline);
    ask();
  }
  void soon(Alarm& alarm) { arm(alarm, host_.now()); }
  /// Rings every alarm that is due. The host calls this at the time that wake_at() requested.
  void wake() {
    asked_ = kNever;
    const Instant now = host_.now();
    while (Timer* due = wheel_.pop(now)) static_cast<Alarm*>(due)->ring();
    ask();
  }

 private:
  void ask() {
    const Instant next = wheel_.next_deadline();
    if (next >= asked_) return;
    asked_ = next;
    host_.wake_at(next);
  }

  Host& host_;
  TimerWheel wheel_;
  Instant asked_ = kNever;  ///< the earliest time requested from the host
};

}  // namespace ulnet::svc::selftest
