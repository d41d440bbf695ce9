// A TCP driver ends a connection on which nothing is acknowledged any more: while what it wrote is
// outstanding and the other side acknowledges none of it, the connection lives for the LND time-out
// and a quarter at most, whatever else is written meanwhile. Judged by what is heard on virtual
// TCP. Source: spec/wire-socklnd.md 10.
#pragma once

#include <map>
#include <set>

#include "base/time.h"
#include "sim/checker.h"

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

  /// Timers are this coarse at most.
  static constexpr Duration kSlack = std::chrono::milliseconds(100);

 private:
  /// One end of a connection: its number, and whether it dialled.
  using Name = std::pair<std::uint64_t, bool>;
  struct End {
    std::uint64_t outstanding = 0;  ///< bytes written and not acknowledged
    Instant since{};                ///< it began to be, some was acknowledged, or its node went on
    Duration limit{};               ///< 0: not open yet
    const SimNode* node = nullptr;
    Instant due = kNever;
  };

  void expect(const Name& name, End& end);
  void overdue(World& world) const;

  std::map<Name, End> ends_;
  std::set<std::pair<Instant, Name>> due_;
};

}  // namespace ulnet::sim
