// A TCP driver ends a connection on which nothing is acknowledged any more. While bytes that it
// wrote are outstanding and the other machine acknowledges none of them, the connection exists for
// at most one and a quarter LND time-outs, whether more is written meanwhile or not. The checker
// follows virtual TCP alone. Source: spec/wire-socklnd.md 10.
#include <map>
#include <set>

#include "lnet/base/time.h"
#include "lnet/lnd/sock/engine/view.h"
#include "sim/checkers/checkers.h"
#include "sim/world/checker.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

class TcpProgress final : public Checker {
 public:
  TcpProgress() : Checker("TCP progress", kStreams) {}

  void on_written(World& world, const StreamEnd& end, const iovec*, std::size_t bytes) override {
    overdue(world);
    if (end.user == kNoNode) return;
    const Name name{end.number, end.dialled};
    End& mine = ends_[name];
    if (mine.outstanding == 0) mine.since = world.now();
    mine.outstanding += bytes;
    expect(name, mine);
  }

  void on_acknowledged(World& world, const StreamEnd& end, std::size_t bytes) override {
    const Name name{end.number, end.dialled};
    const auto found = ends_.find(name);
    if (found == ends_.end()) return;
    found->second.outstanding -= bytes;
    found->second.since = world.now();
    expect(name, found->second);
  }

  void on_over(World&, const StreamEnd& end, bool) override {
    const Name name{end.number, end.dialled};
    const auto found = ends_.find(name);
    if (found == ends_.end()) return;
    due_.erase({found->second.due, name});
    ends_.erase(found);
  }

  void on_opened(World& world, SimNode& node, const lnd::sock::ConnView& conn,
                 std::uint64_t number) override {
    const Name name{number, conn.active()};
    End& mine = ends_[name];
    mine.since = world.now();
    mine.limit = conn.peer().timeout();
    mine.node = &node;
    expect(name, mine);
  }

  /// Restarts the limits of a node's connections when it resumes: only then does its driver see the
  /// acknowledgements that came during the pause.
  void on_node(World& world, SimNode& node, NodeChange change) override {
    if (change != NodeChange::kResumed) return;
    for (auto& [name, end] : ends_) {
      if (end.node != &node) continue;
      end.since = world.now();
      expect(name, end);
    }
  }

  void check_all(World& world) override { overdue(world); }
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

  void expect(const Name& name, End& end) {
    due_.erase({end.due, name});
    const bool waits = end.outstanding != 0 && end.limit != Duration{};
    end.due = waits ? end.since + end.limit + end.limit / 4 + kSlack : kNever;
    if (waits) due_.insert({end.due, name});
  }

  void overdue(World& world) const {
    for (const auto& [due, name] : due_) {
      if (world.now() < due) return;
      const End& end = ends_.at(name);
      if (end.node->state() == SimNode::State::kPaused) continue;
      return violation(world, end.node,
                       "a connection stays open without an acknowledgement (number {})",
                       name.first);
    }
  }
  std::map<Name, End> ends_;
  std::set<std::pair<Instant, Name>> due_;
};

}  // namespace

std::unique_ptr<Checker> tcp_progress_checker() { return std::make_unique<TcpProgress>(); }

}  // namespace ulnet::sim
