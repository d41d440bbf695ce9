// What every raw loop needs: a connected TCP socket with the settings that all candidates share
// (TCP_NODELAY, the congestion control), a clock, and the process's CPU time. It has no framing
// and no protocol, since the raw loops are what the candidates are measured against.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace raw {

/// How a receiver waits: in recv() itself; as an event loop does (epoll_wait, then recv); by
/// calling recv() again and again; or by calling recv() again for kSpinSeconds and then as an event
/// loop, which is ulnet's wait=adaptive.
enum class Wait { kRecv, kEpoll, kSpin, kAdaptive };
inline constexpr double kSpinSeconds = 50e-6;  // ulnet's default spin_us

/// The parameters of one run: "key=value" words after the loop's name and role.
struct Options {
  std::string loop;    ///< bandwidth, latency, rate, exchange, checked, relay
  bool serve = false;  ///< serve or drive
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;  ///< serve: 0 picks one and prints it
  std::size_t size = 8;    ///< bytes of one message
  double seconds = 1.0;    ///< how long the timed part lasts
  /// if not 0: ends after this many messages, not after `seconds` (quick tests)
  std::uint64_t count = 0;
  int cpu = -1;               ///< pin to this CPU
  unsigned outstanding = 64;  ///< exchange: requests under way
  std::size_t request = 0;    ///< exchange: bytes of a request; 0: `size`
  std::size_t answer = 0;     ///< exchange: bytes of an answer; 0: `size`
  bool check = false;         ///< exchange: compare every byte that arrives
  std::size_t buffers = 8;    ///< bandwidth: buffers that each side uses in turn
  Wait wait = Wait::kRecv;    ///< bandwidth (its receiver), latency, exchange
  std::string congestion = "reno";
  std::size_t gather = 1;     ///< rate, exchange: messages of one send, at most
  std::string to;             ///< relay: the address that it connects to
  std::uint16_t to_port = 0;  ///< relay: the port that it connects to
  std::string to_space;       ///< relay: the file of the network namespace where `to` is
  std::size_t frame = 0;      ///< relay: passes on whole frames of this many bytes; 0: all bytes
};

[[noreturn]] inline void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

inline void tune(int fd, const Options& options) {
  const int one = 1;
  if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0) die("TCP_NODELAY");
  const std::string& name = options.congestion;
  if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name.c_str(),
                 static_cast<socklen_t>(name.size())) != 0) {
    die("TCP_CONGESTION");
  }
}

inline sockaddr_in address(const Options& options) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(options.port);
  if (inet_pton(AF_INET, options.host.c_str(), &where.sin_addr) != 1) die("host");
  return where;
}

/// Listens, and prints "ready PORT" for bench/run.
inline int listen_at(const Options& options) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (listener < 0) die("socket");
  tune(listener,
       options);  // accepted sockets inherit the congestion control from their first segment on
  const int one = 1;
  if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0) die("SO_REUSEADDR");
  sockaddr_in where = address(options);
  socklen_t length = sizeof where;
  auto* name = reinterpret_cast<sockaddr*>(&where);
  if (bind(listener, name, length) != 0 || listen(listener, 8) != 0 ||
      getsockname(listener, name, &length) != 0) {
    die("listen");
  }
  std::printf("ready %u\n", static_cast<unsigned>(ntohs(where.sin_port)));
  std::fflush(stdout);
  return listener;
}

inline int accept_from(int listener, const Options& options) {
  const int fd = accept(listener, nullptr, nullptr);
  if (fd < 0) die("accept");
  tune(fd, options);
  return fd;
}

/// Listens, and accepts one connection.
inline int accept_one(const Options& options) {
  const int listener = listen_at(options);
  const int fd = accept_from(listener, options);
  close(listener);
  return fd;
}

inline int connect_one(const Options& options) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) die("socket");
  tune(fd, options);
  sockaddr_in where = address(options);
  if (connect(fd, reinterpret_cast<sockaddr*>(&where), sizeof where) != 0) die("connect");
  return fd;
}

/// Sends all bytes; blocks. False: the peer has closed or reset the connection.
inline bool sent_all(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = send(fd, data, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) return false;
    if (n <= 0) die("send");
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}
inline void send_all(int fd, const char* data, std::size_t size) {
  if (!sent_all(fd, data, size)) die("send");
}

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// User and system time of this process so far, in seconds.
inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

inline void pin(int cpu) {
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) die("sched_setaffinity");
}

/// When the timed part ends: after `count` messages if that is set, else after `seconds`.
struct Until {
  const Options& options;
  double start = now();
  bool over(std::uint64_t done) const {
    return options.count != 0 ? done >= options.count : now() - start >= options.seconds;
  }
};

/// Prints one line of JSON: the result of one side of a run.
inline void report(std::uint64_t messages, std::uint64_t bytes, double seconds, double cpu) {
  std::printf("{\"messages\": %llu, \"bytes\": %llu, \"seconds\": %.9f, \"cpu_seconds\": %.9f}\n",
              static_cast<unsigned long long>(messages), static_cast<unsigned long long>(bytes),
              seconds, cpu);
  std::fflush(stdout);
}

int bandwidth(const Options& options);
int latency(const Options& options);
int rate(const Options& options);
int exchange(const Options& options);
int checked(const Options& options);
int relay(const Options& options);

}  // namespace raw
