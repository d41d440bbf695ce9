// PUT ping-pong without ACKs: the handler of each arriving PUT sends one back.
#include "loop.h"

namespace bench {
namespace {

constexpr std::uint64_t kWarmUp = 200;
constexpr std::uint64_t kBatch = 100;

int serve(const Options& options) {
  Side side(options);
  std::vector<char> in(options.size), out(options.size, 'u'), note(8);
  Handler arrived, sent, finish;
  sent.on = [](const ulnet::Event&) {};
  const auto source = side.source(out, sent);
  std::uint64_t messages = 0;
  double start = now(), cpu = cpu_seconds();
  arrived.on = [&](const ulnet::Event& event) {
    ++messages;
    side.put(source, event.source, kData);
  };
  std::atomic<bool> over{false};
  finish.on = [&](const ulnet::Event& event) {
    if (event.hdr_data == 0) return;
    over = true;
    side.wake();
  };
  side.receive(kData, in, arrived);
  side.receive(kFinish, note, finish);
  ready();
  side.run_until([&] { return over.load(); });
  report(messages, messages * options.size, now() - start, cpu_seconds() - cpu);
  side.node().stop(std::chrono::seconds(1));
  return 0;
}

int drive(const Options& options) {
  Side side(options);
  const ulnet::Nid peer = side.peer();
  std::vector<char> in(options.size), out(options.size, 'u'), note(8);
  Handler arrived, sent, noted;
  sent.on = [](const ulnet::Event&) {};
  std::atomic<bool> note_sent{false};
  noted.on = [&](const ulnet::Event&) {
    note_sent = true;
    side.wake();
  };
  std::uint64_t done = 0, warm_up = options.count != 0 ? 1 : kWarmUp;
  double start = 0, cpu = 0, seconds = 0;
  std::atomic<bool> over{false};
  const auto source = side.source(out, sent);
  arrived.on = [&](const ulnet::Event&) {
    if (warm_up > 0) {
      if (--warm_up == 0) start = now(), cpu = cpu_seconds();
    } else if (++done % kBatch == 0 || options.count != 0) {
      seconds = now() - start;
      over = options.count != 0 ? done >= options.count : seconds >= options.seconds;
      if (over) return side.wake();
    }
    side.put(source, peer, kData);
  };
  side.receive(kData, in, arrived);
  greet(side);
  side.put(source, peer, kData);
  side.run_until([&] { return over.load(); });
  report(done, done * options.size, seconds, cpu_seconds() - cpu);
  side.put(side.source(note, noted), peer, kFinish, 0, false, 1);
  side.run_until([&] { return note_sent.load(); });
  side.node().stop(std::chrono::seconds(1));
  return 0;
}

}  // namespace

int latency(const Options& options) { return options.serve ? serve(options) : drive(options); }

}  // namespace bench
