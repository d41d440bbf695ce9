// Which routers carry the payload of a simulated site. Source: docs/FGR.md, "Simulated before it is
// built".
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/world/checker.h"
#include "ulnet/lnet.hpp"

namespace ulnet::tools::fgr {

/// Watches the steps of OSSs: the router that a REPLY comes from, and the router that a PUT goes
/// to.
class PayloadRouters final : public sim::Checker {
 public:
  PayloadRouters() : Checker("payload routers", kAfterStep) {}

  /// Begins to record the MDs of this node.
  void watch(const sim::SimNode& oss);
  /// Returns the number of the node of the router that last carried the payload of the MD, and
  /// forgets the router. kNone: no payload was carried.
  std::uint32_t take(const sim::SimNode& oss, MdHandle md);
  static constexpr std::uint32_t kNone = ~0U;

  void after_step(sim::World& world, const sim::ShardStep& step) override;

 private:
  struct Seen {
    std::uint64_t md = 0;
    std::uint32_t router = kNone;
  };
  struct Watched {
    bool on = false;
    std::vector<Seen> seen;  ///< for messages under way: a few
  };
  static void note(sim::World& world, Watched& at, std::uint64_t md, const Nid& router);

  std::vector<Watched> nodes_;  ///< by number
};

}  // namespace ulnet::tools::fgr
