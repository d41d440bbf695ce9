// The TCP driver keeps the order of messages: of those from one NI to another, each connection says
// them in the order in which the core handed them over. More is not promised: nothing between two
// connections of a pair, nor between two NIs, and a driver of messages without connections (the
// pipe) may swap them. That what was said arrives in that order is seen by tcp_talk.h, that the
// core hands them over in the order in which they were launched by credit_queues.h. Source:
// spec/core-semantics.md 6.6, spec/wire-socklnd.md 5.2.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/checkers/books.h"
#include "sim/speech.h"
#include "sim/streams.h"

namespace ulnet::sim {

class MessageOrder final : public Checker {
 public:
  MessageOrder() : Checker("order kept", kAfterStep | kStreams) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_written(World& world, const StreamEnd& end, const iovec* from,
                  std::size_t bytes) override;
  void on_over(World& world, const StreamEnd& end, bool let_go) override;

 private:
  struct Pair {
    Nid from, to;
    auto operator<=>(const Pair&) const = default;
  };
  /// What the driver has in its hands.
  struct Handed {
    std::uint64_t number = 0;  ///< in the order of the pair
    core::MsgTicket tx;
    wire::LnetHeader header;
  };
  struct Lane {
    std::uint64_t numbers = 0;
    std::vector<Handed> handed;
  };
  struct Book {
    std::map<Pair, Lane> lanes;
    Notes<Lane*> sent;
  };
  /// What one side of a connection says.
  struct Voice {
    explicit Voice(bool dialled) : speech(dialled) {}
    Speech speech;
    std::map<Pair, std::uint64_t> last;  ///< the number of what was said last, at least
  };
  void said(World& world, const SimNode& node, Voice& voice);
  static std::uint64_t key(const StreamEnd& end) { return end.number << 1 | (end.dialled ? 1 : 0); }

  Books<Book> books_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Voice>> voices_;
};

}  // namespace ulnet::sim
