#include "lone_node.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "lnet/base/assert.h"
#include "lnet/core/contract/drop_reason.h"
#include "lnet/core/flow/step.h"

namespace ulnet::fuzz {

using namespace lnd::sock;

namespace {

constexpr std::size_t kReadBuffer = 64 << 10;
constexpr std::size_t kScratch = 4096;
constexpr int kVectors = 16;
/// After this many rounds everything must have ended: nothing waits longer than a few time-outs.
constexpr int kRoundsMax = 10'000;

std::uint64_t number(const core::MsgTicket& ticket) {
  return static_cast<std::uint64_t>(ticket.generation) << 32 | ticket.slot;
}

/// Whether drop_count counts this drop. It counts neither a message that was not sent, nor a
/// description that a peer sends of itself, which is refused while its message is received.
bool is_received_drop(std::string_view text) {
  for (std::size_t i = 0; i < core::kDropReasons; ++i) {
    const auto reason = static_cast<core::DropReason>(i);
    if (text == core::to_string(reason))
      return core::drops_a_message(reason) && reason != core::DropReason::kQueuedTooLong;
  }
  return false;
}

}  // namespace

void UserMd::on_event(const Event& event) {
  ULNET_ASSERT(!unlinked && event.md == md);
  // A SEND's offset is in the peer's memory, and an ACK's offset comes from the peer
  // (spec/core-semantics.md 5).
  const bool ours = event.type != EventType::kSend && event.type != EventType::kAck;
  if (ours && event.mlength != 0)
    ULNET_ASSERT(event.offset <= bytes.size() && event.mlength <= bytes.size() - event.offset);
  if (event.type == EventType::kSend) ++sent;
  if (!event.unlinked) return;
  unlinked = true;
  bytes = {};  // frees the memory, so that a sanitizer finds later writes
}

LoneNode::LoneNode(const SockTunables& tunables, const std::vector<Nid>& nids)
    : engine_(0, tunables, *this), shard_(0) {
  engine_.at(now_);
  config_ = std::make_shared<core::NodeConfig>();
  config_->interface_cookie = 0xc00c1e;
  config_->nis.push_back({.id = kLoNi, .nid = Nid::loopback(), .tunables = {0, 0, 0, 0}});
  for (const Nid& nid : nids) {
    NiInfo ni;
    ni.id = {static_cast<std::uint32_t>(config_->nis.size()) + 1};
    ni.nid = nid;
    ni.address = address_of(nid).value();
    ni.incarnation = 0x17c0ffee;
    ni.timeout = std::chrono::seconds(50);
    nis_.push_back(ni);
    config_->nis.push_back({.id = ni.id, .nid = nid, .lnd_timeout = ni.timeout});
    engine_.add_ni(ni);
  }
  step(core::Config{std::make_shared<core::NodeConfig>(*config_)});
}

LoneNode::~LoneNode() {
  for (const NiInfo& ni : nis_) engine_.remove_ni(ni.id);
}

// ---- network ------------------------------------------------------------------------------------

void LoneNode::accept(const Endpoint& remote) {
  if (const auto conn = engine_.accepted(remote)) streams_.push_back({.conn = *conn});
}

void LoneNode::arrive(std::size_t index, std::size_t count, std::size_t chunk) {
  Stream& stream = streams_[index];
  const auto end =
      stream.coming.begin() + static_cast<std::ptrdiff_t>(std::min(count, stream.coming.size()));
  stream.arrived.insert(stream.arrived.end(), stream.coming.begin(), end);
  stream.coming.erase(stream.coming.begin(), end);
  read(stream, chunk);
}

/// Reads as the reactor does: payload directly to its place, the bytes after it into a buffer.
void LoneNode::read(Stream& stream, std::size_t chunk) {
  const Handle conn = stream.conn;
  std::size_t at = 0;
  const std::vector<std::byte> bytes = std::move(stream.arrived);
  stream.arrived.clear();
  // Reading may dial, which adds to `streams_` and so moves its elements.
  for (bool more = true; more && at < bytes.size() && !stream_of(conn).dialling;) {
    iovec vectors[kVectors];
    std::size_t direct = 0;
    std::size_t ahead = kReadBuffer;
    const std::size_t used = engine_.read_plan(conn, vectors, kVectors, direct, ahead);
    const std::size_t most = std::min({chunk, direct + ahead, bytes.size() - at});
    if (most == 0) break;
    std::size_t landed = 0;
    for (std::size_t i = 0; i < used && landed < most; ++i) {
      const std::size_t here = std::min(vectors[i].iov_len, most - landed);
      std::memcpy(vectors[i].iov_base, bytes.data() + at + landed, here);
      landed += here;
    }
    // A block of exactly this size, so that a sanitizer sees an access beyond its end.
    const auto* tail = bytes.data() + at + landed;
    const std::vector<std::byte> rest(tail, tail + (most - landed));
    at += most;
    more = engine_.received(conn, landed, rest);
  }
  Stream& after = stream_of(conn);
  if (after.live)
    after.arrived.insert(after.arrived.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                         bytes.end());
}

void LoneNode::write(std::size_t index, std::size_t count) {
  const Handle conn = streams_[index].conn;
  engine_.clear_writable(conn);
  std::erase(engine_.writable(), conn);
  while (count != 0 && stream_of(conn).live && !stream_of(conn).dialling) {
    iovec vectors[kVectors];
    std::byte scratch[kScratch];
    const std::size_t used = engine_.gather(conn, vectors, kVectors, scratch, kReadBuffer);
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < used; ++i) bytes += vectors[i].iov_len;
    if (bytes == 0) return;
    const std::size_t taken = std::min(bytes, count);
    count -= taken;
    engine_.written(conn, taken);
  }
  engine_.mark_writable(conn);
}

void LoneNode::answer_dial(std::size_t index, int error) {
  Stream& stream = streams_[index];
  if (!stream.dialling) return;
  stream.dialling = false;
  if (error == 0)
    engine_.connected(stream.conn, false);
  else
    engine_.dial_failed(stream.conn, error);
}

void LoneNode::end(std::size_t index, int error) {
  if (streams_[index].dialling) return answer_dial(index, error == 0 ? ECONNREFUSED : error);
  engine_.ended(streams_[index].conn, error);
  ULNET_ASSERT(!streams_[index].live);
}

void LoneNode::advance(Duration by) {
  now_ += by;
  engine_.at(now_);
}

Stream& LoneNode::stream_of(Handle conn) {
  const auto found = std::find_if(streams_.rbegin(), streams_.rend(),
                                  [&](const Stream& stream) { return stream.conn == conn; });
  ULNET_ASSERT(found != streams_.rend());
  return *found;
}

// ---- Outlet -------------------------------------------------------------------------------------

void LoneNode::dial(Handle conn, const DialOrder&) {
  streams_.push_back({.conn = conn, .dialling = true});
}

void LoneNode::close(Handle conn) {
  Stream& stream = stream_of(conn);
  ULNET_ASSERT(stream.live);
  stream.live = stream.opened = stream.dialling = false;
  stream.coming = stream.arrived = {};
}

void LoneNode::pause(Handle conn, bool paused) {
  Stream& stream = stream_of(conn);
  ULNET_ASSERT(stream.live && stream.opened);
  stream.paused = paused;
}

void LoneNode::opened(Handle conn, wire::ConnType, std::int32_t) {
  Stream& stream = stream_of(conn);
  ULNET_ASSERT(stream.live && !stream.opened && !stream.dialling);
  stream.opened = true;
}

std::uint32_t LoneNode::unacknowledged(Handle conn) {
  ULNET_ASSERT(stream_of(conn).live);
  return 0;
}

bool LoneNode::deliver(const core::Input& input) {
  if (const auto* done = std::get_if<core::SendDone>(&input))
    ULNET_ASSERT(sending_.erase(number(done->tx)) == 1);
  if (const auto* end = std::get_if<core::PayloadLanded>(&input)) landed(*end);
  const auto* header = std::get_if<core::HeaderArrived>(&input);
  if (header == nullptr) return step(input), false;
  ++headers_;
  verdicts_ = 0;
  judged_ = header->rx;
  step(input);
  ULNET_ASSERT(verdicts_ == 1);
  judged_ = {};
  const bool done = std::exchange(done_, false);
  run_commands();
  return done;
}

void LoneNode::landed(const core::PayloadLanded& landed) {
  if (landing_.erase(number(landed.msg)) == 1) {
    landings_failed_ += landed.status != 0;
    return;
  }
  // Otherwise the message was held, and its connection has broken.
  const auto same = [&](const auto& each) { return each.second == number(landed.msg); };
  ULNET_ASSERT(landed.status != 0);
  if (std::erase_if(held_, same) == 0)  // then its DropPayload was under way
    ULNET_ASSERT(std::erase_if(dropping_, same) == 1);
}

// ---- shard --------------------------------------------------------------------------------------

void LoneNode::step(const core::Input& input) {
  core::Actions actions;
  shard_.step(now_, input, actions);
  for (core::Action& action : actions) carry_out(action);
}

void LoneNode::carry_out(core::Action& action) {
  const auto judge = [&](core::RxTicket rx) { verdicts_ += rx == judged_; };
  if (auto* send = std::get_if<core::Send>(&action)) {
    ULNET_ASSERT(sending_.insert(number(send->tx)).second);
    if (const auto* put = std::get_if<wire::PutPart>(&send->header.part))
      asked_.push_back(put->ack_wmd);
    if (const auto* get = std::get_if<wire::GetPart>(&send->header.part))
      asked_.push_back(get->return_wmd);
    // This node has no lo driver.
    if (send->ni == kLoNi)
      from_lo_.push_back({send->tx, -EHOSTUNREACH, core::Health::kLocalError});
    else
      commands_.push_back(std::move(*send));
  } else if (auto* cancel = std::get_if<core::Cancel>(&action)) {
    commands_.push_back(*cancel);
  } else if (auto* land = std::get_if<core::Land>(&action)) {
    judge(land->rx);
    ULNET_ASSERT(land->sink.length <= land->rlen);
    held_.erase(land->rx.value);
    ULNET_ASSERT(landing_.insert(number(land->msg)).second);
    commands_.push_back(*land);
  } else if (auto* copy = std::get_if<core::CopyPayload>(&action)) {
    ULNET_ASSERT(copy->to.size() == copy->from.size());
    if (!copy->to.empty()) std::memcpy(copy->to.data(), copy->from.data(), copy->from.size());
  } else if (auto* hold = std::get_if<core::HoldPayload>(&action)) {
    judge(hold->rx);
    ULNET_ASSERT(held_.emplace(hold->rx.value, number(hold->msg)).second);
    commands_.push_back(*hold);
  } else if (auto* drop = std::get_if<core::DropPayload>(&action)) {
    judge(drop->rx);
    if (auto held = held_.extract(drop->rx.value)) dropping_.insert(std::move(held));
    if (drop->rx == judged_)
      done_ = true;
    else
      commands_.push_back(*drop);
  } else if (auto* reject = std::get_if<core::Reject>(&action)) {
    judge(reject->rx);
    ++rejects_;
    commands_.push_back(*reject);
  } else if (auto* post = std::get_if<core::Post>(&action)) {
    post->sink->on_event(post->event);
  } else if (auto* drained = std::get_if<core::Drained>(&action)) {
    ULNET_ASSERT(drained_.insert(drained->ni.value).second);
  } else if (auto* note = std::get_if<core::Note>(&action)) {
    // This file stands in for the driver, so a note about an error of the driver is a bug of this
    // file.
    ULNET_ASSERT(std::strncmp(note->text, "a driver ", 9) != 0);
  }
}

void LoneNode::run_commands() {
  std::deque<lnd::Command> now;
  now.swap(commands_);
  for (lnd::Command& command : now) {
    const auto* drop = std::get_if<core::DropPayload>(&command);
    const std::uint64_t rx = drop != nullptr ? drop->rx.value : 0;
    engine_.command(std::move(command));
    dropping_.erase(rx);
  }
}

void LoneNode::run_lazily() {
  engine_.work();
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (streams_[i].live && !streams_[i].paused && !streams_[i].arrived.empty())
      read(streams_[i], kReadBuffer);
}

void LoneNode::run_to_rest() {
  for (int round = 0; round < kRoundsMax; ++round) {
    while (!from_lo_.empty()) {
      const core::SendDone done = from_lo_.front();
      from_lo_.pop_front();
      deliver(done);
    }
    run_commands();
    engine_.drained();
    run_lazily();
    if (shard_.next_deadline() <= now_) step(core::Tick{});
    if (commands_.empty() && from_lo_.empty() && !engine_.has_work()) return;
  }
  ULNET_ASSERT(!"it comes to rest");
}

// ---- users --------------------------------------------------------------------------------------

UserMd& LoneNode::add_md(std::uint32_t length) {
  UserMd& md = mds_.emplace_back();
  md.bytes.resize(length);
  md.fragment = {md.bytes.data(), length};
  return md;
}

void LoneNode::configure(std::int32_t peer_credits, std::int32_t credits,
                         std::int32_t conns_per_peer) {
  ++config_->generation;
  for (core::NiConfig& ni : config_->nis) {
    if (ni.id == kLoNi) continue;
    ni.tunables.peer_credits = peer_credits;
    ni.tunables.credits = credits;
  }
  step(core::Config{std::make_shared<core::NodeConfig>(*config_)});
  for (NiInfo& ni : nis_) {
    ni.conns_per_peer = conns_per_peer;
    engine_.change_ni(ni);
  }
}

core::call::Show LoneNode::show() {
  core::call::Show shown;
  ULNET_ASSERT(call(core::call::Show{}, &shown) == 0);
  return shown;
}

// ---- properties ---------------------------------------------------------------------------------

void LoneNode::check() {
  const core::call::Show shown = show();
  const core::GlobalStats& s = shown.statistics;
  std::uint64_t reasons = 0;
  for (const core::call::DropRow& row : shown.drops)
    if (is_received_drop(row.reason)) reasons += row.count;
  // Every drop has a reason. Each message that arrived was received, dropped, refused, or is under
  // way.
  ULNET_ASSERT(reasons == s.drop_count + rejects_);
  ULNET_ASSERT(headers_ == s.recv_count + s.drop_count + rejects_ + landings_failed_ +
                               landing_.size() + held_.size());
  ULNET_ASSERT(s.msgs_alloc >= sending_.size() + landing_.size() + held_.size());
  std::uint64_t open = 0;
  for (const Stream& stream : streams_) open += stream.opened;
  const lnd::sock::Counters& counted = engine_.counters();
  ULNET_ASSERT(counted.of(Count::kOpened) == counted.of(Count::kClosed) + open);
  for (const UserMd& md : mds_) ULNET_ASSERT(md.sent <= md.begun);
}

bool LoneNode::any_left() const {
  const auto live = [](const Stream& stream) { return stream.live; };
  const bool discovers = !shard_.observe().path_waiters.for_discovery().empty();
  return discovers || !sending_.empty() || std::any_of(streams_.begin(), streams_.end(), live);
}

void LoneNode::end_streams() {
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (streams_[i].live) end(i, 0);
}

/// Ends all streams, and lets time pass until nothing is left.
void LoneNode::wind_down() {
  for (int round = 0; any_left(); ++round) {
    ULNET_ASSERT(round < kRoundsMax);
    end_streams();
    run_to_rest();
    check();
    // The messages that were received on these streams have ended too.
    ULNET_ASSERT(landing_.empty() && held_.empty());
    const Instant next = std::min(engine_.next_deadline(), shard_.next_deadline());
    if (next != kNever) advance(std::max<Duration>(next - now_, std::chrono::milliseconds(1)));
  }
}

/// With nothing under way all credits are back, and the counters agree.
void LoneNode::check_idle() {
  const core::call::Show shown = show();
  ULNET_ASSERT(shown.statistics.msgs_alloc == 0 && engine_.messages_in_flight() == 0);
  for (const core::call::NiRow& ni : shown.nis) {
    ULNET_ASSERT(ni.stats.credits == ni.stats.credits_max);
    ULNET_ASSERT(ni.stats.refs == (ni.id == kLoNi ? 2 : 1));
  }
  for (const core::PeerShow& peer : shown.peers)
    for (const core::PeerNiShow& ni : peer.nis) {
      ULNET_ASSERT(ni.available_tx_credits == ni.max_ni_tx_credits);
      ULNET_ASSERT(ni.refcount == 1 && ni.tx_q_num_of_buf == 0);
    }
}

void LoneNode::finish() {
  run_to_rest();
  wind_down();
  check_idle();
  call(core::call::Shutdown{});
  run_to_rest();
  for (const NiInfo& ni : nis_) engine_.remove_ni(ni.id);
  run_to_rest();
  ULNET_ASSERT(drained_.size() == nis_.size() + 1);
  ULNET_ASSERT(std::none_of(streams_.begin(), streams_.end(),
                            [](const Stream& stream) { return stream.live; }));
  for (UserMd& md : mds_) {
    if (!md.unlinked) call(core::call::MdUnlink{md.md});
    ULNET_ASSERT(md.unlinked && md.sent == md.begun);
  }
  const core::GlobalStats s = show().statistics;
  ULNET_ASSERT(s.msgs_alloc == 0 && s.rst_alloc == 0);
}

}  // namespace ulnet::fuzz
