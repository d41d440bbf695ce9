// A TCP driver ends a connection on which nothing is acknowledged any more. While bytes that it
// wrote are outstanding and the other machine acknowledges none of them, the connection exists for
// at most one and a quarter LND time-outs, whether more is written meanwhile or not. The checker
// follows virtual TCP alone. Source: spec/wire-socklnd.md 10.
#pragma once

#include <map>
#include <set>

#include "lnet/base/time.h"
#include "sim/world/checker.h"

namespace ulnet::sim {

class TcpProgress final : public Checker {
 public:
  TcpProgress() : Checker("TCP progress", kStreams) {}
  void on_written(World& world, const StreamEnd& end, const iovec* from,
                  std::size_t bytes) override;
  void on_acknowledged(World& world, const StreamEnd& end, std::size_t bytes) override;
  void on_over(World& world, const StreamEnd& end, bool let_go) override;
  void on_opened(World& world, SimNode& node, const lnd::sock::ConnView& conn,
                 std::uint64_t number) override;
  void on_node(World& world, SimNode& node, NodeChange change) override;
  void check_all(World& world) override;

  /// The longest time by which timers are late.
  static constexpr Duration kSlack = std::chrono::milliseconds(100);

 private:
  /// An end of a connection: the connection's number, and whether this end dialled.
  using Name = std::pair<std::uint64_t, bool>;
  struct End {
    std::uint64_t outstanding = 0;  ///< bytes written and not acknowledged
    /// When it last became nonzero, some of it was acknowledged, or the node resumed.
    Instant since{};
    Duration limit{};  ///< LND time-out; 0: the connection is not open yet
    const SimNode* node = nullptr;
    Instant due = kNever;
  };

  void expect(const Name& name, End& end);
  void overdue(World& world) const;

  std::map<Name, End> ends_;
  std::set<std::pair<Instant, Name>> due_;
};

}  // namespace ulnet::sim
