// PUT bandwidth with `outstanding` PUTs under way: when one ends (at its ACK, or at its SEND), the
// next one is sent. Both sides use `buffers` buffers in turn.
#include "loop.h"

namespace bench {
namespace {

class Sender {
 public:
  Sender(Side& side, const Options& options)
      : side_(side),
        options_(options),
        peer_(side.peer()),
        memory_(options.buffers, std::vector<char>(options.size, 'u')) {
    for (unsigned slot = 0; slot < options.outstanding; ++slot) {
      handlers_.emplace_back().on = [this, slot](const ulnet::Event& event) { free(slot, event); };
      sources_.push_back(side.source(memory_[slot % options.buffers], handlers_.back()));
    }
  }
  void start() {
    start_ = now();
    busy_ = options_.outstanding;
    for (unsigned slot = 0; slot < options_.outstanding; ++slot) send(slot);
  }
  bool ended() const { return busy_ == 0; }
  std::uint64_t sent() const { return sent_; }

 private:
  void send(unsigned slot) {
    sent_.fetch_add(1, std::memory_order_relaxed);
    const std::size_t offset = slot % options_.buffers * options_.size;
    side_.put(sources_[slot], peer_, kData, static_cast<std::uint32_t>(offset), options_.ack);
  }
  void free(unsigned slot, const ulnet::Event& event) {
    if (event.type != (options_.ack ? ulnet::EventType::kAck : ulnet::EventType::kSend)) return;
    const bool over =
        options_.count != 0 ? sent_ >= options_.count : now() - start_ >= options_.seconds;
    if (!over) return send(slot);
    if (--busy_ == 0) side_.wake();
  }

  Side& side_;
  const Options& options_;
  const ulnet::Nid peer_;
  std::vector<std::vector<char>> memory_;
  std::deque<Handler> handlers_;
  std::vector<ulnet::MdHandle> sources_;
  double start_ = 0;
  std::atomic<std::uint64_t> sent_{0};  // handlers of different MDs may overlap
  std::atomic<unsigned> busy_{0};
};

}  // namespace

int bandwidth(const Options& options) {
  Side side(options);
  if (options.serve) {
    count_and_answer(side, options);
    return 0;
  }
  greet(side);
  Sender sender(side, options);
  const double start = now(), cpu = cpu_seconds();
  sender.start();
  side.run_until([&] { return sender.ended(); });
  finish(side, sender.sent());
  const double seconds = now() - start;
  report(sender.sent(), sender.sent() * options.size, seconds, cpu_seconds() - cpu);
  return 0;
}

}  // namespace bench
