#include "sim/load/old_node.h"

#include <algorithm>
#include <array>
#include <utility>

#include "lnet/base/assert.h"
#include "sim/load/old_node_impl.h"

namespace ulnet::sim {
namespace {

constexpr std::array kReleaseWords = {"downrev", "no-discovery", "uprev"};
static_assert(kReleaseWords.size() == kReleases);

/// The longest time that a change takes.
constexpr Duration kRestart = std::chrono::milliseconds(20);

bool has_both(std::uint32_t features) {
  constexpr std::uint32_t kBoth = wire::kPingMultiRail | wire::kPingDiscovery;
  return (features & kBoth) == kBoth;
}

}  // namespace

const char* to_string(Release release) { return kReleaseWords[static_cast<std::size_t>(release)]; }

std::optional<Release> release_of(std::string_view word) {
  const auto found = std::ranges::find(kReleaseWords, word);
  if (found == kReleaseWords.end()) return std::nullopt;
  return static_cast<Release>(found - kReleaseWords.begin());
}

Behaviour behaviour_of(Release release) {
  if (release == Release::kDownrev) return ForeignNode::downrev();
  return release == Release::kUprev ? ForeignNode::uprev() : ForeignNode::without_discovery();
}

// ---- what the old node hears --------------------------------------------------------------------

void OldNode::heard(const ForeignNode::Heard& heard) {
  const wire::LnetHeader& header = heard.header;
  if (header.dest_nid != heard.at || header.payload_length != heard.payload.size())
    wrong(world_->find(header.src_nid), "a message with a wrong header comes to the old node");
  if (const auto* put = std::get_if<wire::PutPart>(&header.part)) return heard_put(heard, *put);
  if (const auto* ack = std::get_if<wire::AckPart>(&header.part))
    return heard_answer(heard, ack->dst_wmd, ack->mlength, true);
  if (const auto* reply = std::get_if<wire::ReplyPart>(&header.part))
    return heard_answer(heard, reply->dst_wmd, header.payload_length, false);
}

void OldNode::heard_put(const ForeignNode::Heard& heard, const wire::PutPart& put) {
  const Nid& from = heard.header.src_nid;
  const SimNode* node = world_->find(from);
  if (put.portal == 0) {
    heard_ping_info(heard.payload);
    if (!ever_advertised_multi_rail())
      wrong(node, "pushes to the old node, which never advertised multi-rail");
    const bool owes = node_->info.has(wire::kPingDiscovery);
    if (!owes || std::ranges::find(pushed_to_, from) != pushed_to_.end()) return;
    pushed_to_.push_back(from);
    owed_.emplace_back(heard.at, from);
    if (!pusher_->scheduled()) world_->queue().in({}, *pusher_);
    return;
  }
  Op* op = find(put.match_bits);
  if (op == nullptr || (op->what != Op::What::kPut && op->what != Op::What::kPutAck) ||
      put.portal != portal_.index || put.hdr_data != op->key)
    return wrong(node, "a PUT comes to the old node that nobody has sent");
  if (heard.payload != contents_of(op->key, op->length))
    wrong(op->pair.node, "a PUT comes to the old node with wrong contents");
  op->met = incarnations_.size() - 1;
  if (op->what == Op::What::kPut) exchange(*op->met);
}

/// Handles an answer to a request of the old node. Answers to an earlier incarnation are dropped
/// silently (spec/wire-lnet.md 2.5).
void OldNode::heard_answer(const ForeignNode::Heard& heard, const wire::WireHandle& handle,
                           std::uint32_t length, bool is_ack) {
  if (handle.interface_cookie != own_incarnation()) return;
  const auto found = std::ranges::find_if(ops_, [&](const auto& op) {
    return !op->of_node() && op->incarnation + 1 == incarnations_.size() &&
           op->cookie == handle.object_cookie;
  });
  if (found == ops_.end()) {
    const auto* ack = std::get_if<wire::AckPart>(&heard.header.part);
    if (ack == nullptr || ack->match_bits != wire::kPingMatchBits)
      return wrong(world_->find(heard.header.src_nid), "an answer to no request");
    return exchange(incarnations_.size() - 1);  // a push
  }
  const Op& op = **found;
  const SimNode* node = op.pair.node;
  if (is_ack != (op.what == Op::What::kItsPutAck)) return wrong(node, "an answer of a wrong type");
  if (op.what == Op::What::kItsPing || op.what == Op::What::kItsPush) {
    heard_ping_info(heard.payload);
  } else {
    if (length != op.length) return wrong(node, "an answer of a wrong length");
    if (!is_ack && heard.payload != contents_of(op.key, op.length))
      return wrong(node, "a REPLY comes to the old node with wrong contents");
    if (is_ack && !op.handled && node->setup().handles_at_once() && op.md)
      return wrong(node, "an ACK for a message that did not arrive");
  }
  exchange(op.incarnation);
}

void OldNode::heard_ping_info(const std::vector<std::byte>& payload) {
  const auto info = wire::decode_ping_info(payload);
  const bool cut = !info && info.error().why == wire::DecodeError::kTruncated;
  if (!cut && (!info || !info->has(wire::kPingMultiRail)))
    wrong(nullptr, "a node's ping info is malformed");
}

std::vector<std::byte> OldNode::answer(const wire::GetPart& get) {
  Op* op = find(get.match_bits);
  if (op == nullptr || op->what != Op::What::kGet || get.portal != portal_.index ||
      get.sink_length != op->length) {
    wrong(nullptr, "a GET comes to the old node that nobody has sent");
    return {};
  }
  op->met = incarnations_.size() - 1;
  return contents_of(op->key, op->length);
}

OldNode::Op* OldNode::find(std::uint64_t bits) {
  return bits == 0 || bits > ops_.size() ? nullptr : ops_[bits - 1].get();
}

bool OldNode::had_nid(const Nid& nid) const {
  return std::ranges::any_of(incarnations_, [&](const Incarnation& incarnation) {
    return std::ranges::find(incarnation.nids, nid) != incarnation.nids.end();
  });
}

bool OldNode::ever_advertised_multi_rail() const {
  return std::ranges::any_of(incarnations_, [](const Incarnation& incarnation) {
    return has_both(behaviour_of(incarnation.release).features);
  });
}

// ---- what it is ---------------------------------------------------------------------------------

std::uint64_t OldNode::own_incarnation() const {
  return std::uint64_t{portal_.index} << 8 | incarnations_.size();
}

void OldNode::start(Release release, std::vector<Nid> nids) {
  incarnations_.push_back({release, std::move(nids), 0, false});
  node_ = std::make_unique<ForeignNode>(*world_, incarnations_.back().nids, behaviour_of(release),
                                        own_incarnation());
  ULNET_ASSERT(node_->listens());
  node_->on_heard = [this](const ForeignNode::Heard& what) { heard(what); };
  node_->answer_get = [this](const wire::GetPart& get) { return answer(get); };
}

/// Ends the process: its connections are closed.
void OldNode::stop() {
  node_.reset();
  owed_.clear();
  pushed_to_.clear();
}

void OldNode::change_when_due(World& world) {
  const std::array when = {setup_.change_at, setup_.back_at};
  if (node_ == nullptr && world.now() >= starts_at_) {
    std::vector<Nid> nids = setup_.nids;
    const bool later = changes_ == 1;
    if (later) nids.insert(nids.end(), setup_.more_nids.begin(), setup_.more_nids.end());
    start(later ? setup_.later : setup_.release, std::move(nids));
    starts_at_ = kNever;
    look_busy();
  }
  const bool more = !ending_ && node_ != nullptr && changes_ < when.size();
  if (!more || when[changes_] == Duration{} || world.age() < when[changes_]) return;
  ++changes_;
  stop();
  const auto pause =
      static_cast<std::int64_t>(rng().below(static_cast<std::uint64_t>(kRestart.count())));
  starts_at_ = world.now() + Duration(pause);
}

std::uint64_t OldNode::exchanged() const {
  std::uint64_t sum = 0;
  for (const Incarnation& incarnation : incarnations_) sum += incarnation.exchanged;
  return sum;
}

void OldNode::exchange(std::size_t at) {
  Incarnation& incarnation = incarnations_[at];
  ++incarnation.exchanged;
  world_->count(std::string("old node ") + to_string(incarnation.release));
  if (at == 0 || incarnations_[at - 1].exchanged == 0 || std::exchange(incarnation.counted, true))
    return;
  const Release before = incarnations_[at - 1].release;
  if (before != incarnation.release)
    world_->count(before < incarnation.release ? "old node upgraded" : "old node downgraded");
}

// ---- the actor ----------------------------------------------------------------------------------

OldNode::OldNode(std::string name, OldNodeSetup setup, Portal portal)
    : Load(std::move(name)),
      setup_(std::move(setup)),
      portal_(portal),
      pusher_(std::make_unique<Pusher>(*this)) {}
OldNode::~OldNode() = default;

void OldNode::begin(World& world) {
  world_ = &world;
  start(setup_.release, setup_.nids);
  look_busy();
  act_in(world, {});
}

void OldNode::act(World& world) {
  change_when_due(world);
  if (node_ != nullptr) node_->forget_ended();
  if (!ending_ && begun_ < setup_.count && world.now() >= next_op_) {
    ++begun_;
    if (const auto pair = draw_pair(world)) operate(*pair);
    next_op_ = world.now() + up_to(rng(), setup_.every);
    look_busy();
  }
  if (const Instant next = next_act(world); next != kNever) act_at(world, next);
}

Instant OldNode::next_act(const World& world) const {
  Instant next = starts_at_;
  if (ending_) return next;
  if (begun_ < setup_.count) next = std::min(next, next_op_);
  const std::array when = {setup_.change_at, setup_.back_at};
  if (node_ != nullptr && changes_ < when.size() && when[changes_] != Duration{})
    next = std::min(next, world.now() + std::max(when[changes_] - world.age(), Duration{}));
  return next;
}

/// Draws a pair. Nothing: no node that is up shares a net with the old node.
std::optional<OldNode::Pair> OldNode::draw_pair(World& world) {
  std::vector<Pair> all;
  for (SimNode& node : world.nodes()) {
    if (!node.up()) continue;
    for (const NiSetup& ni : node.setup().nis) {
      const bool meets =
          ni.nid.is_small() && ni.driver.value_or(node.setup().driver) == DriverKind::kSock;
      for (const Nid& own : incarnations_.back().nids)
        if (meets && own.net() == ni.nid.net()) all.push_back({own, &node, ni.nid});
    }
  }
  if (all.empty()) return std::nullopt;
  return all[rng().below(all.size())];
}

void OldNode::operate(const Pair& pair) {
  constexpr auto kOps = static_cast<std::uint64_t>(Op::What::kCount);
  const auto what = static_cast<Op::What>(rng().below(kOps));
  const auto bytes = static_cast<std::uint32_t>(rng().below(std::uint64_t{setup_.max_bytes} + 1));
  Op& op = *ops_.emplace_back(std::make_unique<Op>(*this, pair, what, ops_.size() + 1, bytes));
  if (op.of_node()) ++under_way_;
  if (!op.begin() && op.of_node()) --under_way_;
}

/// Notes that an operation at a node has ended.
void OldNode::ended(Op& op, bool well) {
  op.under_way = false;
  --under_way_;
  if (well && op.met) exchange(*op.met);
  look_busy();
}

/// Updates whether the load is busy: until its operations are done, and while the old node is down.
void OldNode::look_busy() {
  const bool more = !ending_ && begun_ < setup_.count;
  set_busy(*world_, more || under_way_ != 0 || node_ == nullptr);
}

void OldNode::node_changed(World&, SimNode& node, NodeChange change) {
  if (change != NodeChange::kCrashed && change != NodeChange::kStopped) return;
  for (const auto& op : ops_)
    if (op->pair.node == &node) op->forget();
  if (world_ != nullptr) look_busy();
}

void OldNode::wind_down(World&) {
  ending_ = true;
  look_busy();
}

void OldNode::take_back(World&) {
  for (const auto& op : ops_) op->take_back();
}

void OldNode::wrong(const SimNode* node, const std::string& what) {
  world_->violated("load", node, name() + ": " + what);
}

}  // namespace ulnet::sim
