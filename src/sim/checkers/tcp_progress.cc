#include "sim/checkers/tcp_progress.h"

#include "lnet/lnd/sock/engine/view.h"
#include "sim/world/world.h"

namespace ulnet::sim {

void TcpProgress::expect(const Name& name, End& end) {
  due_.erase({end.due, name});
  const bool waits = end.outstanding != 0 && end.limit != Duration{};
  end.due = waits ? end.since + end.limit + end.limit / 4 + kSlack : kNever;
  if (waits) due_.insert({end.due, name});
}

void TcpProgress::overdue(World& world) const {
  for (const auto& [due, name] : due_) {
    if (world.now() < due) return;
    const End& end = ends_.at(name);
    if (end.node->state() == SimNode::State::kPaused) continue;
    return violation(world, end.node,
                     "a connection stays open without an acknowledgement (number " +
                         std::to_string(name.first) + ")");
  }
}

void TcpProgress::on_written(World& world, const StreamEnd& end, const iovec*, std::size_t bytes) {
  overdue(world);
  if (end.user == kNoNode) return;
  const Name name{end.number, end.dialled};
  End& mine = ends_[name];
  if (mine.outstanding == 0) mine.since = world.now();
  mine.outstanding += bytes;
  expect(name, mine);
}

void TcpProgress::on_acknowledged(World& world, const StreamEnd& end, std::size_t bytes) {
  const Name name{end.number, end.dialled};
  const auto found = ends_.find(name);
  if (found == ends_.end()) return;
  found->second.outstanding -= bytes;
  found->second.since = world.now();
  expect(name, found->second);
}

void TcpProgress::on_over(World&, const StreamEnd& end, bool) {
  const Name name{end.number, end.dialled};
  const auto found = ends_.find(name);
  if (found == ends_.end()) return;
  due_.erase({found->second.due, name});
  ends_.erase(found);
}

void TcpProgress::on_opened(World& world, SimNode& node, const lnd::sock::ConnView& conn,
                            std::uint64_t number) {
  const Name name{number, conn.active()};
  End& mine = ends_[name];
  mine.since = world.now();
  mine.limit = conn.peer().timeout();
  mine.node = &node;
  expect(name, mine);
}

/// Restarts the limits of a node's connections when it resumes: only then does its driver see the
/// acknowledgements that came during the pause.
void TcpProgress::on_node(World& world, SimNode& node, NodeChange change) {
  if (change != NodeChange::kResumed) return;
  for (auto& [name, end] : ends_) {
    if (end.node != &node) continue;
    end.since = world.now();
    expect(name, end);
  }
}

void TcpProgress::check_all(World& world) { overdue(world); }

}  // namespace ulnet::sim
