// A server's request ring. Big buffers take small requests one behind the other. A buffer unlinks
// itself when it has no room for another request, and is attached again when the handlers of all
// its requests have returned.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <ulnet/handles.hpp>
#include <ulnet/node.hpp>
#include <vector>

namespace {

constexpr ulnet::Portal kRequests{30};
constexpr std::uint32_t kRequestMax = 512;
constexpr unsigned kTotal = 5000;

/// One buffer of the ring. Its event with `unlinked` is its last: no handler of it runs any more,
/// so it may be attached again.
class RingBuffer : public ulnet::EventSink {
 public:
  void enter(ulnet::Lnet& lnet) {
    lnet_ = &lnet;
    const auto me = lnet.me_attach(kRequests, {}, {}, {~0ULL}, ulnet::UnlinkMode::kUnlink,
                                   ulnet::InsertPosition::kAfter);
    if (!me) return complain(me.error());
    const iovec memory{bytes_.data(), bytes_.size()};
    ulnet::MdSpec spec;
    spec.fragments = {&memory, 1};
    spec.max_size = kRequestMax;
    spec.options = ulnet::kOpPut | ulnet::kMaxSize;
    spec.sink = this;
    const auto md = lnet.md_attach(*me, spec, ulnet::UnlinkMode::kUnlink);
    if (!md) complain(md.error());
  }
  void on_event(const ulnet::Event& event) override {
    if (event.type == ulnet::EventType::kPut && event.status == 0) {
      sum += std::to_integer<unsigned>(bytes_[event.offset]);
      ++served;
    }
    if (event.unlinked && !closing) {
      ++entered_again;
      enter(*lnet_);
    }
  }
  static inline std::atomic<unsigned> served = 0, sum = 0, entered_again = 0;
  static inline std::atomic<bool> closing = false;

 private:
  static void complain(const ulnet::Error& error) {
    std::fprintf(stderr, "ring: %s\n", error.reason.c_str());
  }

  ulnet::Lnet* lnet_ = nullptr;
  std::array<std::byte, 16 * kRequestMax> bytes_;
};

std::unique_ptr<ulnet::Node> start(const char* networks) {
  ulnet::NodeOptions options;
  options.networks = networks;
  options.params = {{"accept", "trust"}, {"accept_port", "11988"}};
  auto node = ulnet::Node::start(options);
  if (node) return std::move(*node);
  std::fprintf(stderr, "%s: %s\n", networks, node.error().reason.c_str());
  std::exit(1);
}

}  // namespace

int main() {
  std::array<RingBuffer, 4> ring;
  const auto server = start("tcp(127.0.77.3)");
  const auto client = start("tcp(127.0.77.4)");
  (void)server->set_lazy_portal(kRequests);  // so a request that finds no buffer waits
  for (RingBuffer& buffer : ring) buffer.enter(*server);

  std::array<std::byte, 100> request{};
  request[0] = std::byte{3};
  std::atomic<unsigned> sent = 0;
  auto source = ulnet::MemoryDescriptor::bind(*client, request, {}, [&](const ulnet::Event& event) {
    if (event.type == ulnet::EventType::kSend) ++sent;
  });
  if (!source) return 1;
  const ulnet::ProcessId target{*ulnet::Nid::parse("127.0.77.3@tcp"), ulnet::Pid::lustre()};
  for (unsigned i = 0; i < kTotal; ++i)
    if (!client->put(
            {.md = source->handle(), .target = target, .portal = kRequests, .match_bits = {i}}))
      return 1;
  while (RingBuffer::served != kTotal) std::this_thread::yield();

  std::printf("%u requests served; buffers were entered again %u times\n",
              RingBuffer::served.load(), RingBuffer::entered_again.load());
  RingBuffer::closing = true;
  server->stop(std::chrono::seconds(1));
  return RingBuffer::sum == 3 * kTotal && RingBuffer::entered_again > 0 ? 0 : 1;
}
