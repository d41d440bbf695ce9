// Verified traffic: every node of a world puts to and gets from the others, at random, and every
// byte, event and length that comes of it is checked at both ends. It goes on through crashes,
// pauses and shutdowns of nodes: what a node promised in an earlier life is forgotten with it.
// What is wrong ends the run as a violation of "load". Source: spec/core-semantics.md 3 to 7.
//
//   auto& load = world.add<VerifiedLoad>("load", LoadSetup{.at_once = 8});
//   world.run_for(seconds(5));
//   world.wind_down();        // begins nothing new; the world is not quiet until all has ended
//   world.run_until_quiet();
//   load.take_back(world);    // unlinks what it posted: then nothing of it is left in any node
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "sim/actor.h"

namespace ulnet::sim {

enum class LoadOp : std::uint8_t {
  kPut,      ///< without ACK, into a ring: one MD for many messages, which unlinks itself when full
  kPutAck,   ///< the same with ACK
  kPutOnce,  ///< with ACK, into an MD of its own that unlinks itself
  kPutLazy,  ///< with ACK, into a ring of a lazy portal that is empty now and then
  kGet,      ///< of a stretch of an MD that stays
  kGetOnce,  ///< of an MD of its own that unlinks itself
};
inline constexpr std::size_t kLoadOps = 6;
/// One word, as scenarios and tables write it: "put-ack".
const char* to_string(LoadOp op);

struct LoadSetup {
  std::uint64_t operations = 0;  ///< begins so many, then is done; 0: goes on until wind_down()
  std::uint32_t at_once = 4;     ///< under way per node
  Duration think = std::chrono::milliseconds(2);  ///< between two of one slot, at most
  std::uint32_t min_bytes = 0;
  std::uint32_t max_bytes = 1 << 20;  ///< most are small: half below 1 KiB
  std::array<std::uint32_t, kLoadOps> shares = {2, 4, 2, 1, 2, 2};  ///< by LoadOp
  Duration lazy_pause = std::chrono::milliseconds(20);  ///< the lazy ring is empty so long, at most
  std::uint32_t first_portal = 10;                      ///< it uses this one and the next three
};

/// In Exercised::acts: "load OP" for what began, "load failed" for what ended without success.
struct LoadCounts {
  std::array<std::uint64_t, kLoadOps> begun{};
  std::uint64_t ended = 0;      ///< as promised, successful or not
  std::uint64_t failed = 0;     ///< ... with an error
  std::uint64_t forgotten = 0;  ///< with the life of their node
  std::uint64_t arrived = 0;    ///< messages whose contents were checked at their target
};

class VerifiedLoad final : public Actor {
 public:
  VerifiedLoad(std::string name, const LoadSetup& setup = {});
  ~VerifiedLoad() override;

  const LoadCounts& counts() const { return counts_; }
  /// Operations begun and not ended.
  std::uint64_t under_way() const { return under_way_; }
  /// Unlinks every MD that it posted, on nodes that are up. Not from inside a step.
  void take_back(World& world);

  void begin(World& world) override;
  void act(World&) override {}
  void node_changed(World& world, SimNode& node, NodeChange change) override;
  void wind_down(World& world) override;

 private:
  struct Host;
  struct Slot;
  struct Ring;
  struct Source;
  using Memory = std::unique_ptr<std::byte[]>;

  Host& host(SimNode& node);
  void look_busy();
  Memory take(std::uint32_t bytes);
  void give(Memory memory, std::uint32_t bytes);
  std::uint32_t draw_size();
  Duration draw(Duration most);
  LoadOp draw_op();
  void wrong(const SimNode& node, const std::string& what);

  const LoadSetup setup_;
  World* world_ = nullptr;
  bool over_ = false;       ///< begins nothing new
  bool withdrawn_ = false;  ///< posts nothing new
  std::uint64_t begun_ = 0;
  std::uint64_t under_way_ = 0;
  LoadCounts counts_;
  std::array<std::uint64_t*, kLoadOps> acts_{};
  std::uint64_t* acts_failed_ = nullptr;
  std::vector<bool> arrived_;  ///< by key
  std::array<std::vector<Memory>, 24> spare_;
  std::vector<std::unique_ptr<Host>> hosts_;  ///< by node
};

}  // namespace ulnet::sim
