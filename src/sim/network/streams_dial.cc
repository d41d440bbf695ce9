// How a connection of virtual TCP begins: a SYN, its answer, and how the dial fails without one.
#include <cerrno>

#include "sim/network/streams_impl.h"

namespace ulnet::sim {
namespace {

constexpr std::size_t kSyn = 60;  ///< bytes of a SYN on the wire
/// When no machine of the same network has the address, the dial fails after this.
constexpr Duration kNobodyThere = std::chrono::seconds(3);

}  // namespace

void Streams::Impl::set_there(Place place, bool there) {
  if (there_.size() <= place.value) there_.resize(place.value + 1);
  there_[place.value] = there;
}

Handle Streams::Impl::dial(const Endpoint& from, const Endpoint& to, SocketUser& user) {
  const auto [self, conn] = conns_.make();
  conn->self = self;
  conn->number = ++numbers_;
  conn->dialler = user.number();
  End& active = conn->active;
  End& passive = conn->passive;
  for (End* end : {&active, &passive}) {
    end->impl = this;
    end->conn = conn;
    end->other = end == &active ? &passive : &active;
    end->local = end == &active ? from : to;
    end->place = wire_.place(end->local.address);
  }
  if (from.port == 0) {
    active.local.port = next_port_++;
    if (next_port_ == 0) next_port_ = 1024;
  }
  active.link = &wire_.link(active.place, passive.place);
  passive.link = &wire_.link(passive.place, active.place);
  set_there(active.place, true);
  const Handle handle = hold(active, user);
  conn->dial.begun = queue_.now();
  queue_.in({}, conn->dial);
  note(active, StreamChange::kDialled);
  return handle;
}

void Streams::Impl::dial_step(Conn& conn) {
  using Phase = Conn::Dial::Phase;
  Conn::Dial& dial = conn.dial;
  Link& out = *conn.active.link;
  Link& back = *conn.passive.link;
  const auto next = [&](Phase phase, Instant when) {
    dial.phase = phase;
    queue_.at(when, dial);
  };
  switch (dial.phase) {
    case Phase::kStart:
      if (!wire_.up(conn.active.place)) return end_dial(conn, ENETDOWN);
      if (!out.routed()) return end_dial(conn, ENETUNREACH);
      if (!out.open()) return retry(conn);
      if (!there(conn.passive.place)) return next(Phase::kNobody, queue_.now() + kNobodyThere);
      return next(Phase::kSyn, wire_.pass_segment(out, kSyn));
    case Phase::kSyn:
      if (!out.open() || !back.open() || !there(conn.passive.place)) return retry(conn);
      return next(listeners_.contains(conn.passive.local) ? Phase::kAnswer : Phase::kRefusal,
                  wire_.pass_segment(back, kSyn));
    case Phase::kAnswer:
    case Phase::kRefusal:
      if (!back.open()) return retry(conn);
      return end_dial(conn, dial.phase == Phase::kAnswer ? 0 : ECONNREFUSED);
    case Phase::kNobody:
      if (there(conn.passive.place)) return retry(conn);
      return end_dial(conn, EHOSTUNREACH);
    case Phase::kTimeUp:
      return end_dial(conn, ETIMEDOUT);
    case Phase::kFailed:
      return end_dial(conn, dial.error);
  }
}

void Streams::Impl::retry(Conn& conn) {
  Conn::Dial& dial = conn.dial;
  dial.wait = dial.wait == Duration{} ? model_.dial_retry : dial.wait * 2;
  const Instant last = dial.begun + model_.dial_limit;
  using Phase = Conn::Dial::Phase;
  dial.phase = queue_.now() + dial.wait < last ? Phase::kStart : Phase::kTimeUp;
  queue_.at(std::min(queue_.now() + dial.wait, last), dial);
}

void Streams::Impl::end_dial(Conn& conn, int error) {
  End& end = conn.active;
  SocketUser* const user = end.user;
  const Handle socket = end.handle;
  if (error != 0) {
    note(end, error == ETIMEDOUT ? StreamChange::kDialTimedOut : StreamChange::kRefused, error);
    let_go(end);
    conns_.erase(conn.self);
    return user->on_dialled(socket, error);
  }
  conn.dialling = false;
  end.open = true;
  end.heard = queue_.now();
  note(end, StreamChange::kConnected);
  push(end, {Piece::What::kOpen});
  user->on_dialled(socket, 0);
}

/// The dialler's last segment of the handshake arrived: the listener gets the connection.
void Streams::Impl::accept(Conn& conn) {
  End& end = conn.passive;
  const auto listener = listeners_.find(end.local);
  if (listener == listeners_.end()) return forget_if_over(conn);  // the listener is gone
  const Handle handle = hold(end, *listener->second);
  end.open = true;
  end.heard = queue_.now();
  note(end, StreamChange::kAccepted);
  note_stranger(conn.dialler, end.user->number());
  note_stranger(end.user->number(), conn.dialler);
  end.user->on_accepted(handle, end.local, conn.active.local);
}

}  // namespace ulnet::sim
