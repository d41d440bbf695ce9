// The rate of small PUTs without ACK: at most `outstanding` of them have not had their SEND
// event.
#include "loop.h"

namespace bench {

int rate(const Options& options) {
  Side side(options);
  if (options.serve) {
    count_and_answer(side, options);
    return 0;
  }
  const ulnet::Nid peer = side.peer();
  std::vector<char> message(options.size, 'u');
  std::atomic<std::uint64_t> ended{0};
  // wakes the main thread when this many PUTs have ended
  std::atomic<std::uint64_t> wake_at{~0ULL};
  Handler sent;
  sent.on = [&](const ulnet::Event&) {
    if (ended.fetch_add(1) + 1 == wake_at.load()) side.wake();
  };
  const auto source = side.source(message, sent);
  greet(side);
  const double start = now(), cpu = cpu_seconds();
  std::uint64_t begun = 0;
  const auto over = [&] {
    return options.count != 0 ? begun >= options.count : now() - start >= options.seconds;
  };
  while (!over()) {
    const std::uint64_t free_slots = options.outstanding - (begun - ended.load());
    for (const std::uint64_t end = begun + free_slots; begun < end; ++begun)
      side.put(source, peer, kData);
    const std::uint64_t half = begun - options.outstanding / 2;
    wake_at = half;
    side.run_until([&] { return ended.load() >= half; });
  }
  wake_at = begun;
  side.run_until([&] { return ended.load() >= begun; });
  finish(side, begun);
  report(begun, begun * options.size, now() - start, cpu_seconds() - cpu);
  return 0;
}

}  // namespace bench
