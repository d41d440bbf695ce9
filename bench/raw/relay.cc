// The raw relay: it connects each accepted connection to `to`:`to_port`, and passes data on in both
// directions. Each direction of a connection has a thread, which reads the available data, at most
// `size` bytes, and writes them before it reads more. With `frame` the thread that reads from the
// connecting side writes whole frames of that size only. When one side closes or resets its
// connection, the relay ends the connection to the other side too. The relay runs until it is ended
// from outside.
#include <fcntl.h>

#include <thread>
#include <vector>

#include "receiver.h"

namespace raw {
namespace {

void pass(int from, int to, const Options& options, std::size_t frame) {
  std::vector<char> block(options.size);
  Receiver receiver(from, options.wait);
  for (std::size_t have = 0;;) {
    const ssize_t more = receiver.some_or_reset(block.data() + have, block.size() - have);
    if (more <= 0) break;
    have += static_cast<std::size_t>(more);
    const std::size_t rest = frame == 0 ? 0 : have % frame;
    if (!sent_all(to, block.data(), have - rest)) break;
    std::memmove(block.data(), block.data() + have - rest, rest);
    have = rest;
  }
  shutdown(to, SHUT_WR);
  shutdown(from, SHUT_RD);
}

/// From now on this thread's sockets belong to this network namespace.
void enter(const std::string& space) {
  const int fd = open(space.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 || setns(fd, CLONE_NEWNET) != 0) die("to_space");
  close(fd);
}

}  // namespace

int relay(const Options& options) {
  const int listener = listen_at(options);
  Options onward = options;
  onward.host = options.to;
  onward.port = options.to_port;
  if (!options.to_space.empty()) enter(options.to_space);
  for (;;) {
    const int near = accept_from(listener, options);
    const int far = connect_one(onward);
    std::thread(pass, near, far, std::cref(options), options.frame).detach();
    std::thread(pass, far, near, std::cref(options), 0).detach();
  }
}

}  // namespace raw
