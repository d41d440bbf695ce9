#include "admin/http/workers.h"

#include <unistd.h>

#include <exception>
#include <thread>

#include "admin/http/limits.h"
#include "lnet/base/assert.h"

namespace ulnet::http {

Workers::~Workers() { ULNET_ASSERT(threads_ == 0); }

bool Workers::has_capacity() const {
  const std::scoped_lock lock(mutex_);
  return !stopping_ && waiting_.size() < limits::kWaiting;
}

bool Workers::submit(int connection) {
  const std::scoped_lock lock(mutex_);
  if (stopping_ || waiting_.size() >= limits::kWaiting) return false;
  waiting_.push_back(connection);
  if (idle_ >= waiting_.size()) {
    changed_.notify_one();
    return true;
  }
  if (threads_ < threads_max_) {
    try {
      std::thread([this] { run(); }).detach();  // stop() waits until threads_ is 0
      ++threads_;
      return true;
    } catch (const std::exception&) {
      // The system has no thread or no memory for another thread. The running threads will take the
      // connection. If no thread runs, the connection is refused.
      if (threads_ == 0) {
        waiting_.pop_back();
        return false;
      }
    }
  }
  crowded_flag_.raise();
  return true;
}

void Workers::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (waiting_.empty() && !stopping_) {
      ++idle_;
      changed_.wait_for(lock, limits::kThreadIdleTime,
                        [&] { return stopping_ || !waiting_.empty(); });
      --idle_;
    }
    if (waiting_.empty()) break;  // idle for too long, or stopping
    const int connection = waiting_.front();
    waiting_.pop_front();
    if (waiting_.empty()) crowded_flag_.lower();
    lock.unlock();
    serve_(connection);
    lock.lock();
  }
  --threads_;
  changed_.notify_all();
}

bool Workers::stopping() const {
  const std::scoped_lock lock(mutex_);
  return stopping_;
}

bool Workers::crowded() const {
  const std::scoped_lock lock(mutex_);
  return !waiting_.empty();
}

void Workers::stop() {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  stopping_flag_.raise();
  for (const int connection : waiting_) ::close(connection);
  waiting_.clear();
  crowded_flag_.lower();
  changed_.notify_all();
  changed_.wait(lock, [&] { return threads_ == 0; });
}

}  // namespace ulnet::http
