// A node of a simulated world: the same shard as in production, drivers at its edge, handlers on
// strands, and a life: it starts, is frozen, dies, comes back with another incarnation, shuts down
// in order. It is an ulnet::Lnet, so everything above LNet runs on it unchanged. Source: DESIGN.md
// 2, 3, 6.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/api.h"
#include "core/config.h"
#include "core/drop_reason.h"
#include "core/lnet_calls.h"
#include "core/shard.h"
#include "lnd/sock/counters.h"
#include "lnd/sock/tunables.h"
#include "sim/checker.h"
#include "sim/edge.h"
#include "sim/wire_model.h"
#include "ulnet/lnet.hpp"

namespace ulnet::lnd::sock {
class Engine;
}

namespace ulnet::sim {

struct NiSetup {
  Nid nid;
  std::optional<EdgeKind> edge{};  ///< else the node's. kSock takes tcp NIDs only
  core::NetTunables tunables{};
  std::int32_t conns_per_peer = 1;
  Duration lnd_timeout{};  ///< 0: what follows from the globals
};

struct NodeSetup {
  std::string name{};          ///< unique; empty: "n" and its number
  std::vector<NiSetup> nis{};  ///< beside 0@lo, in net, NI order
  EdgeKind edge = EdgeKind::kPipe;
  core::Globals globals{};
  lnd::sock::SockTunables sock{};
  Pid pid = Pid::lustre();
  /// CPU partitions, each with a shard of its own. Who calls runs on one of them by chance, and
  /// letters between them take up to `letter_delay`, in order for each pair.
  std::uint32_t partitions = 1;
  Duration letter_delay = std::chrono::microseconds(20);
  /// Handlers run up to so much after their event was posted, in order within an MD, by chance
  /// between MDs. 0: at once.
  Duration handler_delay{};

  /// A handler runs before anything that its message caused is seen elsewhere: it is neither
  /// delayed nor told by letter.
  bool handles_at_once() const { return handler_delay == Duration{} && partitions == 1; }
};

/// Where a ping that was not waited for ends.
class PingSink {
 public:
  virtual ~PingSink() = default;
  virtual void on_ping(std::uint64_t ticket, int status, const PingReply& reply) = 0;
};

/// What is left in a node: all zero before it starts and after it stopped, but for MDs and MEs that
/// users did not unlink.
struct Leftovers {
  std::size_t messages = 0;   ///< of the shard
  std::size_t responses = 0;  ///< awaited
  std::size_t mds = 0, mes = 0;
  std::size_t edge_messages = 0;  ///< in the drivers' hands
  std::size_t letters = 0;        ///< between its shards
  std::size_t events = 0;         ///< posted, not handled yet
  bool operator==(const Leftovers&) const = default;
};

class SimNode final : public core::LnetCalls<Lnet> {
 public:
  enum class State : std::uint8_t { kDown, kUp, kPaused, kStopping, kStopped };

  /// Made by World::add_node().
  SimNode(World& world, std::uint32_t number, NodeSetup setup);
  ~SimNode() override;

  // Who it is
  std::uint32_t number() const { return number_; }  ///< dense, in the order of add_node()
  const std::string& name() const { return setup_.name; }
  const NodeSetup& setup() const { return setup_; }
  State state() const { return state_; }
  /// Calls of the API may be made, and are answered.
  bool up() const { return state_ == State::kUp; }
  /// The first NID beside 0@lo; any when there is none.
  Nid nid(std::size_t index = 0) const {
    return index < setup_.nis.size() ? setup_.nis[index].nid : Nid::any();
  }
  ProcessId id(std::size_t index = 0) const { return {nid(index), setup_.pid}; }
  Place place(std::size_t index = 0) const { return places_[index]; }
  /// How often it was started.
  std::uint32_t life() const { return life_number_; }
  /// Of the life; grows. Also the interface cookie.
  std::uint64_t incarnation() const { return incarnation_; }

  // Its life. Not from its own handlers.
  /// From kDown or kStopped; add_node() does it for the first time.
  void start();
  /// The process dies, and everything in it with it: MDs, events, connections; handlers are not
  /// called any more. `silent`: its machine dies as well, so that nobody is told.
  void crash(bool silent = false);
  /// Inputs, timers and handlers wait; messages and bytes still reach its machine.
  void pause();
  void resume();
  /// In order, as ulnetd does: new calls are refused, what is under way has `grace` to end, NIs
  /// stop. Ends later, in kStopped.
  void shutdown(Duration grace = std::chrono::seconds(5));
  /// A link goes or comes: the wire at this NI's address, and the node is told (NiState).
  void set_link(std::size_t index, bool up);

  // Its configuration: changes the snapshot that is in force; NIs that went drain and stop.
  /// The next life starts with it as well.
  void configure(const core::Globals& globals);
  /// -EADDRINUSE: somebody has that NID, or it is one of its own that has not stopped yet.
  Result<void> add_ni(const NiSetup& ni);
  void remove_ni(const Nid& nid);

  // ulnet::Lnet. On a node that is not up: -ESHUTDOWN. Waiting calls run the world meanwhile, so
  // they are for whoever runs it: inside an act(), a handler or a checker they are -EDEADLK.
  std::uint32_t cpts() const override { return setup_.partitions; }
  Result<void> md_unlink(MdHandle md) override;
  Result<PingReply> ping(const PingRequest& request) override;
  void after(std::chrono::nanoseconds delay, std::function<void()> fn) override;
  bool progress(std::chrono::nanoseconds wait) override;
  bool polled() const override { return true; }
  bool in_handler() const override;

  /// A ping that ends in `sink`, which must outlive it or the node's life. Its ticket.
  Result<std::uint64_t> start_ping(const PingRequest& request, PingSink& sink);
  /// Any call of core/api.h, also the administrator's.
  void call(core::ApiCall& call);

  // What can be seen of it, at no cost to who does not look. Null while there is no life.
  const core::ShardState* shard_state(std::uint32_t shard = 0) const;
  std::uint32_t shards() const { return setup_.partitions; }
  const core::NodeConfig* config() const;
  /// The TCP driver's machine; null without one.
  const lnd::sock::Engine* engine() const;
  Leftovers leftovers() const;
  /// On their way between its shards.
  std::size_t letters() const;
  /// Messages dropped or refused, by reason, in all its lives.
  std::array<std::uint64_t, core::kDropReasons> drops() const;
  /// What its TCP drivers counted, in all its lives.
  std::array<std::uint64_t, lnd::sock::kCountKinds> sock_counts() const;
  /// Something of it is under way: a message, an awaited answer, an event.
  bool busy() const;

 private:
  friend class World;
  struct Life;

  Result<void> answer(core::ApiCall& api) override;
  void end_life(bool silent);

  World& world_;
  const std::uint32_t number_;
  NodeSetup setup_;
  std::vector<Place> places_;
  State state_ = State::kDown;
  std::uint32_t life_number_ = 0;
  std::uint64_t incarnation_ = 0;
  std::array<std::uint64_t, core::kDropReasons> past_drops_{};
  std::array<std::uint64_t, lnd::sock::kCountKinds> past_counts_{};
  std::unique_ptr<Life> life_;
};
const char* to_string(SimNode::State state);

}  // namespace ulnet::sim
