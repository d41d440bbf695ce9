// Coverage marks: rare situations by name, counted at the inputs and actions of the shards. A
// mark that a swarm never hits is a situation that was never tested. Source: DESIGN.md 6.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "sim/world/checker.h"

namespace ulnet::sim {

/// How often each mark was hit; a mark that was never hit is there with 0.
using MarkCounts = std::map<std::string, std::uint64_t>;

inline constexpr std::array kMarks = {"held for a lazy portal",
                                      "landed by a call",
                                      "connection refused for a bad message",
                                      "cancelled",
                                      "payload discarded",
                                      "taken as its header came",
                                      "landing failed",
                                      "peer down",
                                      "peer restarted",
                                      "interface down",
                                      "interface up again",
                                      "MD unlinked itself",
                                      "MD unlinked by call",
                                      "PUT cut to its buffer",
                                      "message without payload",
                                      "message of 1 MiB",
                                      "eight actions or more in a step",
                                      "call refused",
                                      "waiting call failed",
                                      "NI drained",
                                      "a timer acted",
                                      "message sent again"};

class CoverageMarks final : public Checker {
 public:
  CoverageMarks() : Checker("marks", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;
  /// The marks, and the counters of the world's TCP drivers.
  MarkCounts counts(const World& world) const;

 private:
  /// A mark by its name. A name that kMarks does not have is not compiled.
  struct Mark {
    consteval Mark(const char* name) {
      while (std::string_view(kMarks.at(number)) != name) ++number;
    }
    std::size_t number = 0;
  };
  void hit(Mark mark) { ++hits_[mark.number]; }
  void look(const core::Input& input, const core::Actions& actions);
  void look(const core::Action& action);

  std::uint64_t hits_[kMarks.size()] = {};
  std::uint64_t health_[11] = {};  ///< by core::Health: messages that failed
  std::uint64_t failed_[7] = {};   ///< by EventType: events with an error
  std::map<const char*, std::uint64_t> notes_;
};

}  // namespace ulnet::sim
