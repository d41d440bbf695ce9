// The TCP driver keeps the order of messages from one NI to another: each connection carries them
// in the order in which the core gave them to the driver. There is no order between two
// connections, nor between two pairs of NIs, and a driver without connections (the pipe) may
// reorder messages. tcp_talk.h checks that messages arrive in the order in which they were written,
// and credit_queues.h that the core gives them to the driver in the order in which they got
// credits. Source: spec/core-semantics.md 6.6, spec/wire-socklnd.md 5.2.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/checkers/per_node.h"
#include "sim/network/ksock_stream_parser.h"
#include "sim/network/streams.h"

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
  /// A message that the driver has and has not ended.
  struct Handed {
    std::uint64_t number = 0;  ///< counts the messages of the pair
    core::MsgTicket tx;
    wire::LnetHeader header;
  };
  struct Lane {
    std::uint64_t numbers = 0;
    std::vector<Handed> handed;
  };
  struct Record {
    std::map<Pair, Lane> lanes;
    PerMessage<Lane*> sent;
  };
  /// The bytes that one side of a connection writes.
  struct Voice {
    explicit Voice(bool dialled) : parser(dialled) {}
    KsockStreamParser parser;
    std::map<Pair, std::uint64_t> last;  ///< the lowest possible number of the last message written
  };
  void said(World& world, const SimNode& node, Voice& voice);
  static std::uint64_t key(const StreamEnd& end) { return end.number << 1 | (end.dialled ? 1 : 0); }

  PerNode<Record> records_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Voice>> voices_;
};

}  // namespace ulnet::sim
