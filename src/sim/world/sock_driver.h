// The TCP driver of a simulated node: lnd/sock's engine, one per node, on virtual byte streams.
// SockDriver does for the engine what the reactor does in production. Source: DESIGN.md 2, 6.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "lnet/base/hash_index.h"
#include "lnet/base/rng.h"
#include "lnet/lnd/sock/engine/engine.h"
#include "sim/network/streams.h"
#include "sim/world/node.h"
#include "sim/world/sim_driver.h"

namespace ulnet::sim {

class SimNode;
class World;

class SockDriver final : public SimDriver, private lnd::sock::Outlet, private SocketUser {
 public:
  /// All arguments must outlive it.
  SockDriver(World& world, SimNode& node, lnd::Inlet& inlet);
  ~SockDriver() override;

  Result<lnd::NiStarted> start_ni(const lnd::NiSpec& spec) override;
  void stop_ni(core::NiId ni) override;
  void link_changed(core::NiId ni, bool up) override;
  void submit(lnd::Command&& command) override { queue_.push_back(std::move(command)); }
  void flush() override;
  bool pending() const override { return !queue_.empty(); }
  void pause(bool paused) override;
  void crash(bool silent) override;
  std::size_t messages() const override { return engine_.messages_in_flight(); }
  const lnd::sock::Engine& engine() const { return engine_; }

 private:
  /// A connection of the engine and the stream that carries it.
  struct Socket {
    Handle conn;  ///< generation 0: none
    Handle stream;
    bool paused = false;
    bool refused = false;  ///< the stream is gone, and a paused process has not seen that
  };
  /// A stream event that came while the process was paused.
  struct Happened {
    enum class What : std::uint8_t { kDialled, kAccepted, kReadable, kWritable } what;
    Handle stream;
    int error = 0;
    Endpoint remote;
  };
  /// Runs at the engine's next deadline, and when the process is resumed.
  struct Timer final : Task {
    explicit Timer(SockDriver& owner) : driver(owner) {}
    void run() override { driver.on_time(); }
    SockDriver& driver;
  };
  struct Ni {
    core::NiId id;
    Endpoint at;
  };
  /// A stream that leave() has given up; kept until reset_left().
  struct Left {
    core::NiId ni;
    Handle stream;
  };
  struct NumberHash {
    std::size_t operator()(std::uint64_t number) const { return number; }
  };

  // lnd::sock::Outlet
  bool deliver(const core::Input& input) override;
  void dial(Handle conn, const lnd::sock::DialOrder& order) override;
  void close(Handle conn) override;
  void leave(Handle conn, core::NiId ni) override;
  bool resends_soon() override;
  void reset_left(core::NiId ni) override;
  void pause(Handle conn, bool paused) override;
  void opened(Handle conn, wire::ConnType type, std::int32_t tos) override;
  std::uint32_t unacknowledged(Handle conn) override;
  bool pass_to_owner(Handle, const core::Hop&, lnd::sock::Arrival&) override { return false; }
  lnd::sock::Share take_connections(const lnd::sock::Address& address,
                                    std::uint16_t count) override;
  void give_connections(const lnd::sock::Address& address, std::uint16_t count) override {
    connections_.give(address, count);
  }
  lnd::sock::Share take_memory(const lnd::sock::Address& address, std::size_t bytes) override {
    if (no_memory()) return lnd::sock::Share::kAllFull;
    return held_.take(address, bytes, {.all = node_.setup().hold_memory});
  }
  void give_memory(const lnd::sock::Address& address, std::size_t bytes) override {
    held_.give(address, bytes);
  }

  // SocketUser
  std::uint32_t number() const override;
  void on_dialled(Handle stream, int error) override;
  void on_accepted(Handle stream, const Endpoint& local, const Endpoint& remote) override;
  void on_readable(Handle stream) override;
  void on_writable(Handle stream) override;

  void happened(Happened&& what);
  void handle(const Happened& what);
  void on_time();
  void drain();
  void carry_out(lnd::Command&& command);
  void move_bytes();
  void read(Handle conn);
  bool read_once(Handle conn, const Socket& socket, std::size_t& bytes, bool& full);
  void end(Handle conn, int error);
  void write(Handle conn);
  Socket* find(Handle conn);
  Socket* of_stream(Handle stream) const;
  void attach(Handle conn, Handle stream);
  bool no_memory() { return is_out(node_.setup().no_memory_ppm); }
  bool no_descriptor() { return is_out(node_.setup().no_descriptor_ppm); }
  bool is_out(std::uint32_t ppm) { return ppm != 0 && luck_.below(1'000'000) < ppm; }

  World& world_;
  SimNode& node_;
  lnd::Inlet& inlet_;
  const lnd::sock::SockTunables tunables_;
  Rng luck_;  ///< whether the system has memory and descriptors
  lnd::sock::AddressShares connections_, held_;
  lnd::sock::Engine engine_;
  bool paused_ = false;
  bool gone_ = false;
  std::uint64_t incarnation_ = 0;  ///< of the NI that was started last
  std::uint16_t port_ = 1023;      ///< local port of the next dial
  std::vector<lnd::Command> queue_, working_, nested_;
  std::deque<Socket> sockets_;  ///< index: the slot of the connection
  HashIndex<std::uint64_t, Socket, NumberHash> by_stream_;
  std::vector<Ni> nis_;
  std::vector<Left> left_;
  std::vector<Happened> happened_;
  /// Connections for which there was no descriptor; the engine has yet to be notified.
  std::vector<Handle> not_dialled_;
  /// A connection that ended and its siblings, which are being read to their end.
  std::vector<Handle> ending_;
  std::vector<Handle> writing_;
  std::unique_ptr<std::byte[]> buffer_, scratch_;  ///< allocated with the first connection
  Timer timer_{*this};
};

}  // namespace ulnet::sim
