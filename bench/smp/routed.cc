// The cost of a router: PUTs between two nodes of different nets, with routers in a row between
// them.
#include "end.h"

namespace bench::smp {
namespace {

/// The nets 0 to `routers`; router i joins i and i + 1. The first node is on net 0, the last one on
/// net `routers`.
class Row {
 public:
  explicit Row(std::uint32_t routers) {
    pipes_.push_back(std::make_unique<PipeWorld>());
    for (std::uint32_t node = 0; node < routers + 2; ++node) {
      std::vector<Nid> nids;
      if (node > 0) nids.push_back(on_left(node));
      if (node < routers + 1) nids.push_back(on_right(node));
      nodes_.push_back(std::make_unique<End>(nids, node + 1, pipes_, 1, false));
    }
    // A node would mark a router down that is not configured yet, so the routers come first.
    for (std::uint32_t node = 0; node < routers + 2; ++node)
      nodes_[node]->configure([&](core::NodeConfig& config) {
        config.routing.on = config.routing.at_once = node > 0 && node < routers + 1;
        config.routes = routes(node, routers);
      });
  }
  /// Waits until no thread has anything to do at any node. Timers run on a thread of their own, and
  /// a thread that finds a shard busy leaves its work to the thread that runs the shard.
  void wait_until_idle() {
    for (const auto& node : nodes_) node->hosts().wait_until_idle();
  }
  End& first() { return *nodes_.front(); }
  End& last() { return *nodes_.back(); }
  Nid last_nid() const { return on_left(static_cast<std::uint32_t>(nodes_.size()) - 1); }

 private:
  static Nid on_left(std::uint32_t node) { return address(2 * node, node - 1); }
  static Nid on_right(std::uint32_t node) { return address(2 * node + 1, node); }
  /// Routes to all nets that this node is not on, through the neighbour that is nearer.
  static std::shared_ptr<const core::RouteList> routes(std::uint32_t node, std::uint32_t routers) {
    auto list = std::make_shared<core::RouteList>();
    for (std::uint32_t net = 0; net <= routers; ++net) {
      if (net == node || net + 1 == node) continue;
      const Nid gateway = net > node ? on_left(node + 1) : on_right(node - 1);
      const auto added = list->add({{NetType::kTcp, static_cast<std::uint16_t>(net)}, gateway}, 0);
      if (!added) die(added.error().reason);
    }
    return list;
  }

  Pipes pipes_;
  std::vector<std::unique_ptr<End>> nodes_;
};

}  // namespace

int routed(std::uint64_t count, std::uint32_t routers, std::uint32_t size) {
  Row row(routers);
  std::vector<std::byte> source(size), sink(size);
  Counter sent, got;
  PutRequest put;
  put.md = row.first().bind(source, sent);
  put.target = {row.last_nid(), Pid::lustre()};
  put.portal = kPortal;
  put.match_bits = {1};
  put.ack = AckRequest::kNoAck;
  row.last().receive({1}, sink, got);
  row.wait_until_idle();
  for (std::uint64_t i = 0; i < count; ++i) {
    core::ApiCall api{core::call::Put{put}};
    row.first().hosts().call(api);
    node::OuterLoop::current().run();
  }
  while (got.seen + got.bad < count && sent.bad == 0) row.wait_until_idle();
  if (got.seen != count || got.bad != 0 || sent.seen != count || sent.bad != 0)
    die(std::to_string(sent.seen) + " sent, " + std::to_string(sent.bad) + " not; " +
        std::to_string(got.seen) + " of " + std::to_string(count) + " arrived");
  std::printf("puts %llu\n", static_cast<unsigned long long>(count));
  return 0;
}

}  // namespace bench::smp
