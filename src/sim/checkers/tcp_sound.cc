// TCP drivers keep the protocol, as far as lnet/lnd/sock/engine/view.h shows it:
// - Nodes never break the protocol towards each other, whatever the wire does. TCP loses and
//   damages nothing, so no node closes a connection for a bad frame, header, checksum or zero-copy
//   cookie, and no node refuses a request or hello of another as malformed. Peers that are not
//   nodes (raw_peer.h) may send nonsense: each connection with one may end that way once. The same
//   holds for a connection on which an ACK arrives for a request whose connection was closed
//   meanwhile (7): the ACK may use any connection, also one that this node has dialled and on which
//   it has got nothing yet.
// - With a peer, no more connections of each type are open than allowed, and no connection was
//   dialled that is not needed. This also holds while two nodes dial each other at the same time,
//   since the second connection is refused before it opens.
// - All open connections with a node are with one incarnation of it. The incarnation that a driver
//   knows changes only when they are gone; it may also change back, when the hello of an earlier
//   incarnation arrives after the later one was forgotten. Source: spec/wire-socklnd.md 5.1, 6, 7,
//   8, 9, 10.
#include <algorithm>
#include <map>

#include "lnet/lnd/sock/engine/engine.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"
#include "sim/checkers/tcp_talk.h"

namespace ulnet::sim {
namespace {

using lnd::sock::Address;
using lnd::sock::ConnView;
using lnd::sock::Count;
using lnd::sock::PeerView;
using wire::ConnType;

/// What is wrong with the connections of a peer; empty: nothing.
std::string wrong_with(const PeerView& peer, bool typed) {
  struct Census {
    std::int32_t open = 0, dialled = 0;
  };
  if (peer.oneself()) return {};
  std::map<std::pair<Address, ConnType>, Census> found;
  peer.for_each_conn([&](const ConnView& conn) {
    Census& of_its_kind = found[{conn.remote().address, conn.type()}];
    ++of_its_kind.open;
    of_its_kind.dialled += conn.active();
  });
  for (const auto& [kind, census] : found) {
    const ConnType type = kind.second;
    const bool wanted = typed == (type != ConnType::kAny);
    const bool bulk = type == ConnType::kBulkIn || type == ConnType::kBulkOut;
    const std::int32_t most_dialled = !wanted ? 0 : bulk ? peer.allowed() : 1;
    if (census.open > peer.allowed() || census.dialled > most_dialled)
      return std::to_string(census.open) + " connections of type " + to_string(type) + " with " +
             peer.hop().nid.to_string() + ", " + std::to_string(census.dialled) +
             " of them dialled, " + std::to_string(peer.allowed()) + " allowed";
  }
  return {};
}

class TcpSound final : public Checker {
 public:
  /// `talk` must outlive this checker.
  explicit TcpSound(const TcpTalk& talk) : Checker("TCP connections correct", 0), talk_(talk) {}

  void on_opened(World& world, SimNode& node, const ConnView& conn, std::uint64_t) override {
    const PeerView peer = conn.peer();
    if (std::string what = wrong_with(peer, node.setup().sock.typed_conns != 0); !what.empty())
      violation(world, &node, std::move(what));
    PerMessage<std::uint64_t>& incarnations = records_.of(node);
    incarnations.add(conn.handle(), peer.incarnation());
    peer.for_each_conn([&](const ConnView& other) {
      const std::uint64_t* known = incarnations.find(other.handle());
      if (known == nullptr || *known == peer.incarnation()) return;
      violation(world, &node, "has connections with two incarnations of {}", peer.hop().nid);
    });
  }

  void check_all(World& world) override {
    for (const SimNode& node : world.nodes()) {
      count_ends(world, node);
      if (node.engine() == nullptr) continue;
      const bool typed = node.setup().sock.typed_conns != 0;
      node.engine()->for_each_peer([&](const PeerView& peer) {
        if (std::string what = wrong_with(peer, typed); !what.empty())
          violation(world, &node, std::move(what));
      });
    }
  }

 private:
  void count_ends(World& world, const SimNode& node) const {
    const auto counts = node.sock_counts();
    std::uint64_t strange = world.streams().with_foreign(node.number());
    for (const Count count :
         {Count::kClosedBadFrame, Count::kClosedBadHeader, Count::kClosedBadChecksum,
          Count::kClosedBadCookie, Count::kRefusedBadRequest, Count::kRefusedBadHello}) {
      std::uint64_t times = counts[static_cast<std::size_t>(count)];
      if (count == Count::kClosedBadCookie) times -= std::min(times, talk_.late_acks(node));
      if (times > strange) return violation(world, &node, lnd::sock::to_string(count));
      strange -= times;
    }
  }
  const TcpTalk& talk_;
  /// The incarnation of the peer when a connection opened, by connection.
  PerNode<PerMessage<std::uint64_t>> records_;
};

}  // namespace

std::unique_ptr<Checker> tcp_sound_checker(const TcpTalk& talk) {
  return std::make_unique<TcpSound>(talk);
}

}  // namespace ulnet::sim
