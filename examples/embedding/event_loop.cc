// LNet beside other descriptors in one loop of poll(): a timer sends a message every millisecond,
// and the event queue's descriptor says when events wait. The program needs no thread of its own.
#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ulnet/event_queue.hpp>
#include <ulnet/node.hpp>

namespace {

constexpr ulnet::Portal kPortal{9};
constexpr int kMessages = 20;

/// The value of a result, or the end of the program.
template <class T>
T need(const char* what, ulnet::Result<T>&& result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s: %s\n", what, result.error().reason.c_str());
  std::exit(1);
}

struct Counts {
  int acknowledged = 0, received = 0, unlinked = 0;
};

/// Fetches what waits. The descriptor can be read until nothing is left, so this may also stop
/// earlier and let the loop call it again.
void take_events(ulnet::EventQueue& queue, Counts& counts) {
  for (ulnet::Event event; queue.get(event) != ulnet::EventQueue::Got::kNothing;) {
    if (event.type == ulnet::EventType::kAck) ++counts.acknowledged;
    if (event.type == ulnet::EventType::kPut) ++counts.received;
    if (event.unlinked) ++counts.unlinked;
  }
}

}  // namespace

int main() {
  ulnet::NodeOptions options;
  options.networks = "tcp(127.0.77.6)";
  options.params = {{"accept", "trust"}, {"accept_port", "11988"}};
  const auto node = need("node", ulnet::Node::start(options));
  const ulnet::ProcessId self = need("id", node->get_id(1, true));
  const auto queue = need("queue", ulnet::EventQueue::create(*node, 64));

  std::array<std::byte, 64> inbox{}, outbox{};
  const iovec in{inbox.data(), inbox.size()}, out{outbox.data(), outbox.size()};
  const auto me = need("entry", node->me_attach(kPortal, {}, {1}, {}, ulnet::UnlinkMode::kUnlink,
                                                ulnet::InsertPosition::kAfter));
  const auto target =
      need("target", node->md_attach(me,
                                     {.fragments = {&in, 1},
                                      .options = ulnet::kOpPut | ulnet::kManageRemote,
                                      .sink = queue.get()},
                                     ulnet::UnlinkMode::kRetain));
  const auto source = need("source", node->md_bind({.fragments = {&out, 1}, .sink = queue.get()},
                                                   ulnet::UnlinkMode::kRetain));

  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  const itimerspec every_millisecond{{0, 1'000'000}, {0, 1'000'000}};
  timerfd_settime(timer, 0, &every_millisecond, nullptr);

  std::array<pollfd, 2> watched{
      {{need("descriptor", queue->descriptor()), POLLIN, 0}, {timer, POLLIN, 0}}};
  Counts counts;
  int sent = 0;
  bool unlinking = false;
  while (counts.unlinked < 2) {
    if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return 1;
    if ((watched[0].revents & POLLIN) != 0) take_events(*queue, counts);
    std::uint64_t ticks = 0;
    if ((watched[1].revents & POLLIN) != 0 && read(timer, &ticks, sizeof ticks) > 0 &&
        sent < kMessages) {
      const ulnet::PutRequest put{.md = source,
                                  .target = self,
                                  .portal = kPortal,
                                  .match_bits = {1},
                                  .ack = ulnet::AckRequest::kAck};
      if (const auto begun = node->put(put); !begun) return 1;
      ++sent;
    }
    if (counts.acknowledged == kMessages && counts.received == kMessages && !unlinking) {
      unlinking = true;  // the queue may be destroyed when both descriptors have ended
      (void)node->md_unlink(source);
      (void)node->md_unlink(target);
    }
  }
  close(timer);
  std::printf("%d sent, %d received, %d acknowledged, in one loop of poll()\n", sent,
              counts.received, counts.acknowledged);
  return 0;
}
