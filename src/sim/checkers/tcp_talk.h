// What TCP drivers say to each other, listened to on the wire and judged by that alone, whatever
// they count themselves:
//  - a node speaks no nonsense;
//  - every message is accounted for: no more are said than drivers were handed, one that its driver
//    calls sent was said, what arrives was said on that connection, in that order, once, and
//    nothing that was said stays unread on a sound connection. What was in a connection when it
//    ended is lost;
//  - a zero-copy request is acknowledged once, not before its message was read to its end, and not
//    never: where nothing waits to be written, nothing that was read is owed an ACK.
// Source: spec/wire-socklnd.md 6, 7; spec/core-semantics.md 18.12.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/checkers/books.h"
#include "sim/speech.h"
#include "sim/streams.h"

namespace ulnet::sim {

class TcpTalk final : public Checker {
 public:
  TcpTalk() : Checker("TCP talk sound", kAfterStep | kStreams) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_written(World& world, const StreamEnd& end, const iovec* from,
                  std::size_t bytes) override;
  void on_read(World& world, const StreamEnd& end, std::size_t bytes) override;
  void on_over(World& world, const StreamEnd& end, bool let_go) override;
  void on_opened(World& world, SimNode& node, const lnd::sock::ConnView& conn,
                 std::uint64_t number) override;
  void check_all(World& world) override;
  void at_end(World& world) override;

 private:
  struct Side {
    explicit Side(bool dialled) : speech(dialled) {}
    Speech speech;
    std::uint32_t user = kNoNode;
    std::deque<wire::LnetHeader> said;  ///< messages that did not arrive yet
    std::uint64_t read = 0;             ///< bytes of what the other says
    bool broken = false, gone = false;
  };
  /// A connection; the side that dialled comes first.
  struct Talk {
    std::array<Side, 2> sides{Side(true), Side(false)};
    Side& of(const StreamEnd& end) { return sides[end.dialled ? 0 : 1]; }
    Side& other(const StreamEnd& end) { return sides[end.dialled ? 1 : 0]; }
  };
  /// A zero-copy request that was not acknowledged yet.
  struct Asked {
    std::uint64_t cookie = 0;
    std::uint64_t number = 0;  ///< of the connection
    bool by_dialler = false;
    std::uint64_t end = 0;  ///< where its message ends, in what its side says
  };
  struct Between {
    Address asker, answerer;
    auto operator<=>(const Between&) const = default;
  };
  struct Book {
    Notes<std::uint64_t> talks;  ///< by connection of the driver's
    Notes<bool> sends;
    std::uint64_t said = 0;  ///< messages
    std::uint64_t sent = 0;  ///< ... as its driver says
  };

  Talk* find(std::uint64_t number);
  void said_message(World& world, Talk& talk, const StreamEnd& end);
  void acknowledges(World& world, Talk& talk, const StreamEnd& end);
  void arrived(World& world, const ShardStep& step, const core::HeaderArrived& in);
  bool read_to_its_end(const Asked& asked);
  void look_for_forgotten(World& world, const Between& between, const Asked& asked);

  Books<Book> books_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Talk>> talks_;  ///< by number
  std::map<Between, std::vector<Asked>> asked_;
  std::uint64_t said_ = 0;  ///< messages, by nodes
};

}  // namespace ulnet::sim
