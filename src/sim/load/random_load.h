// A load whose calls are all random. PUTs and GETs of many sizes, with and without ACK, also to the
// node itself; buffers that are too short, that are rings, that match one sender only, with every
// insert position; unlinks, also of MDs in use; pings; pushes of the node's ping info, which the
// other node answers with its own (spec/wire-lnet.md 5); a lazy portal that stops being lazy. The
// load itself verifies only the contents of event queues that are never polled: the checkers verify
// the rest. Source: spec/core-semantics.md 3 to 7.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/load/load.h"
#include "ulnet/lnet.hpp"

namespace ulnet::sim {

struct RandomLoadSetup {
  std::uint64_t operations = 0;                     ///< calls in all; 0: until wind_down()
  Duration think = std::chrono::microseconds(200);  ///< at most, between two calls
  std::uint32_t max_bytes = 4096;                   ///< of a message
  std::uint32_t first_portal = 5;                   ///< the load uses this portal and the next two
  /// The events of each MD go into an event queue of its own, which has room for a few events, and
  /// which no thread polls.
  bool unpolled = false;
};

/// Counted in Exercised::acts as "load random", and as "load queue full" when an event queue lost
/// events.
class RandomLoad final : public Load {
 public:
  RandomLoad(std::string name, const RandomLoadSetup& setup);
  ~RandomLoad() override;

  bool done() const override { return setup_.operations != 0 && begun_ == setup_.operations; }
  /// Unlinks every second one of its MDs. It leaves the others attached, as careless users do.
  void take_back(World& world) override;

  void begin(World& world) override;
  void act(World& world) override;
  void node_changed(World& world, SimNode& node, NodeChange change) override;
  void wind_down(World& world) override;

 private:
  /// An MD and its memory; reused after the MD's unlink event.
  struct Lent;
  struct PingEnd;

  Lent& lend(SimNode& node, std::uint32_t size);
  void look_at_queue(Lent& lent);
  void post(World& world, SimNode& node);
  bool bind(SimNode& node, Lent& lent, std::size_t fragments, std::int32_t threshold);
  void put(World& world, SimNode& node);
  void get(World& world, SimNode& node);
  void unlink(SimNode& node);
  void ping(World& world, SimNode& node);
  void push(World& world, SimNode& node);
  void call(World& world, SimNode& node);
  ProcessId somebody(World& world, const SimNode& node);
  ProcessId own_or_other(World& world, const SimNode& node);
  std::uint32_t some_size();
  void open_portals(SimNode& node);
  Portal plain() const { return {setup_.first_portal}; }
  Portal lazy() const { return {setup_.first_portal + 1}; }
  Portal ring() const { return {setup_.first_portal + 2}; }

  const RandomLoadSetup setup_;
  std::vector<std::unique_ptr<Lent>> lent_;
  std::unique_ptr<PingEnd> pings_;
  World* world_ = nullptr;
  std::uint64_t begun_ = 0;
  std::uint64_t* acts_ = nullptr;
  bool ending_ = false;
};

}  // namespace ulnet::sim
