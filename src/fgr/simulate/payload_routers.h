// By which routers the payload of a simulated site goes. Source: docs/FGR.md, "Simulated before it
// is built".
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/world/checker.h"
#include "ulnet/lnet.hpp"

namespace ulnet::tools::fgr {

/// Looks at the steps of OSSs: from which router a REPLY comes, to which one a PUT goes.
class PayloadRouters final : public sim::Checker {
 public:
  PayloadRouters() : Checker("payload routers", kAfterStep) {}

  /// Of this node's MDs it tells from now on.
  void watch(const sim::SimNode& oss);
  /// The number of the router's node that has carried the payload of the MD last, and forgets it.
  /// kNone: no payload was carried.
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
    std::vector<Seen> seen;  ///< of messages under way: a few
  };
  static void note(sim::World& world, Watched& at, std::uint64_t md, const Nid& router);

  std::vector<Watched> nodes_;  ///< by number
};

}  // namespace ulnet::tools::fgr
