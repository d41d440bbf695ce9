#include "sim/world/sock_driver.h"

#include <algorithm>
#include <cerrno>

#include "lnet/base/assert.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

constexpr std::size_t kBuffer = 64 << 10;
constexpr std::size_t kVectors = 64;
/// When a write has this many bytes, it takes no further message.
constexpr std::size_t kWriteEnough = 256 << 10;
constexpr std::uint16_t kFirstPort = 1023, kLastPort = 512;

std::uint64_t number_of(Handle handle) {
  return static_cast<std::uint64_t>(handle.generation) << 32 | handle.slot;
}

}  // namespace

SockDriver::SockDriver(World& world, SimNode& node, lnd::Inlet& inlet)
    : world_(world),
      node_(node),
      inlet_(inlet),
      tunables_(node.setup().sock),
      luck_(world.rng(node.name() + "/memory")),
      engine_(0, tunables_, *this) {}

SockDriver::~SockDriver() { crash(true); }

std::uint32_t SockDriver::number() const { return node_.number(); }

// ---- NIs ----------------------------------------------------------------------------------------

Result<lnd::NiStarted> SockDriver::start_ni(const lnd::NiSpec& spec) {
  const Nid nid = spec.nid.value_or(Nid::any());
  const auto address = lnd::sock::address_of(nid);
  if (!address) return fail(-EINVAL, nid.to_string() + " is not a NID of the tcp driver");
  lnd::sock::NiInfo ni;
  ni.id = spec.id;
  ni.nid = nid;
  ni.pid = spec.pid;
  ni.address = *address;
  incarnation_ = std::max({incarnation_ + 1, node_.incarnation(),
                           static_cast<std::uint64_t>(world_.now().time_since_epoch().count())});
  ni.incarnation = incarnation_;
  const auto conns = spec.options.find("conns_per_peer");
  ni.conns_per_peer = conns == spec.options.end() ? 1 : std::max(conns->second, 1);
  ni.timeout = spec.timeout;
  const Endpoint at{*address, static_cast<std::uint16_t>(tunables_.accept_port)};
  if (tunables_.accept != lnd::sock::Accept::kNone && world_.streams().listen(at, *this) != 0)
    return fail(-EADDRINUSE, at.to_string() + " is taken");
  nis_.push_back({spec.id, at});
  engine_.at(world_.now());
  engine_.add_ni(ni);
  lnd::NiStarted started;
  started.nid = nid;
  started.interface = nid.to_string();
  started.timeout = ni.timeout;
  started.options = {{"conns_per_peer", ni.conns_per_peer}, {"tos", ni.tos}};
  return started;
}

void SockDriver::stop_ni(core::NiId ni) {
  std::erase_if(nis_, [&](const Ni& each) {
    if (each.id != ni) return false;
    if (tunables_.accept != lnd::sock::Accept::kNone) world_.streams().unlisten(each.at);
    return true;
  });
  engine_.at(world_.now());
  drain();
  engine_.remove_ni(ni);
  drain();
  world_.queue().by(engine_.next_deadline(), timer_);
}

void SockDriver::link_changed(core::NiId ni, bool up) {
  engine_.at(world_.now());
  drain();
  engine_.link_changed(ni, up);
  move_bytes();
}

void SockDriver::crash(bool silent) {
  if (std::exchange(gone_, true)) return;
  queue_.clear();
  world_.streams().abandon(*this, silent);
  // `gone_` is set, so deliver() drops all inputs.
  for (const Ni& ni : nis_) engine_.remove_ni(ni.id);
  nis_.clear();
}

// ---- stream events and timers -------------------------------------------------------------------

void SockDriver::pause(bool paused) {
  paused_ = paused;
  if (!paused) world_.queue().in({}, timer_);
}

void SockDriver::happened(Happened&& what) {
  if (paused_) return happened_.push_back(std::move(what));
  engine_.at(world_.now());
  handle(what);
  move_bytes();
  inlet_.after_batch();
}

void SockDriver::on_time() {
  if (paused_) return;
  engine_.at(world_.now());
  for (const Happened& what : std::exchange(happened_, {})) handle(what);
  engine_.work();
  move_bytes();
  inlet_.after_batch();
}

void SockDriver::flush() {
  engine_.at(world_.now());
  move_bytes();
}

void SockDriver::move_bytes() {
  do {
    for (const Handle conn : std::exchange(not_dialled_, {})) engine_.dial_failed(conn, EMFILE);
    drain();
    if (engine_.has_work()) engine_.work();
    writing_.swap(engine_.writable());
    for (const Handle conn : writing_) {
      engine_.clear_writable(conn);
      if (const Socket* socket = find(conn); socket != nullptr) write(conn);
    }
    writing_.clear();
  } while (!queue_.empty() || !engine_.writable().empty() || !not_dialled_.empty());
  world_.queue().by(engine_.has_work() ? world_.now() : engine_.next_deadline(), timer_);
}

void SockDriver::drain() {
  if (queue_.empty()) return;
  working_.swap(queue_);
  for (lnd::Command& command : working_) carry_out(std::move(command));
  working_.clear();
  engine_.drained();
}

void SockDriver::carry_out(lnd::Command&& command) {
  if (const auto* send = std::get_if<core::Send>(&command)) {
    ++world_.exercised().messages[static_cast<std::size_t>(send->header.type())];
    world_.touch_memory(node_, send->payload, false);
  } else if (const auto* land = std::get_if<core::Land>(&command)) {
    // Nothing is written for a message whose connection has died meanwhile.
    if (engine_.see(land->rx)) world_.touch_memory(node_, land->sink, true);
  }
  engine_.command(std::move(command));
}

// ---- Outlet -------------------------------------------------------------------------------------

bool SockDriver::deliver(const core::Input& input) {
  if (gone_) return false;
  const bool done = inlet_.deliver(input);
  if (!std::holds_alternative<core::HeaderArrived>(input)) return false;
  // The verdict on a header has to be carried out before the engine goes on reading. The commands
  // queued before it have to be carried out first.
  nested_.swap(queue_);
  for (lnd::Command& command : nested_) carry_out(std::move(command));
  nested_.clear();
  return done;
}

void SockDriver::dial(Handle conn, const lnd::sock::DialOrder& order) {
  if (gone_) return;
  if (no_descriptor()) {
    engine_.report(lnd::sock::Count::kRefusedNoDescriptor, order.remote);
    return not_dialled_.push_back(conn);
  }
  const Handle stream = world_.streams().dial({order.local, port_}, order.remote, *this);
  port_ = port_ == kLastPort ? kFirstPort : static_cast<std::uint16_t>(port_ - 1);
  attach(conn, stream);
}

void SockDriver::close(Handle conn) {
  Socket* socket = find(conn);
  if (socket == nullptr) return;
  by_stream_.erase(number_of(socket->stream));
  if (!gone_ && socket->stream && !socket->refused) world_.streams().close(socket->stream);
  *socket = {};
}

void SockDriver::leave(Handle conn, core::NiId ni) {
  Socket* socket = find(conn);
  if (socket == nullptr) return;
  by_stream_.erase(number_of(socket->stream));
  if (!gone_) {
    world_.streams().leave(socket->stream);
    left_.push_back({ni, socket->stream});
  }
  *socket = {};
}

bool SockDriver::resends_soon() {
  return world_.wire().model().retransmit_max <= std::chrono::seconds(1);
}

void SockDriver::reset_left(core::NiId ni) {
  std::erase_if(left_, [&](const Left& left) {
    if (left.ni != ni) return false;
    if (!gone_) world_.streams().close(left.stream, true);
    return true;
  });
}

void SockDriver::pause(Handle conn, bool paused) {
  Socket* socket = find(conn);
  if (socket == nullptr) return;
  socket->paused = paused;
  if (!paused) world_.streams().rearm(socket->stream);
}

void SockDriver::opened(Handle conn, wire::ConnType, std::int32_t) {
  if (const Socket* socket = find(conn))
    world_.connection_opened(node_, *engine_.see(conn), world_.streams().number(socket->stream));
}

/// On a simulated node 0 means no limit: it has no descriptors.
lnd::sock::Share SockDriver::take_connections(const lnd::sock::Address& address,
                                              std::uint16_t count) {
  const auto limit = [](std::int32_t tunable) {
    return tunable == 0 ? MemoryBudget::kUnlimited : static_cast<std::uint64_t>(tunable);
  };
  if (no_memory()) return lnd::sock::Share::kAllFull;
  return connections_.take(
      address, count, {limit(tunables_.accept_open_per_address), limit(tunables_.accept_open)});
}

std::uint32_t SockDriver::unacknowledged(Handle conn) {
  const Socket* socket = find(conn);
  return socket == nullptr ? 0 : world_.streams().unacknowledged(socket->stream);
}

// ---- sockets ------------------------------------------------------------------------------------

SockDriver::Socket* SockDriver::find(Handle conn) {
  if (conn.slot >= sockets_.size() || sockets_[conn.slot].conn != conn) return nullptr;
  return &sockets_[conn.slot];
}

SockDriver::Socket* SockDriver::of_stream(Handle stream) const {
  return by_stream_.find(number_of(stream));
}

void SockDriver::attach(Handle conn, Handle stream) {
  while (sockets_.size() <= conn.slot) sockets_.emplace_back();
  Socket& socket = sockets_[conn.slot];
  socket = {conn, stream};
  by_stream_.insert(number_of(stream), &socket);
  world_.streams().keep_alive(stream, {.idle = std::chrono::seconds(tunables_.keepalive_idle),
                                       .interval = std::chrono::seconds(tunables_.keepalive_intvl),
                                       .count = tunables_.keepalive_count});
  if (buffer_ != nullptr) return;
  buffer_ = std::make_unique_for_overwrite<std::byte[]>(kBuffer);
  scratch_ = std::make_unique_for_overwrite<std::byte[]>(kBuffer);
}

void SockDriver::on_dialled(Handle stream, int error) {
  if (Socket* socket = of_stream(stream)) socket->refused = error != 0;
  happened({Happened::What::kDialled, stream, error, {}});
}
void SockDriver::on_accepted(Handle stream, const Endpoint&, const Endpoint& remote) {
  happened({Happened::What::kAccepted, stream, 0, remote});
}
void SockDriver::on_readable(Handle stream) {
  happened({Happened::What::kReadable, stream, 0, {}});
}
void SockDriver::on_writable(Handle stream) {
  happened({Happened::What::kWritable, stream, 0, {}});
}

void SockDriver::handle(const Happened& what) {
  if (what.what == Happened::What::kAccepted) {
    if (no_descriptor()) {
      engine_.report(lnd::sock::Count::kRefusedNoDescriptor, what.remote);
      return world_.streams().close(what.stream);
    }
    const auto conn = engine_.accepted(what.remote);
    if (!conn) return world_.streams().close(what.stream);
    attach(*conn, what.stream);
    return world_.streams().rearm(what.stream);
  }
  Socket* socket = of_stream(what.stream);
  if (socket == nullptr) return;  // closed meanwhile
  const Handle conn = socket->conn;
  switch (what.what) {
    case Happened::What::kDialled:
      if (what.error == 0) return engine_.connected(conn, false);
      by_stream_.erase(number_of(what.stream));
      *socket = {};
      return engine_.dial_failed(conn, what.error);
    case Happened::What::kReadable:
      if (!socket->paused) return read(conn);
      if (const int error = world_.streams().error(what.stream); error != 0) end(conn, error);
      return;
    case Happened::What::kWritable:
      return write(conn);
    case Happened::What::kAccepted:
      return;
  }
}

void SockDriver::read(Handle conn) {
  bool full = true;
  while (full) {
    const Socket* socket = find(conn);
    std::size_t bytes = 0;
    if (socket == nullptr || !read_once(conn, *socket, bytes, full)) return;
  }
}

/// Ends the connection. The bytes that have already arrived on the siblings of this connection were
/// written before its end, so they are read first; the reactor does the same.
void SockDriver::end(Handle conn, int error) {
  if (!ending_.empty()) return;  // this connection is a sibling of one that has ended
  ending_.push_back(conn);
  engine_.siblings(conn, ending_);
  for (std::size_t i = 0; i < ending_.size(); ++i) {
    bool full = true;
    std::size_t bytes = 0;
    for (const Socket* socket = find(ending_[i]); socket != nullptr; socket = find(ending_[i])) {
      world_.streams().join(socket->stream);
      if (!read_once(ending_[i], *socket, bytes, full)) break;
    }
  }
  ending_.clear();
  engine_.ended(conn, error);
}

/// Reads once. True: bytes were read, and the connection is still open. `full`: there may be more
/// to read.
bool SockDriver::read_once(Handle conn, const Socket& socket, std::size_t& bytes, bool& full) {
  iovec vectors[kVectors + 1];
  std::size_t direct = 0;
  std::size_t ahead = kBuffer;
  std::size_t used = engine_.read_plan(conn, vectors, kVectors, direct, ahead);
  if (ahead != 0) vectors[used++] = {buffer_.get(), ahead};
  if (used == 0) return false;
  const Transfer got = world_.streams().read(socket.stream, vectors, used);
  if (got.bytes == 0) {
    full = false;
    if (got.error != EAGAIN) end(conn, got.error);
    return false;
  }
  bytes = got.bytes;
  full = bytes == direct + ahead;
  const std::size_t landed = std::min(bytes, direct);
  return engine_.received(conn, landed, {buffer_.get(), bytes - landed});
}

void SockDriver::write(Handle conn) {
  for (;;) {
    const Socket* socket = find(conn);
    if (socket == nullptr) return;
    iovec vectors[kVectors];
    const std::size_t used =
        engine_.gather(conn, vectors, kVectors, {scratch_.get(), kBuffer}, kWriteEnough);
    if (used == 0) return;
    std::size_t asked = 0;
    for (std::size_t i = 0; i < used; ++i) asked += vectors[i].iov_len;
    const Transfer put = world_.streams().write(socket->stream, vectors, used);
    if (put.error == EAGAIN) return;  // on_writable() follows
    if (put.error != 0) return end(conn, put.error);
    engine_.written(conn, put.bytes);
    if (put.bytes < asked) return;
  }
}

}  // namespace ulnet::sim
