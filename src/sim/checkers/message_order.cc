// The TCP driver keeps the order of messages from one NI to another: each connection carries them
// in the order in which the core gave them to the driver. There is no order between two
// connections, nor between two pairs of NIs, and a driver without connections (the pipe) may
// reorder messages. tcp_talk.h checks that messages arrive in the order in which they were written,
// and credit_queues.cc that the core gives them to the driver in the order in which they got
// credits. Source: spec/core-semantics.md 6.6, spec/wire-socklnd.md 5.2.
#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"
#include "sim/network/ksock_stream_parser.h"
#include "sim/network/streams.h"

namespace ulnet::sim {
namespace {

class MessageOrder final : public Checker {
 public:
  MessageOrder() : Checker("order kept", kAfterStep | kStreams) {}

  void after_step(World&, const ShardStep& step) override {
    if (step.node.engine() == nullptr) return;
    if (const auto* done = std::get_if<core::SendDone>(&step.input)) {
      Record& record = records_.of(step.node);
      if (Lane* const* lane = record.sent.find(done->tx))
        std::erase_if((*lane)->handed, [&](const Handed& each) { return each.tx == done->tx; });
      record.sent.erase(done->tx);
    }
    for (const core::Send& send : actions_of<core::Send>(step)) {
      if (send.hop.nid.is_loopback()) continue;
      Record& record = records_.of(step.node);
      Lane& lane = record.lanes[{send.header.src_nid, send.header.dest_nid}];
      lane.handed.push_back({++lane.numbers, send.tx, send.header});
      record.sent.add(send.tx, &lane);
    }
  }

  void on_written(World& world, const StreamEnd& end, const iovec* from,
                  std::size_t bytes) override {
    if (end.user == kNoNode) return;
    std::unique_ptr<Voice>& voice = voices_[key(end)];
    if (voice == nullptr) voice = std::make_unique<Voice>(end.dialled);
    for (; bytes != 0; ++from) {
      ByteView in(static_cast<const std::byte*>(from->iov_base), std::min(bytes, from->iov_len));
      bytes -= in.size();
      KsockStreamParser::Heard heard = KsockStreamParser::Heard::kMore;
      do {
        heard = voice->parser.next(in);
        if (heard == KsockStreamParser::Heard::kMessage) said(world, world.node(end.user), *voice);
      } while (heard != KsockStreamParser::Heard::kMore &&
               heard != KsockStreamParser::Heard::kNonsense);
    }
  }

  void on_over(World&, const StreamEnd& end, bool let_go) override {
    if (let_go) voices_.erase(key(end));
  }

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

  /// Finds the message that this connection wrote among those that the driver holds. Several may
  /// have the same header, and another connection may have written some of them. So the first
  /// message counts that has this header and was handed over after the last one that this
  /// connection wrote. It is a violation if all with this header are older.
  void said(World& world, const SimNode& node, Voice& voice) {
    const wire::LnetHeader& header = voice.parser.header();
    Record& record = records_.of(node);
    const Pair pair{header.src_nid, header.dest_nid};
    const auto lane = record.lanes.find(pair);
    if (lane == record.lanes.end()) return;
    std::uint64_t& last = voice.last[pair];
    bool before = false;
    for (const Handed& each : lane->second.handed) {
      if (each.header.part != header.part || each.header.payload_length != header.payload_length)
        continue;
      before = each.number <= last;
      if (before) continue;
      last = each.number;
      return;
    }
    if (before)
      violation(world, &node, "{}: a message was written after one that was handed over later",
                pair.to);
  }
  static std::uint64_t key(const StreamEnd& end) { return end.number << 1 | (end.dialled ? 1 : 0); }
  PerNode<Record> records_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Voice>> voices_;
};

}  // namespace

std::unique_ptr<Checker> message_order_checker() { return std::make_unique<MessageOrder>(); }

}  // namespace ulnet::sim
