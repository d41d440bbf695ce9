// Two loops for bench/run. A node that waits until its standard input ends shows the memory that an
// idle node needs. A node that pings a number of times shows how many instructions a ping takes.
#include <unistd.h>

#include <cstdio>

#include "loop.h"

namespace bench {

int idle(const Options& options) {
  Side side(options);
  ready();
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  return 0;
}

int ping(const Options& options) {
  Side side(options);
  ulnet::PingRequest request;
  request.target = {side.peer(), ulnet::Pid::lustre()};
  request.timeout = std::chrono::seconds(30);
  const double start = now();
  for (std::uint64_t i = 0; i < options.count; ++i) {
    const auto reply = side.node().ping(request);
    if (reply) continue;
    std::fprintf(stderr, "ping: %d %s\n", reply.error().code, reply.error().reason.c_str());
    return 1;
  }
  report(options.count, 0, now() - start, 0);
  return 0;
}

}  // namespace bench
