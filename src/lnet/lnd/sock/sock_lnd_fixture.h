// For tests: the driver on real sockets of the loopback device, with an inlet that counts. Each
// test process has addresses of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lnet/lnd/sock/sock_lnd.h"

namespace ulnet::lnd::sock::test {

/// A loopback address that only this process uses.
inline std::string own(unsigned last) {
  const auto pid = static_cast<unsigned>(getpid());
  return "127." + std::to_string(1 + pid % 250) + "." + std::to_string(pid / 250 % 250) + "." +
         std::to_string(last);
}

/// An inlet that counts, and that is done with every message at its header.
class CountingInlet final : public Inlet {
 public:
  std::atomic<int> headers{0}, ups{0}, downs{0};
  std::mutex lock;
  std::map<std::uint32_t, core::SendDone> done;

  static inline thread_local int this_partition = -1;

  bool deliver(const core::Input& input) override {
    if (const auto* header = std::get_if<core::HeaderArrived>(&input)) {
      {
        const std::lock_guard hold(lock);
        delivered_by_[header->hop.nid] = this_partition;
      }
      ++headers;
      return true;
    } else if (const auto* sent = std::get_if<core::SendDone>(&input)) {
      const std::lock_guard hold(lock);
      done[sent->tx.slot] = *sent;
    } else if (std::holds_alternative<core::PeerUp>(input)) {
      ++ups;
    } else if (std::holds_alternative<core::PeerDown>(input)) {
      ++downs;
    }
    return false;
  }
  std::optional<core::SendDone> ended(std::uint32_t slot) {
    const std::lock_guard hold(lock);
    const auto found = done.find(slot);
    return found == done.end() ? std::nullopt : std::optional(found->second);
  }
  /// The partition of the thread that delivered the last header of this peer.
  int delivered_by(const Nid& peer) {
    const std::lock_guard hold(lock);
    return delivered_by_[peer];
  }

 private:
  std::map<Nid, int> delivered_by_;
};

struct Node {
  CountingInlet inlet;
  std::unique_ptr<SockLnd> driver;
  NiStarted ni;

  explicit Node(unsigned last, const SockTunables& tunables, Threads threads = Threads::kInline,
                const Placing& placing = {}, std::vector<std::uint32_t> cpts = {}) {
    driver = std::make_unique<SockLnd>(inlet, tunables, threads, 0, placing);
    NiSpec asked = spec(1, last);
    asked.cpts = std::move(cpts);
    const auto started = driver->start_ni(asked);
    if (started) ni = *started;
  }
  static NiSpec spec(std::uint32_t id, unsigned last) {
    NiSpec spec;
    spec.id = {id};
    spec.net = {NetType::kTcp, 0};
    spec.interface = own(last);
    return spec;
  }
  void put(const Nid& to, std::uint32_t slot, std::span<char> payload = {}) {
    core::Send send;
    send.ni = {1};
    send.hop = {to, Pid::lustre()};
    send.header.dest_nid = to;
    send.header.src_nid = ni.nid;
    send.header.dest_pid = send.header.src_pid = Pid::lustre();
    send.header.part = wire::GetPart{};
    if (!payload.empty()) {
      send.header.part = wire::PutPart{};
      send.header.payload_length = static_cast<std::uint32_t>(payload.size());
      memory = {payload.data(), payload.size()};
      send.payload = {&memory, 1, 0, send.header.payload_length};
    }
    send.tx = {slot, 1};
    driver->submit(std::move(send));
    driver->flush();
  }
  iovec memory{};
  std::uint64_t count(const std::string& name) {
    for (const auto& [counter, value] : driver->counters())
      if (counter == name) return value;
    ADD_FAILURE() << "no counter " << name;
    return 0;
  }
};

inline SockTunables trusting_tunables() {
  SockTunables t;
  t.accept = Accept::kTrust;
  t.accept_port = t.accept_port_bulk = 22988;
  t.min_reconnectms = 10;
  t.accept_timeout = 60;  // longer than a busy machine lets a new connection wait
  return t;
}

inline bool until(const std::vector<Node*>& nodes, const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    for (Node* node : nodes) node->driver->progress(std::chrono::microseconds(100));
  }
  return true;
}

}  // namespace ulnet::lnd::sock::test
