#include "sim/load/random_load.h"

#include <algorithm>

#include "lnet/core/flow/step.h"
#include "sim/world/world.h"
#include "ulnet/event_queue.hpp"

namespace ulnet::sim {
namespace {

/// Only a few different match bits, so that many messages match many buffers.
constexpr std::uint64_t kMatchBits = 4;

using Queue = ulnet::EventQueue;  // sim::EventQueue is the world's

}  // namespace

struct RandomLoad::Lent final : EventSink {
  ~Lent() override { forget_queue(); }
  void on_event(const Event& event) override {
    free = event.unlinked;
    if (queue == nullptr) return;
    if (came++ < queue_size) first.push_back(event.type);
  }
  EventSink* sink() {
    if (queue != nullptr) return queue.get();
    return this;
  }
  void open_queue(SimNode& of, std::uint32_t events) {
    queue_size = events;
    came = 0;
    first.clear();
    queue = *Queue::create(of, queue_size, [this](const Event& event) { on_event(event); });
  }
  /// Called when the process that made the MD has ended: its queue ended with it.
  void forget_queue() {
    if (queue != nullptr && queue->in_use()) queue->md_refused();
    queue = nullptr;
  }
  /// Divides the memory into `parts` fragments, at most three.
  std::span<const iovec> fragments(std::size_t parts) {
    const std::size_t each = memory.size() / parts;
    for (std::size_t i = 0; i < parts; ++i)
      pieces[i] = {memory.data() + i * each, i + 1 == parts ? memory.size() - i * each : each};
    return {pieces.data(), parts};
  }

  std::vector<std::byte> memory;
  std::array<iovec, 3> pieces{};
  SimNode* node = nullptr;
  MdHandle md;
  bool free = false;
  std::unique_ptr<Queue> queue;  ///< null: the events come to this object
  std::uint32_t queue_size = 0;  ///< the size of the queue
  std::uint64_t came = 0;        ///< events that were to enter it
  std::vector<EventType> first;  ///< those of them that the queue could take
};

struct RandomLoad::PingEnd final : PingSink {
  void on_ping(std::uint64_t, int, const PingReply&) override {}
};

RandomLoad::RandomLoad(std::string name, const RandomLoadSetup& setup)
    : Load(std::move(name)), setup_(setup), pings_(std::make_unique<PingEnd>()) {}
RandomLoad::~RandomLoad() = default;

RandomLoad::Lent& RandomLoad::lend(SimNode& node, std::uint32_t size) {
  Lent* found = nullptr;
  for (const auto& lent : lent_)
    if (lent->free) found = lent.get();
  if (found == nullptr) found = lent_.emplace_back(std::make_unique<Lent>()).get();
  look_at_queue(*found);
  found->memory.resize(size);
  found->node = &node;
  found->free = false;
  if (setup_.unpolled) found->open_queue(node, 1 + static_cast<std::uint32_t>(rng().below(3)));
  return *found;
}

/// Checks the queue of an MD that has ended: it must have the events that came first, and must have
/// lost the others.
void RandomLoad::look_at_queue(Lent& lent) {
  if (lent.queue == nullptr) return;
  if (lent.came > lent.queue_size) ++world_->exercised().acts["load queue full"];
  std::vector<EventType> held;
  Event event;
  while (lent.queue->get(event) == Queue::Got::kEvent) held.push_back(event.type);
  if (held != lent.first || lent.queue->in_use())
    world_->violated("load", lent.node,
                     name() + ": a queue that nobody polled does not hold the first events");
  lent.forget_queue();
}

std::uint32_t RandomLoad::some_size() {
  static constexpr std::uint32_t kSizes[] = {0, 64, 300, 512, 1024, 4096, 70'000};
  return std::min(kSizes[rng().below(std::size(kSizes))], setup_.max_bytes);
}

/// Another node, by one of its NIDs.
ProcessId RandomLoad::somebody(World& world, const SimNode& node) {
  const std::size_t step = 1 + rng().below(world.size() - 1);
  const SimNode& other = world.node((node.number() + step) % world.size());
  return other.id(rng().below(other.setup().nis.size()));
}

ProcessId RandomLoad::own_or_other(World& world, const SimNode& node) {
  return rng().below(20) == 0 ? ProcessId{Nid::loopback(), Pid::lustre()} : somebody(world, node);
}

void RandomLoad::post(World& world, SimNode& node) {
  const std::uint64_t kind = rng().below(3);
  const bool is_ring = kind == 2;
  const Portal portal = kind == 0 ? plain() : kind == 1 ? lazy() : ring();
  // Entries on a lazy portal often name a NID. Waiting messages then fit when the shard learns the
  // NIDs of their peer.
  const bool named = kind == 1 ? rng().below(3) != 0 : rng().below(8) == 0;
  const ProcessId from = named ? own_or_other(world, node) : ProcessId{};
  const MatchBits bits{rng().below(kMatchBits)};
  const MatchBits ignore{rng().below(kind == 1 ? 2 : 4) == 0 ? kMatchBits - 1 : 0};
  // On a lazy portal half of the entries go to the caller's shard, so that messages that arrive on
  // other shards match there.
  const auto position = kind == 1 && rng().below(2) == 0
                            ? InsertPosition::kLocal
                            : static_cast<InsertPosition>(rng().below(3));
  const auto me = node.me_attach(portal, from, bits, ignore, UnlinkMode::kUnlink, position);
  if (!me) return;
  const std::uint32_t most = std::min<std::uint32_t>(512, setup_.max_bytes);
  Lent& lent = lend(node, is_ring ? 4 * most + 100 : some_size());
  MdSpec spec;
  spec.fragments = lent.fragments(1 + rng().below(3));
  spec.options = is_ring ? kOpPut | kMaxSize : kOpPut | kOpGet;
  if (is_ring) spec.max_size = most;
  if (!is_ring && rng().below(2) == 0) spec.options |= kTruncate;
  if (!is_ring && rng().below(3) == 0) spec.options |= kManageRemote;
  if (rng().below(6) == 0) spec.options |= kAckDisable;
  spec.threshold = is_ring ? kThresholdInfinite : 1 + static_cast<int>(rng().below(3));
  spec.sink = lent.sink();
  const auto md = node.md_attach(*me, spec, UnlinkMode::kUnlink);
  if (md) lent.md = *md;
  if (!md) lent.free = true;
}

/// Binds an MD for a PUT or a GET; false when the node refuses.
bool RandomLoad::bind(SimNode& node, Lent& lent, std::size_t fragments, std::int32_t threshold) {
  MdSpec spec;
  spec.fragments = lent.fragments(fragments);
  spec.threshold = threshold;
  spec.sink = lent.sink();
  const auto md = node.md_bind(spec, UnlinkMode::kUnlink);
  lent.free = !md;
  if (md) lent.md = *md;
  return md.has_value();
}

void RandomLoad::put(World& world, SimNode& node) {
  Lent& lent = lend(node, some_size());
  PutRequest request;
  request.ack = rng().below(2) == 0 ? AckRequest::kAck : AckRequest::kNoAck;
  if (!bind(node, lent, 1 + rng().below(3), request.ack == AckRequest::kAck ? 2 : 1)) return;
  request.md = lent.md;
  request.target = own_or_other(world, node);
  request.portal = {setup_.first_portal + static_cast<std::uint32_t>(rng().below(3))};
  request.match_bits = {rng().below(kMatchBits)};
  request.hdr_data = begun_;
  if (rng().below(8) == 0) request.offset = 200;
  if (!node.put(request)) (void)node.md_unlink(lent.md);
}

void RandomLoad::get(World& world, SimNode& node) {
  Lent& lent = lend(node, some_size());
  if (!bind(node, lent, 1 + rng().below(3), 2)) return;
  GetRequest request;
  request.md = lent.md;
  request.target = own_or_other(world, node);
  request.portal = rng().below(2) == 0 ? plain() : lazy();
  request.match_bits = {rng().below(kMatchBits)};
  if (!node.get(request)) (void)node.md_unlink(lent.md);
}

void RandomLoad::unlink(SimNode& node) {
  std::vector<Lent*> mine;
  for (const auto& lent : lent_)
    if (!lent->free && lent->node == &node) mine.push_back(lent.get());
  if (!mine.empty()) (void)node.md_unlink(mine[rng().below(mine.size())]->md);
}

void RandomLoad::ping(World& world, SimNode& node) {
  PingRequest request;
  request.target = own_or_other(world, node);
  (void)node.start_ping(request, *pings_);
}

/// Sends a push, as a node does that has discovered another one.
void RandomLoad::push(World& world, SimNode& node) {
  const std::vector<std::byte> info = core::encode(node.shard_state()->portal0.info);
  Lent& lent = lend(node, static_cast<std::uint32_t>(info.size()));
  std::ranges::copy(info, lent.memory.begin());
  if (!bind(node, lent, 1, 2)) return;
  PutRequest request;
  request.md = lent.md;
  request.target = somebody(world, node);
  request.portal = core::kReservedPortal;
  request.match_bits = {wire::kPingMatchBits};
  if (!node.put(request)) (void)node.md_unlink(lent.md);
}

void RandomLoad::open_portals(SimNode& node) { (void)node.set_lazy_portal(lazy()); }

void RandomLoad::call(World& world, SimNode& node) {
  const std::uint64_t what = rng().below(100);
  if (what < 32) {
    post(world, node);
  } else if (what < 68) {
    put(world, node);
  } else if (what < 84) {
    get(world, node);
  } else if (what < 95) {
    unlink(node);
  } else if (what < 99) {
    rng().below(3) == 0 ? push(world, node) : ping(world, node);
  } else {
    (void)node.clear_lazy_portal(lazy());
    open_portals(node);
  }
}

void RandomLoad::begin(World& world) {
  world_ = &world;
  acts_ = &world.exercised().acts["load random"];
  for (SimNode& node : world.nodes())
    if (node.up()) open_portals(node);
  act_in(world, {});
}

void RandomLoad::act(World& world) {
  if (ending_ || done() || world.size() < 2) return;
  ++begun_;
  SimNode& node = world.node(rng().below(world.size()));
  if (node.up() && !node.setup().nis.empty()) {
    ++*acts_;
    call(world, node);
  }
  act_in(world, up_to(rng(), setup_.think));
}

void RandomLoad::node_changed(World&, SimNode& node, NodeChange change) {
  // kConfigured comes within a step, where no call may be made, so the call is made later. A node
  // that was paused when the load ended clears its lazy portal when it resumes.
  if ((change == NodeChange::kConfigured || change == NodeChange::kResumed) && node.up())
    node.after({}, [this, &node] {
      ending_ ? static_cast<void>(node.clear_lazy_portal(lazy())) : open_portals(node);
    });
  if (change != NodeChange::kCrashed && change != NodeChange::kStopped) return;
  for (const auto& lent : lent_)
    if (lent->node == &node) lent->forget_queue(), lent->free = true;
}

void RandomLoad::wind_down(World& world) {
  ending_ = true;
  // Messages that wait on the lazy portal would wait for ever: the load posts no buffer any more.
  for (SimNode& node : world.nodes())
    if (node.up()) (void)node.clear_lazy_portal(lazy());
}

void RandomLoad::take_back(World&) {
  for (std::size_t i = 0; i < lent_.size(); i += 2)
    if (Lent& lent = *lent_[i]; !lent.free && lent.node->up()) (void)lent.node->md_unlink(lent.md);
}

}  // namespace ulnet::sim
