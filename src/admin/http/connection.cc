#include "admin/http/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "admin/http/limits.h"

namespace ulnet::http {

namespace {

using Clock = std::chrono::steady_clock;

/// Returns the milliseconds from now to `until`, for poll(), rounded up; 0 when `until` has passed.
int poll_time(Clock::time_point until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

}  // namespace

Connection::Connection(int descriptor, const Workers& workers, const Times& times)
    : descriptor_(descriptor), workers_(workers), times_(times) {}

Connection::~Connection() { ::close(descriptor_); }

bool Connection::wait_for_request() {
  const auto idle_since = Clock::now();
  if (begin_ == end_ && !wait_for_bytes(idle_since, times_.idle)) return false;
  request_since_ = Clock::now();
  return true;
}

/// Waits until the socket is readable. Returns false when `timeout` is over, or when the workers
/// are stopping. While other connections wait for a thread, kCrowdedTime replaces `timeout`.
bool Connection::wait_for_bytes(Clock::time_point since, std::chrono::milliseconds timeout) {
  for (;;) {
    if (workers_.stopping()) return false;
    const bool crowded = workers_.crowded();
    const auto until = since + (crowded ? limits::kCrowdedTime : timeout);
    // While the workers are crowded, crowded_descriptor() stays readable. It is not polled then:
    // only the socket, the stop and the clock count.
    pollfd polled[3] = {{descriptor_, POLLIN, 0},
                        {workers_.stopping_descriptor(), POLLIN, 0},
                        {workers_.crowded_descriptor(), POLLIN, 0}};
    const int ready = ::poll(polled, crowded ? 2 : 3, poll_time(until));
    if (ready < 0 && errno != EINTR) return false;
    if (ready > 0 && polled[0].revents != 0) return true;
    if (Clock::now() >= until) return false;
  }
}

/// Waits until the socket takes bytes. Returns false when the waits of this answer have taken
/// Times::write together, or when the workers are stopping.
bool Connection::wait_writable() {
  const auto since = Clock::now();
  pollfd polled[2] = {{descriptor_, POLLOUT, 0}, {workers_.stopping_descriptor(), POLLIN, 0}};
  const int ready = ::poll(polled, 2, poll_time(since + times_.write - waited_));
  waited_ += Clock::now() - since;
  return (ready < 0 && errno == EINTR) || (ready > 0 && polled[0].revents != 0);
}

bool Connection::fill() {
  while (!failed_) {
    const auto got = ::recv(descriptor_, buffer_, sizeof buffer_, MSG_DONTWAIT);
    if (got == 0) return false;
    // Check this also if bytes did come: a client may send one byte at a time for ever.
    const bool late = Clock::now() - request_since_ >= limits::kReadTime;
    if (got > 0 && !late) {
      begin_ = 0;
      end_ = static_cast<std::size_t>(got);
      return true;
    }
    if (got < 0 && errno == EINTR) continue;
    const bool empty = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    timed_out_ = late || (empty && !wait_for_bytes(request_since_, limits::kReadTime));
    failed_ = timed_out_ || !empty;
  }
  return false;
}

std::ptrdiff_t Connection::read(char* to, std::size_t size) {
  if (allowance_ == 0) {
    exceeded_ = true;
    return 0;
  }
  if (begin_ == end_ && !fill()) return failed_ ? -1 : 0;
  const std::size_t count = std::min({size, end_ - begin_, allowance_});
  std::memcpy(to, buffer_ + begin_, count);
  begin_ += count;
  allowance_ -= count;
  return static_cast<std::ptrdiff_t>(count);
}

bool Connection::write(const char* from, std::size_t size) {
  if (out_.size() + size <= limits::kSendBytes) {
    out_.append(from, size);
    return !failed_;
  }
  const bool sent = send(out_) && send({from, size});
  out_.clear();
  return sent;
}

bool Connection::flush() {
  const bool sent = send(out_);
  out_.clear();
  waited_ = {};
  return sent;
}

bool Connection::send(std::string_view bytes) {
  while (!bytes.empty() && !failed_) {
    const auto count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (errno == EAGAIN || errno == EWOULDBLOCK)
      failed_ = timed_out_ = !wait_writable();
    else if (errno != EINTR)
      failed_ = true;
  }
  return !failed_;
}

}  // namespace ulnet::http
