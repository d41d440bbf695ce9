// A load that does a little of everything, by chance: PUTs and GETs of many sizes, with ACK and
// without, to buffers, rings and lazy portals, unlinks at bad moments, pings.
#pragma once

#include <memory>
#include <vector>

#include "sim/actor.h"
#include "ulnet/lnet.hpp"

namespace ulnet::sim {

class MixedLoad final : public Actor {
 public:
  MixedLoad();
  ~MixedLoad() override;

  void act(World& world) override;
  void node_changed(World& world, SimNode& node, NodeChange change) override;
  void wind_down(World& world) override;
  std::uint64_t operations() const { return operations_; }

 private:
  /// One MD with its memory; used again when its last event was handled.
  struct Lent;

  Lent& lend(SimNode& node, std::size_t size);
  void post(World& world, SimNode& node);
  void put(World& world, SimNode& node);
  void get(World& world, SimNode& node);
  void unlink(SimNode& node);
  void ping(World& world, SimNode& node);
  ProcessId somebody(World& world, SimNode& node);
  std::size_t some_size();
  void open_portals(SimNode& node);

  struct PingEnd;
  std::vector<std::unique_ptr<Lent>> lent_;
  std::unique_ptr<PingEnd> pings_;
  std::uint64_t operations_ = 0;
  bool ending_ = false;
};

}  // namespace ulnet::sim
