// The load of a simulated site. Each OSS moves a number of messages to and from the clients, as
// servers of Lustre and of LNet selftest do: it fetches the data that clients write with GETs, and
// sends the data that they read with PUTs that are acknowledged. Source: design document 004,
// section III.A.
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
    std::vector<ProcessId> clients;  ///< the OSS takes them in turn; empty: the OSS moves nothing
    std::uint64_t messages = 1;      ///< the number that the OSS moves
  };
  bool write = true;             ///< the clients write
  std::uint32_t payload = 4096;  ///< bytes of a message
  std::uint32_t window = 16;     ///< messages under way at a time, per OSS
  /// OSSs and their first messages begin within this time, at random
  Duration spread{};
  std::vector<Oss> osss;
  std::vector<sim::SimNode*> clients;  ///< all nodes with clients of OSSs
};

/// The results of an OSS.
struct OssRecord {
  std::uint64_t moved = 0;          ///< messages
  std::uint64_t failed = 0;         ///< operations that ended with an error; they are begun again
  Duration done = Duration::max();  ///< when all messages had been moved, since the load began
  struct Message {
    float seconds = 0;         ///< how long it took
    std::uint32_t router = 0;  ///< number of the router's node that carried its payload
  };
  std::vector<Message> messages;  ///< the messages that were moved
};

class OssLoad final : public sim::Actor {
 public:
  explicit OssLoad(OssLoadSetup setup);
  ~OssLoad() override;

  const OssRecord& record(std::size_t oss) const;
  std::uint64_t moved() const { return moved_; }
  /// Whether all OSSs that were not given up have moved their messages.
  bool done() const { return left_ == 0; }
  /// Notes that the OSS is lost: then done() does not wait for the OSS.
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
  PayloadRouters* routers_ = nullptr;  ///< null: without this checker of the world
  bool over_ = false;
  std::uint64_t moved_ = 0;
  std::size_t left_ = 0;
  Instant begun_{};
  std::vector<std::byte> memory_;  ///< of all messages: nobody examines its contents
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Oss>> osss_;
};

}  // namespace ulnet::tools::fgr
