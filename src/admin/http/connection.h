// One client's socket with deadlines. Every request must arrive, and the client must take every
// answer, within a time limit, however slowly the bytes move.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "admin/http/workers.h"

namespace ulnet::http {

struct Times {
  /// How long a connection may be idle between requests.
  std::chrono::milliseconds idle{60'000};
  /// How long a client may take to accept an answer, or each part of it that is flushed.
  std::chrono::milliseconds write{30'000};
};

/// Used by one thread. Owns the descriptor.
class Connection {
 public:
  Connection(int descriptor, const Workers& workers, const Times& times);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int descriptor() const { return descriptor_; }

  /// Waits until a request begins. Returns false if the client has closed or was idle for too long,
  /// or if the workers are stopping or short of threads.
  bool wait_for_request();
  /// Reads at least one byte and at most `size`, and never more than allow() permits for this
  /// request. Returns 0 if the stream has ended or the request is too large, -1 after an error or
  /// when the request is too late.
  std::ptrdiff_t read(char* to, std::size_t size);
  /// Sets how many more bytes this request may have.
  void allow(std::size_t bytes) { allowance_ = bytes; }
  /// Collects bytes of an answer, and sends them when limits::kSendBytes have accumulated. Returns
  /// false when the client did not take them in time, or has gone.
  bool write(const char* from, std::size_t size);
  /// Sends the bytes that write() has collected. Returns false as write() does.
  bool flush();

  bool timed_out() const { return timed_out_; }
  bool exceeded() const { return exceeded_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool fill();
  bool wait_for_bytes(Clock::time_point since, std::chrono::milliseconds timeout);
  bool wait_writable();
  bool send(std::string_view bytes);

  const int descriptor_;
  const Workers& workers_;
  const Times times_;
  char buffer_[16 << 10];
  std::size_t begin_ = 0, end_ = 0;
  std::size_t allowance_ = 0;
  Clock::time_point request_since_{};
  Clock::duration waited_{};  ///< time spent waiting for the client to take this answer
  std::string out_;
  bool timed_out_ = false;
  bool exceeded_ = false;
  bool failed_ = false;
};

}  // namespace ulnet::http
