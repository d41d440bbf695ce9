#include "sim/loads.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"
#include "sim/world.h"

namespace ulnet::sim {
namespace {

constexpr std::array kWords = {"put", "put-ack", "put-once", "put-lazy", "get", "get-once"};
static_assert(kWords.size() == kLoadOps);

constexpr std::uint64_t kOnceBit = 1ULL << 63;  ///< of match bits: of an MD of its own
constexpr std::uint32_t kMostBytes = 1 << 20;
constexpr std::uint32_t kSourceBytes = 2 * kMostBytes;
constexpr Duration kTryAgain = std::chrono::milliseconds(10);

/// Contents: a stretch of this, at a place that follows from a key.
const std::byte* pattern(std::uint64_t key) {
  constexpr std::size_t kShifts = kMostBytes;
  static const std::vector<std::uint64_t> words = [] {
    std::vector<std::uint64_t> made((kShifts + kSourceBytes) / 8);
    Rng rng(1);
    for (std::uint64_t& word : made) word = rng.next();
    return made;
  }();
  const std::uint64_t shift = (key * 0x9e3779b97f4a7c15ULL >> 20) % kShifts;
  return reinterpret_cast<const std::byte*>(words.data()) + shift;
}

/// So that what was there before is not taken for what should come.
void blot(std::byte* memory, std::uint32_t bytes) {
  std::memset(memory, 0xee, std::min<std::uint32_t>(bytes, 64));
  if (bytes > 64) std::memset(memory + bytes - 64, 0xee, 64);
}

}  // namespace

const char* to_string(LoadOp op) { return kWords[static_cast<std::size_t>(op)]; }

// ---- what is posted at a node -------------------------------------------------------------------

/// Takes PUTs one behind the other, until it is full; then it is posted again.
struct VerifiedLoad::Ring final : EventSink, private sim::Task {
  Ring(VerifiedLoad& home, SimNode& at, std::uint32_t index, bool is_lazy)
      : load(home), node(at), portal{index}, lazy(is_lazy), bytes(2 * home.setup_.max_bytes + 1) {}

  void post();
  /// Its node's life is over.
  void forget() { md = last = {}; }
  void take_back() {
    if (md) (void)node.md_unlink(md);
  }
  void on_event(const Event& event) override;
  void run() override {
    if (!md) post();
  }

  VerifiedLoad& load;
  SimNode& node;
  const Portal portal;
  const bool lazy;
  const std::uint32_t bytes;
  Memory memory;
  MdHandle md;    ///< posted now
  MdHandle last;  ///< that unlinked itself
};

void VerifiedLoad::Ring::post() {
  if (load.withdrawn_ || !node.up()) return;
  if (memory == nullptr) memory = load.take(bytes);
  const auto me =
      node.me_attach(portal, {}, {}, {kOnceBit - 1}, UnlinkMode::kUnlink, InsertPosition::kAfter);
  if (!me) return;
  const iovec fragment{memory.get(), bytes};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.options = kOpPut | kMaxSize;
  spec.max_size = load.setup_.max_bytes;
  spec.sink = this;
  // What waited on a lazy portal may have filled it before this returns.
  const auto posted = node.md_attach(*me, spec, UnlinkMode::kUnlink);
  if (posted && *posted != last) md = *posted;
}

void VerifiedLoad::Ring::on_event(const Event& event) {
  if (event.type == EventType::kPut && event.status == 0) {
    ++load.counts_.arrived;
    const std::uint64_t key = event.hdr_data;
    if (key >= load.arrived_.size()) return load.wrong(node, "a PUT that nobody sent");
    if (event.mlength != event.rlength || event.match_bits.value != key)
      load.wrong(node, "a PUT was cut or came under wrong match bits");
    if (std::memcmp(memory.get() + event.offset, pattern(key), event.mlength) != 0)
      load.wrong(node, "a PUT has wrong contents");
    const SimNode* from = load.world_->find(event.source);
    const bool streams = node.setup().edge == EdgeKind::kSock && from != nullptr &&
                         from->setup().edge == EdgeKind::kSock;
    if (load.arrived_[key] && streams) load.wrong(node, "a PUT came twice");
    load.arrived_[key] = true;
    blot(memory.get() + event.offset, event.mlength);
  }
  if (!event.unlinked) return;
  md = {};
  last = event.md;
  if (lazy) return load.world_->queue().in(load.draw(load.setup_.lazy_pause), *this);
  post();
}

/// Stays, for GETs.
struct VerifiedLoad::Source final : EventSink {
  Source(VerifiedLoad& home, SimNode& at, std::uint32_t index)
      : load(home), node(at), portal{index} {}

  /// Where GETs of this node find it in the pattern.
  std::uint64_t key() const { return ~std::uint64_t{node.number()}; }
  void post();
  void forget() { md = {}; }
  void take_back() {
    if (md) (void)node.md_unlink(md);
  }
  void on_event(const Event& event) override {
    if (event.type == EventType::kGet && event.status == 0 && event.mlength != event.rlength)
      load.wrong(node, "a GET was cut");
    if (event.unlinked) md = {};
  }

  VerifiedLoad& load;
  SimNode& node;
  const Portal portal;
  Memory memory;
  MdHandle md;
};

void VerifiedLoad::Source::post() {
  if (load.withdrawn_ || !node.up()) return;
  if (memory == nullptr) {
    memory = load.take(load.setup_.max_bytes + 1);
    std::memcpy(memory.get(), pattern(key()), load.setup_.max_bytes);
  }
  const auto me =
      node.me_attach(portal, {}, {}, {kOnceBit - 1}, UnlinkMode::kUnlink, InsertPosition::kAfter);
  if (!me) return;
  const iovec fragment{memory.get(), load.setup_.max_bytes};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.options = kOpGet | kManageRemote;
  spec.sink = this;
  md = node.md_attach(*me, spec, UnlinkMode::kUnlink).value_or(MdHandle{});
}

// ---- one operation after the other --------------------------------------------------------------

struct VerifiedLoad::Slot final : EventSink, private sim::Task {
  /// The MD of its own that an operation has at its target.
  struct Far final : EventSink {
    explicit Far(Slot& owner) : slot(owner) {}
    void on_event(const Event& event) override { slot.far_event(event); }
    Slot& slot;
    MdHandle md;
    Memory memory;
  };

  Slot(VerifiedLoad& home, SimNode& at) : load(home), node(at) {}

  bool idle() const { return key == 0; }
  void wake(Duration delay) {
    if (!scheduled()) load.world_->queue().in(delay, *this);
  }
  /// The life of a node is over.
  void forget(const SimNode& whose);

  void run() override;
  void on_event(const Event& event) override;
  void far_event(const Event& event);
  void next();
  bool post_far();
  bool start();
  void check(const Event& event);
  void end();
  void give_back();
  bool is_get() const { return op == LoadOp::kGet || op == LoadOp::kGetOnce; }
  bool is_once() const { return op == LoadOp::kPutOnce || op == LoadOp::kGetOnce; }
  /// At the target of a GET, or here of a PUT.
  const std::byte* contents() const {
    return op == LoadOp::kGet ? pattern(~std::uint64_t{target->number()}) + offset : pattern(key);
  }

  VerifiedLoad& load;
  SimNode& node;
  Far far{*this};
  std::uint64_t key = 0;  ///< 0: nothing under way
  LoadOp op = LoadOp::kPut;
  SimNode* target = nullptr;
  std::uint32_t length = 0, offset = 0;
  Memory memory;
  MdHandle md;
  bool answered = false;
};

/// Between operations, and when one has ended here and perhaps not there.
void VerifiedLoad::Slot::run() {
  if (!idle()) {
    if (md) return;
    if (far.md) {
      // What should have come never did. A target that stands still is asked again.
      if (target->state() == SimNode::State::kPaused) return wake(kTryAgain);
      (void)target->md_unlink(far.md);
      if (far.md) return;  // its event comes
    }
    end();
  }
  if (!load.over_ && node.up()) next();
}

void VerifiedLoad::Slot::next() {
  World& world = *load.world_;
  if (world.size() < 2 || (load.setup_.operations != 0 && load.begun_ >= load.setup_.operations))
    return;
  op = load.draw_op();
  const std::size_t step = 1 + load.rng().below(world.size() - 1);
  target = &world.node((node.number() + step) % world.size());
  if (target->setup().nis.empty() || node.setup().nis.empty()) return wake(kTryAgain);
  length = load.draw_size();
  offset = static_cast<std::uint32_t>(load.rng().below(load.setup_.max_bytes - length + 1));
  if (is_once() && !target->up()) op = LoadOp::kPutAck;
  key = ++load.begun_;
  load.arrived_.push_back(false);
  answered = false;
  ++load.counts_.begun[static_cast<std::size_t>(op)];
  ++*load.acts_[static_cast<std::size_t>(op)];
  ++load.under_way_;
  load.look_busy();
  memory = load.take(length);
  is_get() ? blot(memory.get(), length)
           : static_cast<void>(std::memcpy(memory.get(), pattern(key), length));
  if ((!is_once() || post_far()) && start()) return;
  if (!md) wake(load.draw(load.setup_.think));
}

bool VerifiedLoad::Slot::post_far() {
  const Portal portal{load.setup_.first_portal + 3};
  const auto me = target->me_attach(portal, {}, {key | kOnceBit}, {}, UnlinkMode::kUnlink,
                                    InsertPosition::kAfter);
  if (!me) return false;
  far.memory = load.take(length);
  is_get() ? static_cast<void>(std::memcpy(far.memory.get(), pattern(key), length))
           : blot(far.memory.get(), length);
  const iovec fragment{far.memory.get(), length};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.threshold = 1;
  spec.options = is_get() ? kOpGet : kOpPut;
  spec.sink = &far;
  far.md = target->md_attach(*me, spec, UnlinkMode::kUnlink).value_or(MdHandle{});
  return static_cast<bool>(far.md);
}

bool VerifiedLoad::Slot::start() {
  const iovec fragment{memory.get(), length};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.threshold = op == LoadOp::kPut ? 1 : 2;
  spec.sink = this;
  md = node.md_bind(spec, UnlinkMode::kUnlink).value_or(MdHandle{});
  if (!md) return false;
  const std::uint32_t portal = load.setup_.first_portal + (is_once()                ? 3
                                                           : op == LoadOp::kGet     ? 2
                                                           : op == LoadOp::kPutLazy ? 1
                                                                                    : 0);
  const MatchBits bits{is_once() ? key | kOnceBit : key};
  const auto begun = [&] {
    if (is_get()) {
      const std::uint32_t from = op == LoadOp::kGet ? offset : 0;
      return node.get({md, target->id(), {portal}, bits, from, Nid::any()});
    }
    const AckRequest ack = op == LoadOp::kPut ? AckRequest::kNoAck : AckRequest::kAck;
    return node.put({md, target->id(), {portal}, bits, 0, key, ack, Nid::any()});
  }();
  if (!begun) (void)node.md_unlink(md);
  return static_cast<bool>(begun);
}

void VerifiedLoad::Slot::on_event(const Event& event) {
  check(event);
  if (event.unlinked) {
    md = {};
    ++load.counts_.ended;
    const bool well =
        event.status == 0 && event.type != EventType::kUnlink && (op == LoadOp::kPut || answered);
    if (!well) {
      ++load.counts_.failed;
      ++*load.acts_failed_;
    }
    wake(load.draw(load.setup_.think));
  } else if (event.status != 0) {
    (void)node.md_unlink(event.md);  // nothing more would come
  }
}

void VerifiedLoad::Slot::check(const Event& event) {
  const bool answer = event.type == EventType::kAck || event.type == EventType::kReply;
  if (!md || event.md != md) return load.wrong(node, "an event of an MD that has ended");
  if (event.status != 0 || !answer) return;
  if (std::exchange(answered, true)) return load.wrong(node, "two answers");
  if (event.mlength != length) load.wrong(node, "an answer tells a wrong length");
  if (is_get() && std::memcmp(memory.get(), contents(), length) != 0)
    load.wrong(node, "a REPLY has wrong contents");
  if (event.type == EventType::kAck && !load.arrived_[key] &&
      target->setup().handler_delay == Duration{})
    load.wrong(node, "an ACK for what did not arrive");
}

void VerifiedLoad::Slot::far_event(const Event& event) {
  if (!far.md || event.md != far.md) return load.wrong(*target, "an event of an MD that has ended");
  if (event.status == 0 && event.type == EventType::kPut) {
    ++load.counts_.arrived;
    load.arrived_[key] = true;
    if (event.mlength != length || event.hdr_data != key)
      load.wrong(*target, "a PUT of a wrong length");
    if (std::memcmp(far.memory.get(), pattern(key), length) != 0)
      load.wrong(*target, "a PUT has wrong contents");
  }
  if (!event.unlinked) return;
  far.md = {};
  if (!md) wake({});
}

void VerifiedLoad::Slot::give_back() {
  if (memory != nullptr) load.give(std::move(memory), length);
  if (far.memory != nullptr) load.give(std::move(far.memory), length);
}

void VerifiedLoad::Slot::end() {
  give_back();
  key = 0;
  --load.under_way_;
  load.look_busy();
}

void VerifiedLoad::Slot::forget(const SimNode& whose) {
  if (idle()) return;
  if (&whose == target && far.md) {
    far.md = {};
    if (!md) wake({});
  }
  if (&whose != &node) return;
  // What it had at its target goes as well, when run() comes to it.
  ++load.counts_.forgotten;
  md = {};
  wake({});
}

// ---- a node -------------------------------------------------------------------------------------

struct VerifiedLoad::Host final : private sim::Task {
  Host(VerifiedLoad& home, SimNode& at) : load(home), node(at) {
    const std::uint32_t first = load.setup_.first_portal;
    for (const bool lazy : {false, false, true})
      rings.push_back(std::make_unique<Ring>(load, node, first + (lazy ? 1 : 0), lazy));
    source = std::make_unique<Source>(load, node, first + 2);
    for (std::uint32_t i = 0; i < load.setup_.at_once; ++i)
      slots.push_back(std::make_unique<Slot>(load, node));
  }

  /// Not at once: a node that changes may be within a step.
  void wake() { load.world_->queue().in({}, *this); }
  void run() override {
    if (!node.up()) return;
    (void)node.set_lazy_portal({load.setup_.first_portal + 1});
    for (const auto& ring : rings)
      if (!ring->md) ring->post();
    if (!source->md) source->post();
    for (const auto& slot : slots)
      if (slot->idle()) slot->wake(load.draw(load.setup_.think));
  }
  void forget() {
    for (const auto& ring : rings) ring->forget();
    source->forget();
  }
  void take_back() {
    for (const auto& ring : rings) ring->take_back();
    source->take_back();
  }

  VerifiedLoad& load;
  SimNode& node;
  std::vector<std::unique_ptr<Ring>> rings;
  std::unique_ptr<Source> source;
  std::vector<std::unique_ptr<Slot>> slots;
};

VerifiedLoad::VerifiedLoad(std::string name, const LoadSetup& setup)
    : Actor(std::move(name)), setup_(setup), arrived_(1) {
  ULNET_ASSERT(setup.min_bytes <= setup.max_bytes && setup.max_bytes <= kMostBytes);
  ULNET_ASSERT(setup.first_portal >= 1 && setup.first_portal + 3 < 64);
}

VerifiedLoad::~VerifiedLoad() = default;

VerifiedLoad::Host& VerifiedLoad::host(SimNode& node) {
  while (hosts_.size() <= node.number())
    hosts_.push_back(std::make_unique<Host>(*this, world_->node(hosts_.size())));
  return *hosts_[node.number()];
}

void VerifiedLoad::begin(World& world) {
  world_ = &world;
  for (std::size_t i = 0; i < kLoadOps; ++i)
    acts_[i] = &world.exercised().acts[std::string("load ") + kWords[i]];
  acts_failed_ = &world.exercised().acts["load failed"];
  for (std::size_t i = 0; i < world.size(); ++i) host(world.node(i)).wake();
  look_busy();
}

void VerifiedLoad::node_changed(World&, SimNode& node, NodeChange change) {
  if (world_ == nullptr) return;
  switch (change) {
    case NodeChange::kStarted:
    case NodeChange::kConfigured:
    case NodeChange::kResumed:
      return host(node).wake();
    case NodeChange::kCrashed:
    case NodeChange::kStopped:
      host(node).forget();
      for (const auto& each : hosts_)
        for (const auto& slot : each->slots) slot->forget(node);
      return;
    case NodeChange::kPaused:
    case NodeChange::kStopping:
      return;
  }
}

void VerifiedLoad::wind_down(World&) {
  over_ = true;
  look_busy();
}

/// With a number of operations to do it is busy until they are done.
void VerifiedLoad::look_busy() {
  set_busy(*world_, under_way_ != 0 || (!over_ && begun_ < setup_.operations));
}

void VerifiedLoad::take_back(World& world) {
  wind_down(world);
  withdrawn_ = true;
  for (const auto& each : hosts_) each->take_back();
}

// ---- what it draws from -------------------------------------------------------------------------

VerifiedLoad::Memory VerifiedLoad::take(std::uint32_t bytes) {
  auto& spare = spare_[std::bit_width(bytes)];
  if (spare.empty())
    return std::make_unique_for_overwrite<std::byte[]>(std::size_t{1} << std::bit_width(bytes));
  Memory memory = std::move(spare.back());
  spare.pop_back();
  return memory;
}

void VerifiedLoad::give(Memory memory, std::uint32_t bytes) {
  blot(memory.get(), bytes);
  spare_[std::bit_width(bytes)].push_back(std::move(memory));
}

Duration VerifiedLoad::draw(Duration most) {
  if (most <= Duration{}) return {};
  return Duration(
      static_cast<std::int64_t>(rng().below(static_cast<std::uint64_t>(most.count()) + 1)));
}

std::uint32_t VerifiedLoad::draw_size() {
  constexpr std::array<std::uint32_t, 7> kBelow = {0, 64, 512, 1024, 4096, 16384, 65536};
  if (setup_.min_bytes == setup_.max_bytes) return setup_.min_bytes;
  // Of the largest only a few: copying them would be all that a run does.
  const std::uint64_t sort = rng().below(64);
  const std::uint32_t below = sort == 63 ? kMostBytes : kBelow[sort % 7];
  const auto size = static_cast<std::uint32_t>(rng().below(std::uint64_t{below} + 1));
  return std::clamp(size, setup_.min_bytes, setup_.max_bytes);
}

LoadOp VerifiedLoad::draw_op() {
  std::uint64_t sum = 0;
  for (const std::uint32_t share : setup_.shares) sum += share;
  std::uint64_t left = rng().below(std::max<std::uint64_t>(sum, 1));
  for (std::size_t i = 0; i < kLoadOps; ++i) {
    if (left < setup_.shares[i]) return static_cast<LoadOp>(i);
    left -= setup_.shares[i];
  }
  return LoadOp::kPut;
}

void VerifiedLoad::wrong(const SimNode& node, const std::string& what) {
  world_->violated("load", &node, name() + ": " + what);
}

}  // namespace ulnet::sim
