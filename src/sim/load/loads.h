// Verified traffic: every node of a world sends PUTs and GETs to the other nodes, at random. The
// load checks the bytes, events and lengths at both ends; an error ends the run as a violation of
// "load". It continues through crashes, pauses and shutdowns of nodes: when an incarnation of a
// node ends, the load forgets the operations with it. Source: spec/core-semantics.md 3 to 7.
//
//   auto& load = world.add<VerifiedLoad>("load", LoadSetup{.at_once = 8});
//   world.run_for(seconds(5));
//   world.wind_down();        // begins nothing new; the world is not quiet until all has ended
//   world.run_until_quiet();
//   load.take_back(world);    // unlinks its MDs: then no node has anything of it left
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "sim/load/load.h"

namespace ulnet::sim {

enum class LoadOp : std::uint8_t {
  kPut,      ///< without ACK, into a ring
  kPutAck,   ///< with ACK, into a ring
  kPutOnce,  ///< with ACK, into an MD of its own that unlinks itself
  kPutLazy,  ///< with ACK, into a ring of a lazy portal; the ring is sometimes absent
  kGet,      ///< of a part of a permanent MD
  kGetOnce,  ///< of an MD of its own that unlinks itself
};
inline constexpr std::size_t kLoadOps = 6;
/// The operation in one word, as scenarios and tables write it: "put-ack".
const char* to_string(LoadOp op);

struct LoadSetup {
  std::uint64_t operations = 0;                   ///< operations in all; 0: until wind_down()
  std::uint32_t at_once = 4;                      ///< operations under way per node
  Duration think = std::chrono::milliseconds(2);  ///< at most, between two operations of one slot
  std::uint32_t min_bytes = 0;
  std::uint32_t max_bytes = 1 << 20;  ///< the largest size; half of the messages are below 1 KiB
  std::array<std::uint32_t, kLoadOps> shares = {2, 4, 2, 1, 2, 2};  ///< by LoadOp
  Duration lazy_pause = std::chrono::milliseconds(20);  ///< at most, while the lazy ring is absent
  std::uint32_t first_portal = 10;  ///< the load uses this portal and the next three
};

/// Exercised::acts has "load OP" for each operation begun and "load failed" for each that failed.
struct LoadCounts {
  std::array<std::uint64_t, kLoadOps> begun{};
  std::uint64_t ended = 0;   ///< the MD of the operation was unlinked, with success or not
  std::uint64_t failed = 0;  ///< operations that ended with an error
  /// Operations forgotten because the incarnation of their node ended.
  std::uint64_t forgotten = 0;
  std::uint64_t arrived = 0;  ///< messages whose contents were checked at the target
};

class VerifiedLoad final : public Load {
 public:
  VerifiedLoad(std::string name, const LoadSetup& setup = {});
  ~VerifiedLoad() override;

  const LoadCounts& counts() const { return counts_; }
  /// The number of operations that have begun and not ended.
  std::uint64_t under_way() const { return under_way_; }
  bool done() const override {
    return setup_.operations != 0 && counts_.ended + counts_.forgotten >= setup_.operations;
  }
  /// Unlinks every MD.
  void take_back(World& world) override;

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
  bool over_ = false;       ///< after wind_down(): begins no operation
  bool withdrawn_ = false;  ///< after take_back(): attaches no MD
  std::uint64_t begun_ = 0;
  std::uint64_t under_way_ = 0;
  LoadCounts counts_;
  std::array<std::uint64_t*, kLoadOps> acts_{};
  std::uint64_t* acts_failed_ = nullptr;
  std::vector<bool> arrived_;  ///< by key: the message of that operation has arrived
  std::array<std::vector<Memory>, 24> spare_;
  std::vector<std::unique_ptr<Host>> hosts_;  ///< by node
};

}  // namespace ulnet::sim
