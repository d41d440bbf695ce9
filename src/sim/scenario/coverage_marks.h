// Coverage marks: rare situations by name, counted at the inputs and actions of the shards. A
// mark that a swarm never hits is a situation that was never tested. Source: DESIGN.md 6.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/world/checker.h"

namespace ulnet::sim {

/// How often each mark was hit; a mark that was never hit is there with 0.
using MarkCounts = std::map<std::string, std::uint64_t>;

class CoverageMarks final : public Checker {
 public:
  CoverageMarks() : Checker("marks", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  /// The marks, and the counters of the world's TCP drivers.
  MarkCounts counts(const World& world) const;

 private:
  enum class Mark : std::uint8_t {
    kHeldForLazy,
    kHeldLanded,
    kRejected,
    kCancelled,
    kPayloadDiscarded,
    kCopiedAtOnce,
    kLandingFailed,
    kPeerDown,
    kPeerRestarted,
    kInterfaceDown,
    kInterfaceUp,
    kMdUnlinkedItself,
    kMdUnlinkedByCall,
    kPutCut,
    kEmptyMessage,
    kLargestMessage,
    kSeveralActions,
    kCallRefused,
    kWaitingCallFailed,
    kNiDrained,
    kTickActed,
    kSentAgain,
    kCount,
  };
  static constexpr std::size_t kMarks = static_cast<std::size_t>(Mark::kCount);
  static const char* name_of(Mark mark);
  void hit(Mark mark) { ++hits_[static_cast<std::size_t>(mark)]; }
  void look(const core::Input& input, const core::Actions& actions);
  void look(const core::Action& action);

  std::uint64_t hits_[kMarks] = {};
  std::uint64_t health_[11] = {};  ///< by core::Health: messages that failed
  std::uint64_t failed_[7] = {};   ///< by EventType: events with an error
  std::map<const char*, std::uint64_t> notes_;
};

}  // namespace ulnet::sim
