// The load of a simulated site: each OSS moves so many messages to and from the clients, as
// servers of Lustre and of LNet selftest do it: what clients write it fetches with GETs, what they
// read it sends with PUTs that are acknowledged. Source: design document 004, section III.A.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fgr/simulate/payload_routers.h"
#include "sim/world/actor.h"
#include "sim/world/world.h"

namespace ulnet::tools::fgr {

struct OssLoadSetup {
  struct Oss {
    sim::SimNode* node = nullptr;
    std::vector<ProcessId> clients;  ///< it takes them in turn; none: it moves nothing
    std::uint64_t messages = 1;      ///< that it moves
  };
  bool write = true;             ///< the clients write
  std::uint32_t payload = 4096;  ///< bytes of a message
  std::uint32_t window = 16;     ///< messages under way at a time, of each OSS
  Duration spread{};             ///< OSSs and their first messages begin within so long, at random
  std::vector<Oss> osss;
  std::vector<sim::SimNode*> clients;  ///< all nodes that OSSs have clients on
};

/// What an OSS has done.
struct OssRecord {
  std::uint64_t moved = 0;          ///< messages
  std::uint64_t failed = 0;         ///< operations that ended with an error; they are begun again
  Duration done = Duration::max();  ///< when all were moved, since the load began
  struct Message {
    float seconds = 0;         ///< that it took
    std::uint32_t router = 0;  ///< number of the node by which its payload went
  };
  std::vector<Message> messages;  ///< that were moved
};

class OssLoad final : public sim::Actor {
 public:
  explicit OssLoad(OssLoadSetup setup);
  ~OssLoad() override;

  const OssRecord& record(std::size_t oss) const;
  std::uint64_t moved() const { return moved_; }
  /// All that were not given up have moved their messages.
  bool done() const { return left_ == 0; }
  /// The OSS is lost: done() does not wait for it.
  void give_up(std::size_t oss);

  void begin(sim::World& world) override;
  void act(sim::World&) override {}
  void node_changed(sim::World& world, sim::SimNode& node, sim::NodeChange change) override;
  void wind_down(sim::World&) override { over_ = true; }

 private:
  struct Client;
  struct Oss;
  struct Slot;

  const OssLoadSetup setup_;
  sim::World* world_ = nullptr;
  PayloadRouters* routers_ = nullptr;  ///< a checker of the world
  bool over_ = false;
  std::uint64_t moved_ = 0;
  std::size_t left_ = 0;
  Instant begun_{};
  std::vector<std::byte> memory_;  ///< of all messages: nobody looks at what is in it
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Oss>> osss_;
};

}  // namespace ulnet::tools::fgr
