// What TCP drivers write to each other on virtual TCP, checked from the bytes alone and not from
// what the drivers count:
// - A node writes nothing malformed.
// - Every message is accounted for. No more messages are written than drivers were given; a message
//   that its driver reports as sent was written; messages arrive on the connection on which they
//   were written, in that order, once; and no message stays unread on a correct connection. The
//   content of a connection when it ended is lost.
// - A zero-copy request is acknowledged once, not before its message was read to its end, and not
//   too late: when a driver has nothing left to write, it owes no ACK for a message that it has
//   read.
//
// The checker also counts late ACKs: they were due when they were written, and when they are read
// the asker has closed the connection of the request, and with it dropped the cookie. Source:
// spec/wire-socklnd.md 6, 7; spec/core-semantics.md 18.12.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/checkers/per_node.h"
#include "sim/network/ksock_stream_parser.h"
#include "sim/network/streams.h"

namespace ulnet::sim {

class TcpTalk final : public Checker {
 public:
  TcpTalk() : Checker("TCP messages correct", kAfterStep | kStreams) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_written(World& world, const StreamEnd& end, const iovec* from,
                  std::size_t bytes) override;
  void on_read(World& world, const StreamEnd& end, std::size_t bytes) override;
  void on_over(World& world, const StreamEnd& end, bool let_go) override;
  void on_opened(World& world, SimNode& node, const lnd::sock::ConnView& conn,
                 std::uint64_t number) override;
  void check_all(World& world) override;
  void at_end(World& world) override;

  /// ACKs that the node has read and that were too late, each on a connection of its own.
  std::uint64_t late_acks(const SimNode& node) const;
  /// Messages that had been written to an end and had not arrived when it closed its connection.
  /// Their bytes may have been read, behind the hello of a connection that the end does not keep
  /// (spec/wire-socklnd.md 9).
  std::uint64_t lost_messages() const { return lost_messages_; }

 private:
  struct Side {
    explicit Side(bool dialled) : parser(dialled) {}
    KsockStreamParser parser;
    std::uint32_t user = kNoNode;
    std::uint32_t incarnation = 0;      ///< SimNode::starts() of that node
    std::deque<wire::LnetHeader> said;  ///< messages written that have not arrived
    std::uint64_t read = 0;             ///< bytes read of what the other side wrote
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
    std::uint32_t incarnation =
        0;                  ///< incarnation of the asker, which numbers its cookies anew in each
    std::uint64_t end = 0;  ///< end of its message, in bytes written by its side
    /// The asker has closed the connection. The other side, which does not know that yet, may still
    /// read the message and acknowledge it on another connection.
    bool left = false;
  };
  /// An ACK that was written and not read yet.
  struct Acked {
    std::uint64_t request = 0, ack = 0;  ///< numbers of the connections
    bool request_by_dialler = false, ack_by_dialler = false;
    std::uint64_t end = 0;  ///< of its frame, in bytes written by the side that acknowledges
    bool late = false;      ///< the asker has closed the connection of the request
  };
  struct Between {
    Address asker, answerer;
    auto operator<=>(const Between&) const = default;
  };
  struct Record {
    PerMessage<std::uint64_t> talks;  ///< by the driver's connection: number of the Talk
    PerMessage<bool> sends;
    std::uint64_t said = 0;  ///< messages written
    std::uint64_t sent = 0;  ///< messages that the driver reported as sent
  };

  Talk* find(std::uint64_t number);
  void said_message(World& world, Talk& talk, const StreamEnd& end);
  void acknowledges(World& world, Talk& talk, const StreamEnd& end);
  void ack_is_read(const StreamEnd& end, const Talk& talk);
  void ack_is_over(const StreamEnd& end);
  void arrived(World& world, const ShardStep& step, const core::HeaderArrived& in);
  bool read_to_its_end(const Asked& asked);
  void look_for_forgotten(World& world, const Between& between, const Asked& asked);

  PerNode<Record> records_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Talk>> talks_;  ///< by connection number
  std::map<Between, std::vector<Asked>> asked_;
  std::vector<Acked> acked_;
  std::map<std::uint32_t, std::uint64_t> late_acks_;  ///< by node
  std::uint64_t said_ = 0;                            ///< messages written by nodes
  std::uint64_t lost_messages_ = 0;
};

}  // namespace ulnet::sim
