#include "sim/scenario/traffic.h"

#include <algorithm>

namespace ulnet::sim {
namespace {

/// Byte `at` of the contents with this key.
std::byte content(std::uint64_t key, std::uint32_t at) {
  return static_cast<std::byte>((key * 167 + at * 31 + (at >> 8)) & 0xff);
}
void write(std::byte* memory, std::uint32_t bytes, std::uint64_t key, std::uint32_t first = 0) {
  for (std::uint32_t i = 0; i < bytes; ++i) memory[i] = content(key, first + i);
}
bool right(const std::byte* memory, std::uint32_t bytes, std::uint64_t key) {
  for (std::uint32_t i = 0; i < bytes; ++i)
    if (memory[i] != content(key, i)) return false;
  return true;
}

constexpr std::uint64_t kSourceKey = 1'000'003;
/// How long a load that lasts a time waits after a failed operation: otherwise it would begin any
/// number of operations at the same instant.
constexpr Duration kTryAgain = std::chrono::milliseconds(100);

}  // namespace

bool reaches(const NodeSetup& from, const NodeSetup& to) {
  return std::ranges::any_of(to.nis, [&](const NiSetup& ni) {
    return from.is_on(ni.nid.net()) || from.routes->nets().contains(ni.nid.net());
  });
}

// ---- targets ------------------------------------------------------------------------------------

/// Permanent memory at a target: a part of it per slot of every sender for PUTs, another for all
/// GETs. With several partitions each has an MD for it, except the first: requests that arrive
/// there find their buffer on another shard.
struct Traffic::Target final : EventSink, private sim::Task {
  Target(Traffic& owner, SimNode& at, std::size_t slots)
      : traffic(owner), node(at), slots_(slots) {}

  void wake() { traffic.world_->queue().in({}, *this); }
  void run() override {
    if (node.up() && mds.empty() && !traffic.over_) post();
  }
  void post() {
    const bool gets = traffic.spec_.what == LoadSpec::What::kGet;
    memory.resize(std::max<std::size_t>(traffic.spec_.max_bytes * (gets ? 1 : slots_), 1));
    if (gets) write(memory.data(), traffic.spec_.max_bytes, kSourceKey);
    for (std::uint32_t cpt = node.cpts() == 1 ? 0 : 1; cpt < node.cpts(); ++cpt) post_at(cpt, gets);
  }
  void post_at(std::uint32_t cpt, bool gets) {
    const auto me = node.me_attach_at(cpt, traffic.portal_, {}, {}, {~0ULL}, UnlinkMode::kUnlink);
    if (!me) return;
    const iovec fragment{memory.data(), memory.size()};
    MdSpec spec;
    spec.fragments = {&fragment, 1};
    spec.options = (gets ? kOpGet : kOpPut) | kManageRemote;
    spec.sink = this;
    if (const auto md = node.md_attach(*me, spec, UnlinkMode::kUnlink)) mds.push_back(*md);
  }
  void on_event(const Event& event) override {
    if (event.type == EventType::kPut && event.status == 0) {
      traffic.delivered(event.mlength);
      // A late handler may find a later message in this place.
      if (node.setup().handles_at_once() &&
          !right(memory.data() + event.offset, event.mlength, event.hdr_data))
        traffic.wrong(node, "a PUT has wrong contents");
    }
    if (event.unlinked) std::erase(mds, event.md);
  }

  Traffic& traffic;
  SimNode& node;
  const std::size_t slots_;
  std::vector<std::byte> memory;
  std::vector<MdHandle> mds;
};

// ---- senders ------------------------------------------------------------------------------------

/// Runs one operation after the other.
struct Traffic::Slot final : EventSink, PingSink, private sim::Task {
  Slot(Sender& owner, std::uint32_t place) : sender(owner), number(place) {}

  bool start(SimNode& node, SimNode& target, std::uint64_t operation);
  bool put_or_get(SimNode& node, SimNode& target);
  void end(bool well);
  void forget();
  void on_event(const Event& event) override;
  void on_ping(std::uint64_t ticket, int status, const PingReply& reply) override;
  /// Called when the operation has taken too long.
  void run() override;

  Sender& sender;
  const std::uint32_t number;  ///< the slot's index among all slots of the load
  std::uint64_t key = 0;
  bool busy = false, answered = false;
  std::uint32_t length = 0;
  std::uint64_t ticket = 0;
  std::vector<std::byte> memory;
  MdHandle md;
};

struct Traffic::Sender final : private sim::Task {
  Sender(Traffic& owner, SimNode& at, std::size_t place) : traffic(owner), node(at) {
    for (std::uint32_t i = 0; i < owner.spec_.window; ++i)
      slots.push_back(std::make_unique<Slot>(
          *this, static_cast<std::uint32_t>(place * owner.spec_.window + i)));
  }

  void wake(Duration delay = {}) {
    if (!scheduled()) traffic.world_->queue().in(delay, *this);
  }
  void run() override {
    while (traffic.may_begin(begun) && node.up() && !traffic.over_) {
      const auto idle = std::ranges::find_if(slots, [](const auto& slot) { return !slot->busy; });
      if (idle == slots.end()) return;
      const Instant now = traffic.world_->now();
      if (now < next) return traffic.world_->queue().at(next, *this);
      next = now + traffic.spec_.every;
      SimNode& target = *targets[begun % targets.size()];
      (*idle)->start(node, target, ++begun);
    }
  }

  Traffic& traffic;
  SimNode& node;
  std::vector<SimNode*> targets;
  std::vector<std::unique_ptr<Slot>> slots;
  std::uint64_t begun = 0;
  Instant next{};
};

bool Traffic::Slot::start(SimNode& node, SimNode& target, std::uint64_t operation) {
  Traffic& traffic = sender.traffic;
  const LoadSpec& spec = traffic.spec_;
  ++traffic.counts_.begun;
  key = operation << 16 | node.number();
  busy = true;
  answered = false;
  traffic.under_way(1);
  length = spec.min_bytes;
  if (spec.max_bytes > spec.min_bytes)
    length += static_cast<std::uint32_t>(
        traffic.rng().below(std::uint64_t{spec.max_bytes} - spec.min_bytes + 1));
  if (spec.what == LoadSpec::What::kPing) {
    const auto begun = node.start_ping({.target = target.id(), .source = {}}, *this);
    if (begun) return ticket = *begun, true;
  } else if (put_or_get(node, target)) {
    if (busy && spec.patience != Duration{}) traffic.world_->queue().in(spec.patience, *this);
    return true;
  }
  if (busy && !md) end(false);  // the event of its unlinked MD may have ended it
  return false;
}

bool Traffic::Slot::put_or_get(SimNode& node, SimNode& target) {
  const LoadSpec& spec = sender.traffic.spec_;
  const bool gets = spec.what == LoadSpec::What::kGet;
  memory.assign(std::max<std::size_t>(length, 1), std::byte{0});
  if (!gets) write(memory.data(), length, key);
  const iovec fragment{memory.data(), length};
  MdSpec made;
  made.fragments = {&fragment, 1};
  made.threshold = gets || spec.ack ? 2 : 1;
  // The response time-out ends it, whatever the node's response_tracking is.
  made.options = kTrackResponse;
  made.sink = this;
  md = node.md_bind(made, UnlinkMode::kUnlink).value_or(MdHandle{});
  if (!md) return false;
  const MatchBits bits{key};
  const Portal portal = sender.traffic.portal_;
  const auto begun = gets
                         ? node.get({md, target.id(), portal, bits, 0, Nid::any()})
                         : node.put({md, target.id(), portal, bits, number * spec.max_bytes, key,
                                     spec.ack ? AckRequest::kAck : AckRequest::kNoAck, Nid::any()});
  if (!begun) (void)node.md_unlink(md);
  return begun.has_value();
}

void Traffic::Slot::on_event(const Event& event) {
  Traffic& traffic = sender.traffic;
  if (!busy || event.md != md)
    return traffic.wrong(sender.node, "an event of an MD that has ended");
  const bool answer = event.type == EventType::kAck || event.type == EventType::kReply;
  if (answer && event.status == 0) {
    if (std::exchange(answered, true)) traffic.wrong(sender.node, "two answers");
    if (event.mlength != length) traffic.wrong(sender.node, "an answer has a wrong length");
    if (event.type == EventType::kReply) {
      traffic.delivered(length);
      if (!right(memory.data(), length, kSourceKey))
        traffic.wrong(sender.node, "a REPLY has wrong contents");
    }
  }
  if (event.unlinked) {
    const bool awaited = traffic.spec_.what == LoadSpec::What::kGet || traffic.spec_.ack;
    return end(event.status == 0 && event.type != EventType::kUnlink && (answered || !awaited));
  }
  if (event.status != 0) (void)sender.node.md_unlink(event.md);
}

void Traffic::Slot::on_ping(std::uint64_t which, int status, const PingReply& reply) {
  if (ticket == 0) return;  // the ping belongs to an incarnation that has ended
  if (which != ticket) return sender.traffic.wrong(sender.node, "a ping ended twice");
  if (status == 0) {
    sender.traffic.delivered(0);
    if (reply.nids.empty()) sender.traffic.wrong(sender.node, "a ping's answer names nobody");
  }
  end(status == 0);
}

// The UNLINK event that follows ends the operation. It may wait for the message, about which LNet
// knows more.
void Traffic::Slot::run() {
  if (!sender.node.up()) return sender.traffic.world_->queue().in(kTryAgain, *this);
  (void)sender.node.md_unlink(md);
}

void Traffic::Slot::end(bool well) {
  Traffic& traffic = sender.traffic;
  traffic.world_->queue().at(kNever, *this);
  if (!well) ++traffic.counts_.failed;
  if (!well && traffic.spec_.lasts != Duration{})
    sender.next = std::max(sender.next, traffic.world_->now() + kTryAgain);
  busy = false;
  md = {};
  ticket = 0;
  traffic.under_way(-1);
  sender.wake();
}

void Traffic::Slot::forget() {
  if (!busy) return;
  ++sender.traffic.counts_.forgotten;
  sender.traffic.world_->queue().at(kNever, *this);
  busy = false;
  md = {};
  ticket = 0;
  sender.traffic.under_way(-1);
}

// ---- the actor ----------------------------------------------------------------------------------

Traffic::Traffic(std::string name, LoadSpec spec, Portal portal, Duration sample)
    : Load(std::move(name)), spec_(std::move(spec)), portal_(portal), sample_(sample) {}
Traffic::~Traffic() = default;

bool Traffic::done() const {
  if (spec_.lasts != Duration{})
    return under_way_ == 0 && world_ != nullptr && world_->age() >= spec_.start + spec_.lasts;
  return under_way_ == 0 && counts_.begun == spec_.count * senders_.size();
}

void Traffic::begin(World& world) {
  world_ = &world;
  for (const NodeNumber to : spec_.to)
    targets_.push_back(
        std::make_unique<Target>(*this, world.node(to), spec_.from.size() * spec_.window));
  for (const NodeNumber from : spec_.from) {
    auto sender = std::make_unique<Sender>(*this, world.node(from), senders_.size());
    for (const NodeNumber to : spec_.to)
      if (to != from && reaches(world.node(from).setup(), world.node(to).setup()))
        sender->targets.push_back(&world.node(to));
    if (!sender->targets.empty()) senders_.push_back(std::move(sender));
  }
  for (const auto& target : targets_)
    if (spec_.what != LoadSpec::What::kPing) target->wake();
  for (const auto& sender : senders_) sender->wake(spec_.start);
}

void Traffic::node_changed(World&, SimNode& node, NodeChange change) {
  if (world_ == nullptr) return;
  const bool begins = change == NodeChange::kStarted || change == NodeChange::kResumed;
  const bool ends = change == NodeChange::kCrashed || change == NodeChange::kStopped;
  for (const auto& target : targets_) {
    if (&target->node != &node) continue;
    if (ends) target->mds.clear();
    if (begins && spec_.what != LoadSpec::What::kPing) target->wake();
  }
  for (const auto& sender : senders_) {
    if (&sender->node != &node) continue;
    if (ends)
      for (const auto& slot : sender->slots) slot->forget();
    if (begins && world_->age() >= spec_.start) sender->wake();
  }
}

void Traffic::take_back(World&) {
  over_ = true;
  for (const auto& target : targets_)
    for (const MdHandle md : std::vector<MdHandle>(target->mds))
      if (target->node.up()) (void)target->node.md_unlink(md);
}

bool Traffic::may_begin(std::uint64_t begun) const {
  if (spec_.lasts == Duration{}) return begun < spec_.count;
  return world_->age() < spec_.start + spec_.lasts;
}

void Traffic::delivered(std::uint64_t bytes) {
  ++counts_.delivered;
  if (sample_ == Duration{}) return;
  const auto interval = static_cast<std::size_t>(world_->age() / sample_);
  if (series_.size() <= interval) series_.resize(interval + 1);
  ++series_[interval].messages;
  series_[interval].bytes += bytes;
}

void Traffic::under_way(int more) {
  under_way_ = more > 0 ? under_way_ + 1 : under_way_ - 1;
  set_busy(*world_, under_way_ != 0);
}

void Traffic::wrong(const SimNode& node, const std::string& what) {
  world_->violated("load", &node, name() + ": " + what);
}

}  // namespace ulnet::sim
