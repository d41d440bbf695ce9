#include "mixed_load.h"

#include "sim/world.h"

namespace ulnet::sim {
namespace {

constexpr Portal kPlain{5}, kLazy{6}, kRing{7};
constexpr std::uint32_t kRingMax = 512;

}  // namespace

struct MixedLoad::Lent final : EventSink {
  void on_event(const Event& event) override { free = event.unlinked; }

  std::vector<std::byte> memory;
  SimNode* node = nullptr;
  MdHandle md;
  bool free = false;
};

struct MixedLoad::PingEnd final : PingSink {
  void on_ping(std::uint64_t, int, const PingReply&) override {}
};

MixedLoad::MixedLoad() : Actor("mixed load") {}
MixedLoad::~MixedLoad() = default;

MixedLoad::Lent& MixedLoad::lend(SimNode& node, std::size_t size) {
  Lent* found = nullptr;
  for (const auto& lent : lent_)
    if (lent->free) found = lent.get();
  if (found == nullptr) found = lent_.emplace_back(std::make_unique<Lent>()).get();
  found->memory.resize(size);
  found->node = &node;
  found->free = false;
  return *found;
}

std::size_t MixedLoad::some_size() {
  static constexpr std::size_t kSizes[] = {0, 64, 300, 512, 1024, 4096};
  return kSizes[rng().below(std::size(kSizes))];
}

ProcessId MixedLoad::somebody(World& world, SimNode& node) {
  if (rng().below(20) == 0) return {Nid::loopback(), Pid::lustre()};
  SimNode& other = world.node(rng().below(world.size()));
  return other.number() == node.number() ? world.node((node.number() + 1) % world.size()).id()
                                         : other.id();
}

void MixedLoad::post(World& world, SimNode& node) {
  const std::uint64_t kind = rng().below(3);
  const Portal portal = kind == 0 ? kPlain : kind == 1 ? kLazy : kRing;
  const bool for_one = rng().below(8) == 0;
  const ProcessId from = for_one ? somebody(world, node) : ProcessId{};
  const auto me = node.me_attach(portal, from, {rng().below(4)}, {rng().below(4) == 0 ? 3U : 0U},
                                 UnlinkMode::kUnlink, InsertPosition::kLocal);
  if (!me) return;
  Lent& lent = lend(node, portal == kRing ? 4 * kRingMax + 100 : some_size());
  const iovec memory{lent.memory.data(), lent.memory.size()};
  MdSpec spec;
  spec.fragments = {&memory, 1};
  spec.options = portal == kRing ? kOpPut | kMaxSize : kOpPut | kOpGet;
  if (portal == kRing) spec.max_size = kRingMax;
  if (portal != kRing && rng().below(2) == 0) spec.options |= kTruncate;
  if (portal != kRing && rng().below(3) == 0) spec.options |= kManageRemote;
  if (rng().below(6) == 0) spec.options |= kAckDisable;
  spec.threshold = portal == kRing ? kThresholdInfinite : 1 + static_cast<int>(rng().below(3));
  spec.sink = &lent;
  const auto md = node.md_attach(*me, spec, UnlinkMode::kUnlink);
  lent.free = !md;
  if (md) lent.md = *md;
}

void MixedLoad::put(World& world, SimNode& node) {
  Lent& lent = lend(node, some_size());
  const iovec memory{lent.memory.data(), lent.memory.size()};
  PutRequest request;
  request.ack = rng().below(2) == 0 ? AckRequest::kAck : AckRequest::kNoAck;
  MdSpec spec;
  spec.fragments = {&memory, 1};
  spec.threshold = request.ack == AckRequest::kAck ? 2 : 1;
  spec.sink = &lent;
  const auto md = node.md_bind(spec, UnlinkMode::kUnlink);
  lent.free = !md;
  if (!md) return;
  lent.md = request.md = *md;
  request.target = somebody(world, node);
  request.portal = {5 + static_cast<std::uint32_t>(rng().below(3))};
  request.match_bits = {rng().below(4)};
  if (rng().below(8) == 0) request.offset = 200;
  if (!node.put(request)) (void)node.md_unlink(*md);
}

void MixedLoad::get(World& world, SimNode& node) {
  Lent& lent = lend(node, some_size());
  const iovec memory{lent.memory.data(), lent.memory.size()};
  MdSpec spec;
  spec.fragments = {&memory, 1};
  spec.threshold = 2;
  spec.sink = &lent;
  const auto md = node.md_bind(spec, UnlinkMode::kUnlink);
  lent.free = !md;
  if (!md) return;
  lent.md = *md;
  GetRequest request;
  request.md = *md;
  request.target = somebody(world, node);
  request.portal = {5 + static_cast<std::uint32_t>(rng().below(2))};
  request.match_bits = {rng().below(4)};
  if (!node.get(request)) (void)node.md_unlink(*md);
}

void MixedLoad::unlink(SimNode& node) {
  std::vector<Lent*> mine;
  for (const auto& lent : lent_)
    if (!lent->free && lent->node == &node) mine.push_back(lent.get());
  if (!mine.empty()) (void)node.md_unlink(mine[rng().below(mine.size())]->md);
}

void MixedLoad::ping(World& world, SimNode& node) {
  if (pings_ == nullptr) pings_ = std::make_unique<PingEnd>();
  PingRequest request;
  request.target = somebody(world, node);
  (void)node.start_ping(request, *pings_);
}

void MixedLoad::open_portals(SimNode& node) { (void)node.set_lazy_portal(kLazy); }

void MixedLoad::act(World& world) {
  if (ending_) return;
  SimNode& node = world.node(rng().below(world.size()));
  if (node.up()) {
    ++operations_;
    const std::uint64_t what = rng().below(100);
    if (what < 30) {
      post(world, node);
    } else if (what < 70) {
      put(world, node);
    } else if (what < 88) {
      get(world, node);
    } else if (what < 97) {
      unlink(node);
    } else if (what < 99) {
      ping(world, node);
    } else {
      (void)node.clear_lazy_portal(kLazy);
      open_portals(node);
    }
  }
  act_in(world, Duration(static_cast<std::int64_t>(rng().below(200'000))));
}

void MixedLoad::node_changed(World&, SimNode& node, NodeChange change) {
  // Within the step that configures it: no place for a call.
  if (change == NodeChange::kConfigured && node.up() && !ending_)
    node.after({}, [this, &node] {
      if (!ending_) open_portals(node);
    });
  if (change != NodeChange::kCrashed) return;
  for (const auto& lent : lent_)
    if (lent->node == &node) lent->free = true;
}

void MixedLoad::wind_down(World& world) {
  ending_ = true;
  for (std::size_t i = 0; i < world.size(); ++i)
    if (world.node(i).up()) (void)world.node(i).clear_lazy_portal(kLazy);
}

}  // namespace ulnet::sim
