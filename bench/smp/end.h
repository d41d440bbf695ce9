// A node of these benchmarks: shards as in a real one, and the pipe driver in place of sockets.
#pragma once

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lnet/base/cache_line.h"
#include "lnet/lnd/pipe/pipe_lnd.h"
#include "lnet/node/runtime/hosts.h"

namespace bench::smp {

using namespace ulnet;
using lnd::pipe::PipeLnd;
using lnd::pipe::PipeWorld;

inline constexpr Portal kPortal{20};

[[noreturn]] inline void die(const std::string& what) {
  std::fprintf(stderr, "smp_loop: %s\n", what.c_str());
  std::exit(1);
}

inline Nid address(std::uint32_t host, std::uint32_t net = 0) {
  return Nid::small({NetType::kTcp, static_cast<std::uint16_t>(net)}, 0x0a000000U + host);
}
/// Each thread sets the partition that it runs on; no system call is made.
inline thread_local std::uint32_t my_cpu = 0;
inline std::uint32_t current() { return my_cpu; }

inline node::Partitions partitions_of(std::uint32_t count) {
  std::string warning;
  node::MachineView machine;
  machine.synthetic = "core:" + std::to_string(count) + " pu:1";
  machine.current_cpu = current;
  auto made = node::Partitions::make(Mode::kShared, "", count, machine, warning);
  if (!made) die(made.error().reason);
  return std::move(*made);
}

struct Counter : EventSink {
  void on_event(const Event& event) override {
    if (event.status != 0) bad.fetch_add(1, std::memory_order_relaxed);
    seen.fetch_add(1, std::memory_order_relaxed);
  }
  alignas(kCacheLinePair) std::atomic<std::uint64_t> seen{0};
  std::atomic<std::uint64_t> bad{0};
};

/// Memory of an MD, in cache lines of its own: partitions that share nothing must not share cache
/// lines here.
struct alignas(kCacheLinePair) Memory {
  std::array<std::byte, 8> bytes{};
};

using Pipes = std::vector<std::unique_ptr<PipeWorld>>;

/// A node with `count` partitions. Its NIs use the pipes in turn.
class End {
 public:
  End(const std::vector<Nid>& nids, std::uint64_t cookie, Pipes& pipes, std::uint32_t partitions,
      bool discovery)
      : count_(partitions), partitions_(partitions_of(count_)), hosts_(partitions_, {}) {
    auto config = std::make_shared<core::NodeConfig>();
    config->generation = 1;
    config->interface_cookie = cookie;
    config->shards = count_;
    config->globals.discovery = discovery ? 1 : 0;
    config->globals.response_tracking = 0;
    for (const auto& pipe : pipes) {
      drivers_.push_back(std::make_unique<PipeLnd>(*pipe, hosts_));
      of_driver_.push_back(hosts_.add_driver(*drivers_.back()));
    }
    for (std::uint32_t i = 0; i < nids.size(); ++i) {
      const std::size_t driver = i % drivers_.size();
      lnd::NiSpec spec;
      spec.id = {i + 1};
      spec.nid = nids[i];
      spec.net = spec.nid->net();
      hosts_.bind_ni(spec.id, of_driver_[driver]);
      if (const auto started = drivers_[driver]->start_ni(spec); !started)
        die(started.error().reason);
      core::NiConfig ni;
      ni.id = spec.id;
      ni.nid = *spec.nid;
      config->nis.push_back(ni);
    }
    nis_ = static_cast<std::uint32_t>(nids.size());
    hosts_.start(true, [](std::uint32_t) {});
    hosts_.configure(config);
    config_ = *config;
  }
  ~End() {
    core::ApiCall shutdown{core::call::Shutdown{}};
    hosts_.call(shutdown);
    for (std::uint32_t i = 0; i < nis_; ++i) drivers_[i % drivers_.size()]->stop_ni({i + 1});
    hosts_.stop();
  }

  template <class Call>
  Call call(Call arguments) {
    core::ApiCall api{std::move(arguments)};
    hosts_.call(api);
    node::OuterLoop::current().run();
    if (api.status != 0) die(api.reason);
    return std::get<Call>(api.body);
  }
  MdHandle bind(std::span<std::byte> memory, EventSink& sink) {
    const iovec fragment{memory.data(), memory.size()};
    core::call::MdBind bind;
    bind.spec.fragments = std::span(&fragment, 1);
    bind.spec.sink = &sink;
    bind.unlink = UnlinkMode::kRetain;
    return call(std::move(bind)).md;
  }
  /// Attaches a buffer for PUTs with these match bits, in the caller's partition.
  void receive(MatchBits bits, std::span<std::byte> memory, EventSink& sink) {
    core::call::MeAttach me;
    me.portal = kPortal;
    me.match_id = {Nid::any(), Pid::any()};
    me.match = bits;
    me.position = InsertPosition::kLocal;
    const iovec fragment{memory.data(), memory.size()};
    core::call::MdAttach md;
    md.me = call(std::move(me)).me;
    md.spec.fragments = std::span(&fragment, 1);
    md.spec.options = kOpPut | kManageRemote;
    md.spec.sink = &sink;
    md.unlink = UnlinkMode::kRetain;
    call(std::move(md));
  }
  /// Replaces the configuration by a changed one.
  void configure(const std::function<void(core::NodeConfig&)>& change) {
    ++config_.generation;
    change(config_);
    hosts_.configure(std::make_shared<core::NodeConfig>(config_));
  }
  node::Hosts& hosts() { return hosts_; }

 private:
  const std::uint32_t count_;
  node::Partitions partitions_;
  node::Hosts hosts_;
  std::vector<std::unique_ptr<PipeLnd>> drivers_;
  std::vector<unsigned> of_driver_;  // the number of each driver in hosts_
  std::uint32_t nis_ = 0;
  core::NodeConfig config_;
};

/// COUNT PUTs of SIZE bytes without ACK, through ROUTERS routers; see the usage.
int routed(std::uint64_t count, std::uint32_t routers, std::uint32_t size);

}  // namespace bench::smp
