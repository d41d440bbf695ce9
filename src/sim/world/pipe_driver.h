// A driver for tests whose messages travel as values, header and payload, each by itself: the wire
// may lose, duplicate or reorder them. To the core it looks like a fabric without connections.
// Source: DESIGN.md 2, 6.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "lnet/base/hash_index.h"
#include "lnet/base/slab.h"
#include "sim/kernel/event_queue.h"
#include "sim/network/wire_model.h"
#include "sim/world/sim_driver.h"

namespace ulnet::sim {

class PipeDriver;
class SimNode;
class World;

/// State that the pipe drivers of a world share: which driver has which NID, and the messages under
/// way.
class Pipes final : Crosser {
 public:
  explicit Pipes(World& world) : world_(world) {}
  ~Pipes() override;
  Pipes(const Pipes&) = delete;
  Pipes& operator=(const Pipes&) = delete;

  /// The number of messages on the wire, or arrived at a paused node.
  std::size_t in_flight() const { return in_flight_; }
  /// When the oldest message in flight departed; kNever: no message is in flight.
  Instant in_flight_since() const;

 private:
  friend class PipeDriver;

  /// An NI of one of the drivers.
  struct End {
    PipeDriver* driver = nullptr;
    core::NiId ni;
    Nid nid;
    Pid pid;
    Place place;
    std::uint64_t incarnation = 0;
  };
  /// A buffer of the pool `spare_`.
  struct Buffer {
    std::unique_ptr<std::byte[]> bytes;
    unsigned size_class = 0;
  };
  struct Flight final : Task {
    enum class What : std::uint8_t { kMessage, kGone } what = What::kMessage;
    Pipes* pipes = nullptr;
    Handle self;
    std::uint64_t number = 0;
    bool on_wire = false;
    Instant departed{};
    bool served = false;  ///< the receiving interface is handling it
    bool held = false;    ///< the receiver's core answered HoldPayload
    /// The message was held and then lost, and the driver has reported that; kept only for a
    /// verdict that crosses the report.
    bool reported = false;
    Link* link = nullptr;
    core::Hop sender;
    std::uint32_t from_node = 0;
    std::uint64_t from_incarnation = 0;
    Nid target;
    std::uint64_t target_incarnation = 0;
    core::NiId ni;          ///< the receiver's NI
    core::MsgTicket msg{};  ///< the ticket of the receiver's core, when the message is held
    wire::LnetHeader header;
    Buffer payload;
    std::uint32_t length = 0;
    Handle departure;  ///< the sender's Departure, while it waits for the message to cross switches
    void run() override;
  };

  End* find(const Nid& nid) const { return by_nid_.find(nid); }
  Flight& make(const End& from, const End& to, Link& link);
  void depart(Flight& flight, Instant when);
  void crossed(Handle whose, std::uint64_t piece, bool lost) override;
  void lost(Flight& flight, WireLoss how);
  void arrive(Flight& flight);
  void landed(Flight& flight);
  void forget(Flight& flight);
  void fill(Flight& flight, const core::Region& region);

  World& world_;
  Slab<Flight> flights_;
  std::size_t in_flight_ = 0;
  std::uint64_t numbers_ = 0;
  std::array<std::vector<std::unique_ptr<std::byte[]>>, 24> spare_;
  HashIndex<Nid, End, NidHash> by_nid_;
};

class PipeDriver final : public SimDriver {
 public:
  /// All arguments must outlive it.
  PipeDriver(World& world, SimNode& node, lnd::Inlet& inlet);
  ~PipeDriver() override;

  Result<lnd::NiStarted> start_ni(const lnd::NiSpec& spec) override;
  void stop_ni(core::NiId ni) override;
  void submit(lnd::Command&& command) override { queue_.push_back(std::move(command)); }
  void flush() override;
  bool pending() const override { return !queue_.empty(); }
  void pause(bool paused) override;
  void crash(bool silent) override;
  std::size_t messages() const override { return departures_.size() + received_; }

 private:
  friend class Pipes;

  /// A peer NI, as one NI of this driver knows it.
  struct KnownPeer {
    core::NiId ni;
    core::Hop hop;
    std::uint64_t incarnation = 0;
    bool up = false;
  };
  struct Key {
    core::NiId ni;
    Nid nid;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return NidHash{}(key.nid) + key.ni.value * 31; }
  };
  /// A Send that has no SendDone yet.
  struct Departure final : Task {
    PipeDriver* driver = nullptr;
    Handle self;
    core::NiId ni;
    core::MsgTicket tx{};
    int status = 0;
    core::Health health = core::Health::kOk;
    bool left = false;  ///< the message is on its way, or has been lost there
    void run() override;
  };

  void carry_out(lnd::Command& command);
  void send(core::Send& send);
  Departure& end_send(const core::Send& send, Instant when, int status, core::Health health);
  void left(Handle departure);
  void land(const core::Land& land);
  void reject(const core::Reject& reject);
  void shut(core::NiId ni, const Nid& nid);
  Pipes::Flight* find(core::RxTicket rx);
  Pipes::End* end_of(core::NiId ni);
  KnownPeer& see_peer(core::NiId ni, const core::Hop& hop, std::uint64_t incarnation);
  void arrived(Pipes::Flight& flight, Pipes::End& end);
  void release(Pipes::Flight& flight);
  void send_gone(Pipes::End& end, const KnownPeer& other);

  World& world_;
  SimNode& node_;
  lnd::Inlet& inlet_;
  Pipes& pipes_;
  bool paused_ = false;
  std::vector<lnd::Command> queue_, working_;
  std::vector<std::unique_ptr<Pipes::End>> ends_;
  std::size_t received_ = 0;
  /// Messages that have arrived and whose verdict has not been carried out; in any order.
  std::vector<Handle> rxs_;
  std::vector<Handle> reported_;  ///< those of `rxs_` that were held and then lost
  Slab<Departure> departures_;
  std::vector<std::unique_ptr<KnownPeer>> known_peers_;
  HashIndex<Key, KnownPeer, KeyHash> by_key_;
  Parking parking_;              ///< departures, while the process is paused
  std::vector<Handle> arrived_;  ///< flights that arrived while the process is paused
};

}  // namespace ulnet::sim
