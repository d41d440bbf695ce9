#include "fgr/simulate/oss_load.h"

#include <utility>

namespace ulnet::tools::fgr {
namespace {

constexpr Portal kLoadPortal{4};
/// The delay before a failed operation begins again.
constexpr Duration kBeginAgain = std::chrono::seconds(1);

}  // namespace

/// The memory of a client: OSSs fetch from it and put into it as long as the client exists.
struct OssLoad::Client final : EventSink {
  Client(OssLoad& owner, sim::SimNode& at) : load(owner), node(at) {}

  void post() {
    const auto me =
        node.me_attach(kLoadPortal, {}, {}, {~0ULL}, UnlinkMode::kUnlink, InsertPosition::kAfter);
    if (!me) return load.world_->violated("load", &node, me.error().reason);
    const iovec fragment{load.memory_.data(), load.memory_.size()};
    MdSpec spec;
    spec.fragments = {&fragment, 1};
    spec.options = (load.setup_.write ? kOpGet : kOpPut) | kManageRemote;
    spec.sink = this;
    if (const auto md = node.md_attach(*me, spec, UnlinkMode::kUnlink); !md)
      load.world_->violated("load", &node, md.error().reason);
  }
  void on_event(const Event&) override {}

  OssLoad& load;
  sim::SimNode& node;
};

struct OssLoad::Oss {
  Oss(OssLoad& owner, const OssLoadSetup::Oss& setup)
      : load(owner),
        node(*setup.node),
        clients(setup.clients),
        messages(setup.messages),
        left(setup.messages) {}

  OssLoad& load;
  sim::SimNode& node;
  const std::vector<ProcessId>& clients;
  const std::uint64_t messages;
  std::uint64_t left;  ///< messages that are neither moved nor under way
  std::size_t turn = 0;
  bool given_up = false;
  OssRecord record;
  std::vector<std::unique_ptr<Slot>> slots;
};

/// Moves one message after the other.
struct OssLoad::Slot final : EventSink, private sim::Task {
  explicit Slot(Oss& owner) : oss(owner) {}

  void wake(Duration delay) {
    if (!scheduled()) oss.load.world_->queue().in(delay, *this);
  }
  void run() override {
    if (busy || oss.given_up || oss.load.over_ || !oss.node.up() || oss.left == 0) return;
    --oss.left;
    busy = true;
    answered = false;
    begun = oss.load.world_->now();
    if (!start() && !md) end(false);
  }

  bool start() {
    const OssLoadSetup& setup = oss.load.setup_;
    const iovec fragment{oss.load.memory_.data(), setup.payload};
    MdSpec spec;
    spec.fragments = {&fragment, 1};
    spec.threshold = 2;
    spec.sink = this;
    md = oss.node.md_bind(spec, UnlinkMode::kUnlink).value_or(MdHandle{});
    if (!md) return false;
    const ProcessId target = oss.clients[oss.turn++ % oss.clients.size()];
    const auto sent =
        setup.write
            ? oss.node.get({md, target, kLoadPortal, {}, 0, Nid::any()})
            : oss.node.put({md, target, kLoadPortal, {}, 0, 0, AckRequest::kAck, Nid::any()});
    if (!sent) (void)oss.node.md_unlink(md);
    return sent.has_value();
  }

  void on_event(const Event& event) override {
    if (!busy || event.md != md) return;
    const bool answer = event.type == EventType::kReply || event.type == EventType::kAck;
    if (answer && event.status == 0 && event.mlength == oss.load.setup_.payload) answered = true;
    if (event.unlinked) return end(event.status == 0 && answered);
    if (event.status != 0) (void)oss.node.md_unlink(event.md);
  }

  void end(bool well) {
    OssLoad& load = oss.load;
    const std::uint32_t router = load.routers_->take(oss.node, md);
    busy = false;
    md = {};
    if (!well) {
      ++oss.record.failed;
      ++oss.left;
      return wake(kBeginAgain);
    }
    ++load.moved_;
    const Duration took = load.world_->now() - begun;
    oss.record.messages.push_back({std::chrono::duration<float>(took).count(), router});
    if (++oss.record.moved == oss.messages) {
      oss.record.done = load.world_->now() - load.begun_;
      if (!oss.given_up) --load.left_;
    }
    wake({});
  }

  Oss& oss;
  bool busy = false, answered = false;
  MdHandle md;
  Instant begun{};
};

OssLoad::OssLoad(OssLoadSetup setup)
    : Actor("osss"), setup_(std::move(setup)), memory_(setup_.payload) {
  for (const OssLoadSetup::Oss& each : setup_.osss) {
    osss_.push_back(std::make_unique<Oss>(*this, each));
    osss_.back()->given_up = each.clients.empty();
    if (!each.clients.empty()) ++left_;
  }
}
OssLoad::~OssLoad() = default;

const OssRecord& OssLoad::record(std::size_t oss) const { return osss_[oss]->record; }

void OssLoad::give_up(std::size_t oss) {
  Oss& lost = *osss_[oss];
  if (!std::exchange(lost.given_up, true) && lost.record.moved != lost.messages) --left_;
}

void OssLoad::begin(sim::World& world) {
  world_ = &world;
  begun_ = world.now();
  routers_ = &world.add<PayloadRouters>();
  for (sim::SimNode* const client : setup_.clients) {
    clients_.push_back(std::make_unique<Client>(*this, *client));
    clients_.back()->post();
  }
  const auto spread = static_cast<std::uint64_t>(setup_.spread.count()) + 1;
  for (const auto& oss : osss_) {
    if (oss->given_up) continue;
    oss->turn = rng().below(oss->clients.size());
    oss->record.messages.reserve(oss->messages);
    routers_->watch(oss->node);
    for (std::uint32_t i = 0; i < setup_.window; ++i) {
      oss->slots.push_back(std::make_unique<Slot>(*oss));
      oss->slots.back()->wake(Duration(static_cast<std::int64_t>(rng().below(spread))));
    }
  }
}

/// Gives up an OSS that crashes, because no event of its MDs comes any more. Clients of a
/// simulation do not crash.
void OssLoad::node_changed(sim::World&, sim::SimNode& node, sim::NodeChange change) {
  if (change != sim::NodeChange::kCrashed) return;
  for (std::size_t i = 0; i < osss_.size(); ++i)
    if (&osss_[i]->node == &node) give_up(i);
}

}  // namespace ulnet::tools::fgr
