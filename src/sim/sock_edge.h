// The edge that is lnd/sock: its real engine, one per node, on virtual byte streams. It does for it
// what the reactor does in production, without descriptors. Source: DESIGN.md 2, 6.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "lnd/sock/engine.h"
#include "sim/edge.h"
#include "sim/streams.h"

namespace ulnet::sim {

class SockEdge final : public Edge, private lnd::sock::Outlet, private SocketUser {
 public:
  /// All must outlive it.
  SockEdge(World& world, SimNode& node, lnd::Inlet& inlet);
  ~SockEdge() override;

  Result<lnd::NiStarted> start_ni(const lnd::NiSpec& spec) override;
  void stop_ni(core::NiId ni) override;
  void submit(lnd::Command&& command) override { queue_.push_back(std::move(command)); }
  void flush() override;
  bool pending() const override { return !queue_.empty(); }
  void pause(bool paused) override;
  void crash(bool silent) override;
  std::size_t messages() const override { return engine_.messages_in_flight(); }
  const lnd::sock::Engine& engine() const { return engine_; }

 private:
  // lnd::sock::Outlet
  void deliver(const core::Input& input) override;
  void dial(Handle conn, const lnd::sock::DialOrder& order) override;
  void close(Handle conn) override;
  void pause(Handle conn, bool paused) override;
  void opened(Handle conn, wire::ConnType type, std::int32_t tos) override;
  std::uint32_t unacknowledged(Handle conn) override;
  bool hand_over(Handle, const core::Hop&, lnd::sock::Arrival&) override { return false; }

  // SocketUser
  std::uint32_t number() const override;
  void on_dialled(Handle socket, int error) override;
  void on_accepted(Handle socket, const Endpoint& local, const Endpoint& remote) override;
  void on_readable(Handle socket) override;
  void on_writable(Handle socket) override;

  World& world_;
  SimNode& node_;
  lnd::Inlet& inlet_;
  const lnd::sock::SockTunables tunables_;
  lnd::sock::Engine engine_;
  bool paused_ = false;
  std::vector<lnd::Command> queue_, working_;
};

}  // namespace ulnet::sim
