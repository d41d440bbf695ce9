#include "explored_node.h"

#include <fmt/format.h>

#include <algorithm>

#include "lnet/core/contract/nids_fixture.h"
#include "lnet/core/flow/matched.h"
#include "lnet/core/flow/step.h"
#include "text_of.h"

namespace ulnet::core::shard_msgs {

namespace {

/// The ignore bits of an entry for messages with these bits, or, without bits, for all messages.
MatchBits ignore_of(std::optional<std::uint64_t> bits) { return {bits ? 0 : ~0ULL}; }

}  // namespace

ExploredNode::ExploredNode(std::uint32_t shards, std::vector<Deed> script, PortalRotor rotor)
    : script_(std::move(script)), done_(script_.size()), config_(std::make_shared<NodeConfig>()) {
  fragment_ = {memory_.data(), memory_.size()};
  config_->generation = 1;
  config_->interface_cookie = 0x1234;
  config_->shards = shards;
  config_->globals.response_tracking = 0;  // no time passes here
  config_->globals.portal_rotor = rotor;
  config_->nis.push_back({kLo, Nid::loopback(), {0, 0, 0, 0}});
  config_->nis.push_back({kTcp, tcp(1)});
  placement_ = Placement(*config_);
  for (std::uint32_t i = 0; i < shards; ++i) shards_.push_back(std::make_unique<Shard>(i));
  for (std::uint32_t i = 0; i < shards; ++i) step(i, Config{config_});
  queues_.clear();  // the reports of the new NIs' health, which all shards already assume
}

ShardState& ExploredNode::state(std::uint32_t shard) const {
  return const_cast<ShardState&>(shards_[shard]->observe());
}

void ExploredNode::know_peers() {
  for (std::uint32_t host = 0; host < shards_.size(); ++host) {
    const Nid nid = peer(host);
    Directory& directory = state(kControlShard).directory;
    directory.meet(nid);
    for (std::uint32_t shard = 0; shard < shards_.size(); ++shard)
      state(shard).peers.use(nid).reported = directory.generation();
    state(host).peers.use_ni(nid, 8).met = true;
  }
}

Nid ExploredNode::peer(std::uint32_t shard) const {
  std::uint32_t host = 2;
  while (placement_.of(tcp(host)) != shard) ++host;
  return tcp(host);
}

// ---- deeds

void ExploredNode::arrive(std::uint32_t shard, std::uint64_t bits, bool get, bool ack,
                          std::uint32_t length) {
  Rx& rx = rxs_.emplace_back();
  rx.bits = bits;
  rx.shard = shard;
  rx.header.src_nid = peer(shard);
  rx.header.dest_nid = tcp(1);
  rx.header.src_pid = rx.header.dest_pid = Pid::lustre();
  if (get) {
    wire::GetPart part;
    part.portal = kPortal.index;
    part.match_bits = bits;
    part.sink_length = 8;
    rx.header.part = part;
  } else {
    wire::PutPart part;
    part.portal = kPortal.index;
    part.match_bits = bits;
    if (ack) part.ack_wmd = {1, 1};
    rx.header.part = part;
    rx.header.payload_length = length;
  }
  step(shard,
       HeaderArrived{kTcp, {rx.header.src_nid, Pid::lustre()}, &rx.header, {rxs_.size()}, {}});
}

bool ExploredNode::waiting(std::uint64_t bits) const {
  return std::any_of(rxs_.begin(), rxs_.end(), [&](const Rx& rx) {
    return rx.bits == bits && (rx.state == Rx::State::kDeferred || rx.state == Rx::State::kHeld);
  });
}

void ExploredNode::lose(std::uint64_t bits) {
  for (Rx& rx : rxs_) {
    if (rx.bits != bits) continue;
    rx.state = Rx::State::kLost;
    step(rx.shard, PayloadLanded{rx.msg, -ECONNRESET, Health::kNetworkTimeout});
  }
}

void ExploredNode::add_other_ni() {
  config_->nis.push_back({kOtherTcp, tcp(0)});
  for (std::uint32_t i = 0; i < shards_.size(); ++i) step(i, Config{config_});
  queues_.clear();
}

void ExploredNode::add_other_ni_at(std::uint32_t shard) {
  auto with = std::make_shared<NodeConfig>(*config_);
  with->generation = 2;
  with->nis.push_back({kOtherTcp, tcp(0)});
  step(shard, Config{with});
}

void ExploredNode::know_multi_rail(std::uint32_t shard) {
  Directory& directory = state(kControlShard).directory;
  const auto changes = directory.learn(directory.meet(peer(shard)), {peer(shard)}, true);
  const ShardMsg shard_msg{shard_msg::Publish{.peer_entries = changes.peer_entries}};
  for (std::uint32_t to = 0; to < shards_.size(); ++to) step(to, FromShard{0, &shard_msg});
}

void ExploredNode::set_lazy() {
  ApiCall lazy{call::SetLazy{kPortal}};
  call(placement_.owner_of(kPortal), lazy);
}

void ExploredNode::claim(std::uint32_t shard) {
  ApiCall claim{call::ClaimPortal{kPortal, {Nid::any(), Pid::any()}, MatchBits{~0ULL}, shard}};
  call(placement_.owner_of(kPortal), claim);
}

void ExploredNode::attach_entry(std::uint32_t shard, bool odd_before_others) {
  call::MeAttach attach;
  attach.portal = kPortal;
  attach.match_id = {Nid::any(), Pid::any()};
  attach.ignore = MatchBits{~0ULL};
  if (odd_before_others) {
    attach.match = MatchBits{1};
    attach.ignore = MatchBits{~1ULL};
    attach.position = InsertPosition::kBefore;
  }
  this->attach(shard, attach);
}

void ExploredNode::claim_named(std::uint32_t shard, std::optional<std::uint64_t> bits) {
  ApiCall claim{call::ClaimPortal{kPortal, {peer(shard), Pid::lustre()}, ignore_of(bits), shard}};
  call(placement_.owner_of(kPortal), claim);
}

void ExploredNode::attach_named(std::uint32_t shard, std::optional<std::uint64_t> bits) {
  call::MeAttach attach;
  attach.portal = kPortal;
  attach.match_id = {peer(shard), Pid::lustre()};
  attach.match = {bits.value_or(0)};
  attach.ignore = ignore_of(bits);
  this->attach(shard, attach);
}

void ExploredNode::attach(std::uint32_t shard, call::MeAttach attach) {
  attach.unlink = UnlinkMode::kUnlink;
  attach.claimed = true;
  ApiCall api{attach};
  call(shard, api);
  mds_[shard].me = std::get<call::MeAttach>(api.body).me;
}

void ExploredNode::attach_md(std::uint32_t shard, std::int32_t threshold, std::uint32_t options) {
  call::MdAttach attach;
  attach.me = mds_.at(shard).me;
  attach.spec.fragments = {&fragment_, 1};
  attach.spec.threshold = threshold;
  attach.spec.options = options;
  attach.spec.sink = this;
  attach.unlink = UnlinkMode::kUnlink;
  ApiCall api{attach};
  call(shard, api);
  mds_.at(shard).md = std::get<call::MdAttach>(api.body).md;
}

void ExploredNode::unlink(std::uint32_t shard) {
  ApiCall api{call::MdUnlink{mds_.at(shard).md}};
  step(shard, Api{&api});
  if (api.status != 0 && api.status != -ENOENT) wrong("unlink");  // -ENOENT: has unlinked itself
}

void ExploredNode::request(std::uint32_t shard, std::uint32_t to, bool get, bool unknown) {
  if (!unknown)
    state(kControlShard).directory.meet(peer(to)).state |=
        kPeerDiscovered | kPeerNidsUpToDate | kPeerNoDiscovery;
  const iovec fragment{memory_.data(), 8};
  call::MdBind bind;
  bind.spec.fragments = {&fragment, 1};
  bind.spec.threshold = 2;
  bind.spec.sink = this;
  bind.unlink = UnlinkMode::kUnlink;
  ApiCall bound{bind};
  call(shard, bound);
  mds_[shard].md = std::get<call::MdBind>(bound.body).md;
  if (get) {
    GetRequest request;
    request.md = mds_[shard].md;
    request.target = {peer(to), Pid::lustre()};
    request.portal = kPortal;
    ApiCall api{call::Get{request}};
    return call(shard, api);
  }
  PutRequest request;
  request.md = mds_[shard].md;
  request.target = {peer(to), Pid::lustre()};
  request.portal = kPortal;
  request.ack = AckRequest::kAck;
  ApiCall api{call::Put{request}};
  call(shard, api);
}

void ExploredNode::answer(std::uint32_t shard, std::uint32_t from, bool get) {
  Rx& rx = rxs_.emplace_back();
  rx.bits = 1000;
  rx.shard = from;
  rx.header.src_nid = peer(from);
  rx.header.dest_nid = tcp(1);
  rx.header.src_pid = rx.header.dest_pid = Pid::lustre();
  const wire::WireHandle handle{config_->interface_cookie, mds_.at(shard).md.cookie};
  if (get) {
    rx.header.part = wire::ReplyPart{handle};
    rx.header.payload_length = 8;
  } else {
    wire::AckPart part;
    part.dst_wmd = handle;
    rx.header.part = part;
  }
  step(from,
       HeaderArrived{kTcp, {rx.header.src_nid, Pid::lustre()}, &rx.header, {rxs_.size()}, {}});
}

void ExploredNode::remove_ni(std::uint32_t shard) {
  auto without = std::make_shared<NodeConfig>(*config_);
  without->generation = 2;
  without->nis.erase(without->nis.begin() + 1);
  ++removed_;
  step(shard, Config{without});
}

void ExploredNode::publish(const std::vector<std::uint32_t>& shards) {
  std::vector<Nid> nids;
  for (const std::uint32_t shard : shards) nids.push_back(peer(shard));
  Directory& directory = state(kControlShard).directory;
  const auto changes = directory.learn(directory.meet(nids.front()), nids, true);
  const ShardMsg shard_msg{
      shard_msg::Publish{changes.peer_entries, changes.alone, changes.gone, changes.generation}};
  for (std::uint32_t to = 1; to < shards_.size(); ++to) queues_[{0, to}].push_back(shard_msg);
  step(0, FromShard{0, &shard_msg});
}

void ExploredNode::delete_peer(std::uint32_t shard) {
  call::PeerDel del{peer(shard)};
  del.decided = true;
  ApiCall api{del};
  call(kControlShard, api);
}

void ExploredNode::delete_nid(std::uint32_t primary, std::uint32_t shard) {
  call::PeerDel del{peer(primary), {peer(shard)}};
  del.decided = true;
  ApiCall api{del};
  call(kControlShard, api);
}

void ExploredNode::configure_peer(const std::vector<std::uint32_t>& shards) {
  call::PeerAdd add{peer(shards.front())};
  for (const std::uint32_t shard : shards) add.nids.push_back(peer(shard));
  ApiCall api{add};
  call(kControlShard, api);
}

// ---- the shards and their driver

void ExploredNode::call(std::uint32_t shard, ApiCall& call) {
  step(shard, Api{&call});
  if (call.status != 0) wrong(fmt::format("a call: {} {}", call.status, call.reason));
}

void ExploredNode::step(std::uint32_t shard, const Input& input) {
  Actions actions;  // local, because carrying an action out may step the shard again
  shards_[shard]->step(Instant{std::chrono::seconds(1)}, input, actions);
  for (const Action& action : actions) carry_out(shard, action);
}

void ExploredNode::carry_out(std::uint32_t shard, const Action& action) {
  if (const auto* to_shard = std::get_if<ToShard>(&action)) {
    queues_[{shard, to_shard->to}].push_back(std::move(*to_shard->shard_msg));
  } else if (const auto* send = std::get_if<Send>(&action)) {
    const auto* get = std::get_if<wire::GetPart>(&send->header.part);
    sending_.push_back({send->tx, get != nullptr && get->portal == kReservedPortal.index});
  } else if (const auto* land = std::get_if<Land>(&action)) {
    Rx& to = rx(land->rx);
    if (to.state > Rx::State::kHeld) wrong("landed after its verdict");
    to.state = Rx::State::kLanding;
    landing_.push_back(land->msg);
  } else if (const auto* hold = std::get_if<HoldPayload>(&action)) {
    Rx& to = rx(hold->rx);
    const bool deferred = hold->how == core::Hold::kDefer;
    const bool fits =
        to.state == Rx::State::kNone || (to.state == Rx::State::kDeferred && !deferred);
    if (!fits) wrong("held after its verdict");
    to.msg = hold->msg;
    to.state = deferred ? Rx::State::kDeferred : Rx::State::kHeld;
  } else if (const auto* drop = std::get_if<DropPayload>(&action)) {
    Rx& to = rx(drop->rx);
    if (to.state > Rx::State::kHeld) wrong("dropped after its verdict");
    to.state = Rx::State::kDropped;
  } else if (const auto* post = std::get_if<Post>(&action)) {
    post->sink->on_event(post->event);
  } else if (const auto* drained = std::get_if<Drained>(&action)) {
    if (drained->ni == kTcp) ++drained_;
  } else if (const auto* note = std::get_if<Note>(&action)) {
    // A message that is too long is the peer's error, not the core's.
    const bool of_peer =
        std::string_view(note->text).find("longer than the matching") != std::string_view::npos;
    if (note->level == Note::Level::kError && !of_peer) wrong(note->text);
  }
}

void ExploredNode::on_event(const Event& event) {
  if (last_events_[event.md.cookie] != 0) wrong("an event after the last");
  last_events_[event.md.cookie] += event.unlinked;
  events_.push_back(fmt::format("{:x}:{}:{}:{}", event.md.cookie, static_cast<int>(event.type),
                                event.status, event.match_bits.value));
  if (event.type == EventType::kPut)
    for (Rx& rx : rxs_)
      if (rx.bits == event.match_bits.value && rx.state == Rx::State::kLanding)
        rx.state = Rx::State::kTaken;
}

// ---- playing

std::vector<Move> ExploredNode::moves() const {
  std::vector<Move> all;
  if (!wrong_.empty()) return all;
  for (const auto& [pair, queue] : queues_)
    if (!queue.empty()) all.push_back({Move::Kind::kShardMsg, pair.first, pair.second});
  for (std::uint32_t i = 0; i < script_.size(); ++i)
    if (!done_[i] && (!script_[i].ready || script_[i].ready(*this)))
      all.push_back({Move::Kind::kScript, i});
  for (std::uint32_t i = 0; i < sending_.size(); ++i) {
    if (!sending_[i].ping) all.push_back({Move::Kind::kSent, i});
    if (sending_[i].ping || may_fail_ != 0) all.push_back({Move::Kind::kFailed, i});
  }
  for (std::uint32_t i = 0; i < landing_.size(); ++i) all.push_back({Move::Kind::kLanded, i});
  return all;
}

void ExploredNode::make(const Move& move) {
  switch (move.kind) {
    case Move::Kind::kShardMsg: {
      auto& queue = queues_.at({move.a, move.b});
      const ShardMsg shard_msg = std::move(queue.front());
      queue.pop_front();
      return step(move.b, FromShard{move.a, &shard_msg});
    }
    case Move::Kind::kScript:
      done_[move.a] = true;
      return script_[move.a].act(*this);
    case Move::Kind::kSent:
    case Move::Kind::kFailed: {
      const auto [tx, ping] = sending_[move.a];
      sending_.erase(sending_.begin() + move.a);
      if (move.kind == Move::Kind::kSent)
        return step(core::shard_of(tx), SendDone{tx, 0, Health::kOk});
      if (!ping) --may_fail_;
      return step(core::shard_of(tx), SendDone{tx, -EIO, failure_});
    }
    case Move::Kind::kLanded: {
      const MsgTicket msg = landing_[move.a];
      landing_.erase(landing_.begin() + move.a);
      return step(core::shard_of(msg), PayloadLanded{msg, 0, Health::kOk});
    }
  }
}

std::string ExploredNode::name_of(const Move& move) const {
  switch (move.kind) {
    case Move::Kind::kShardMsg:
      return fmt::format("{} -> {}: {}", move.a, move.b,
                         text_of(queues_.at({move.a, move.b}).front()));
    case Move::Kind::kScript:
      return script_[move.a].name;
    case Move::Kind::kSent:
      return "sent " + text_of(sending_[move.a].tx);
    case Move::Kind::kFailed:
      return "failed " + text_of(sending_[move.a].tx);
    case Move::Kind::kLanded:
      return "landed " + text_of(landing_[move.a]);
  }
  return "";
}

std::string ExploredNode::text() const {
  std::string text;
  for (const bool done : done_) text += done ? '1' : '0';
  for (const auto& shard : shards_) text += "\n" + text_of(shard->observe());
  for (const auto& [pair, queue] : queues_)
    for (const auto& shard_msg : queue)
      text += fmt::format("\n{}>{} {}", pair.first, pair.second, text_of(shard_msg));
  for (const Sending& send : sending_)
    text += fmt::format(" {}{}", send.ping ? 'p' : 's', text_of(send.tx));
  for (const MsgTicket msg : landing_) text += " l" + text_of(msg);
  for (const Rx& rx : rxs_) text += fmt::format(" r{}{}", rx.bits, static_cast<int>(rx.state));
  std::vector<std::string> events = events_;
  std::sort(events.begin(), events.end());
  for (const std::string& event : events) text += " " + event;
  return text + fmt::format(" {} {}", drained_, may_fail_);
}

bool ExploredNode::finds_a_buffer(const Rx& rx) const {
  return std::any_of(shards_.begin(), shards_.end(), [&](const auto& shard) {
    auto& s = const_cast<ShardState&>(shard->observe());
    PortalState* portal = s.portals.find(kPortal);
    const PeerEntryRef peer_entry = state(kControlShard).directory.peer_entry_of(rx.header.src_nid);
    return portal != nullptr &&
           portal->entries.search(request_of(rx.header, peer_entry.get()), portal->unique()).kind !=
               core::Match::Kind::kNone;
  });
}

std::string ExploredNode::verdict() const {
  if (!wrong_.empty()) return wrong_;
  for (const auto& shard : shards_)
    for (const LocalNi* ni : shards_[kControlShard]->observe().nis.configured()) {
      const LocalNi* seen = shard->observe().nis.find(ni->config.id);
      if (seen != nullptr && seen->health != ni->health)
        return fmt::format("NI {} has health {}, and {} for another shard", ni->config.id.value,
                           ni->health, seen->health);
    }
  const Directory& directory = state(kControlShard).directory;
  for (const auto& shard : shards_) {
    std::string wrong;
    shard->observe().peers.for_each([&](const PeerNid& known) {
      const PeerNid* owner = state(placement_.of(known.nid)).peers.find(known.nid);
      if (owner != nullptr && owner->health != known.health)
        wrong = fmt::format("{} has health {}, and {} for another shard", known.nid.to_string(),
                            owner->health, known.health);
      if (known.peer_entry != directory.peer_entry_of(known.nid))
        wrong = known.nid.to_string() + " has another peer entry in a shard than in the directory";
      if (known.ni != nullptr && known.ni->met && directory.find(known.nid) == nullptr)
        wrong = known.nid.to_string() + " was met, but is not in the directory";
    });
    if (!wrong.empty()) return wrong;
  }
  std::uint32_t kept = 0;
  const std::uint32_t owner = placement_.owner_of(kPortal);
  for (const Rx& rx : rxs_) {
    if (rx.state == Rx::State::kDeferred) return fmt::format("{} is never decided", rx.bits);
    if (rx.state == Rx::State::kNone) return fmt::format("{} was forgotten", rx.bits);
    if (rx.state != Rx::State::kHeld) continue;
    // The owner shard has a record of its own for a message that came in at another shard.
    kept += rx.shard == owner ? 1 : 2;
    if (finds_a_buffer(rx)) return fmt::format("{} waits though there is a buffer for it", rx.bits);
    if (removed_ == shards_.size()) return fmt::format("{} waits, its NI is gone", rx.bits);
  }
  std::uint32_t messages = 0;
  for (const auto& shard : shards_) {
    const ShardState& s = shard->observe();
    messages += s.messages.size();
    if (s.remote_mds.size() != 0) return "an MD of another shard is remembered";
    std::string busy;
    s.memory.for_each([&](const Md& md) {
      if (md.refs != 0) busy = fmt::format("MD {:x} is never idle", md.handle.cookie);
      if (md.state != MdState::kActive) busy = fmt::format("MD {:x} stays", md.handle.cookie);
    });
    if (!busy.empty()) return busy;
  }
  if (messages != kept) return fmt::format("{} messages are left, {} wait", messages, kept);
  for (const auto& [md, last] : last_events_)
    if (last > 1) return fmt::format("MD {:x} ended {} times", md, last);
  if (removed_ == shards_.size() && drained_ != shards_.size())
    return fmt::format("drained by {} shards of {}", drained_, shards_.size());
  return {};
}

}  // namespace ulnet::core::shard_msgs
