#include "lnet/node/runtime/timekeeper.h"

#include <algorithm>
#include <utility>

#include "lnet/lnd/pause.h"
#include "lnet/node/runtime/clock.h"
#include "lnet/node/runtime/outer_loop.h"

namespace ulnet::node {

void Timekeeper::start(std::function<void()> due, bool own_thread, std::function<void()> begin) {
  due_ = std::move(due);
  if (!own_thread) return;
  thread_ = std::thread([this, begin = std::move(begin)] {
    if (begin) begin();
    loop();
  });
}

void Timekeeper::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  timers_ = {};
  lock.unlock();
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  } else if (due_) {
    run_taken_over();
  }
}

bool Timekeeper::take_over(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (gone_) return false;
    taken_over_.push_back(std::move(work));
  }
  arm(Instant{});
  return true;
}

void Timekeeper::run_taken_over() {
  std::unique_lock lock(mutex_);
  while (!taken_over_.empty()) {
    std::vector<std::function<void()>> taken_over;
    taken_over.swap(taken_over_);
    lock.unlock();
    for (const auto& work : taken_over) work();
    OuterLoop::current().run();
    lock.lock();
    if (!stopping_) return;  // more work may have come already, but timers come first
  }
  gone_ = stopping_;
}

bool Timekeeper::arm(Instant when) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    if (when >= armed_.load()) return true;
    armed_ = when;
  }
  changed_.notify_one();
  return true;
}

void Timekeeper::after(Instant when, std::function<void()> fn) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    timers_.push(Timer{when, sequence_++, std::move(fn)});
  }
  arm(when);
}

bool Timekeeper::poll(Instant at) {
  if (deadline() > at) return false;
  run_due(at);
  return true;
}

Instant Timekeeper::deadline() {
  const std::lock_guard lock(mutex_);
  return armed_;
}

void Timekeeper::loop() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const Instant target = armed_.load();
    const Instant at = now();
    duty_.end(at);
    if (target <= at) {
      duty_.begin(at);
      lock.unlock();
      run_due(at);
      lock.lock();
    } else if (spin_) {
      lock.unlock();
      spin_until_due();
      lock.lock();
    } else if (duty_.sleep(); target == kNever) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, to_steady(target));
    }
  }
  lock.unlock();
  run_taken_over();
}

void Timekeeper::spin_until_due() const {
  while (spin_ && !stopping_ && armed_.load() > now()) lnd::pause();
}

void Timekeeper::set_spin(bool spin) {
  {
    const std::lock_guard lock(mutex_);
    spin_ = spin;
  }
  changed_.notify_one();
}

void Timekeeper::run_due(Instant at) {
  std::vector<std::function<void()>> fns;
  {
    const std::lock_guard lock(mutex_);
    armed_ = kNever;
    while (!timers_.empty() && timers_.top().when <= at) {
      fns.push_back(timers_.top().fn);
      timers_.pop();
    }
    if (!timers_.empty()) armed_ = timers_.top().when;
  }
  due_();
  for (const auto& fn : fns) OuterLoop::current().run_as_handler(fn);
  run_taken_over();
}

}  // namespace ulnet::node
