// The costs and gains of CPU partitions: the message path of two nodes in one process, each with as
// many shards as threads, joined by the pipe driver; no sockets, and hardly any copies. Prints
// figures as "NAME VALUE" lines, which bench/run turns into rows.
//
//   smp_loop scale PARTITIONS CPUS CROSS SECONDS FIRST
//       a thread per partition, on CPUS of the allowed CPUs in turn, from the FIRST-th on;
//       CROSS of a hundred PUTs use an MD of the next partition
//   smp_loop lock COUNT token|mutex
//       takes and releases a lock that no other thread uses, COUNT times
//   smp_loop puts COUNT PEERS BUFFERS PARTITIONS
//       one thread: COUNT PUTs of 8 bytes with ACK, from each partition in turn and none across
//       partitions, to a node that knows PEERS other peers and has BUFFERS other buffers
//   smp_loop rails COUNT RAILS PEERS
//       one thread: COUNT PUTs of 8 bytes with ACK between two nodes with RAILS NIs each, all on
//       one net; LNet chooses the path of each. Both know PEERS other peers
//   smp_loop routed COUNT ROUTERS SIZE
//       one thread: COUNT PUTs of SIZE bytes without ACK, through ROUTERS routers in a row
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "end.h"
#include "lnet/lnd/run_token.h"

namespace {

using namespace bench::smp;
using namespace ulnet;
using lnd::pipe::PipeWorld;

/// The addresses of a node, one for each partition, which is the owner shard of that NID. Each
/// address is on a net of its own, so that after discovery there is still one path only. The hosts
/// are `first` or a little later.
std::vector<Nid> addresses(std::uint32_t count, std::uint32_t first) {
  std::vector<Nid> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t host = first;
    while (cpt::cpt_of_nid(address(host, i), count) != i) ++host;
    all.push_back(address(host, i));
  }
  return all;
}

/// Two nodes. Either their i-th addresses are each other's peers in partition i, or the nodes have
/// one partition and several NIs on one net.
struct NodePair {
  struct Rails {
    std::uint32_t count;
  };
  explicit NodePair(Rails rails) {
    pipes.push_back(std::make_unique<PipeWorld>());
    for (std::uint32_t i = 0; i < rails.count; ++i) {
      first.push_back(address(1 + i));
      second.push_back(address(1000 + i));
    }
    a = std::make_unique<End>(first, 1, pipes, 1, true);
    b = std::make_unique<End>(second, 2, pipes, 1, true);
  }
  explicit NodePair(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) pipes.push_back(std::make_unique<PipeWorld>());
    first = addresses(count, 1);
    second = addresses(count, 1000);
    a = std::make_unique<End>(first, 1, pipes, count, false);
    b = std::make_unique<End>(second, 2, pipes, count, false);
  }
  Pipes pipes;
  std::vector<Nid> first, second;
  std::unique_ptr<End> a, b;
};

/// The CPUs that this process may use.
std::vector<std::uint32_t> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0)
    die("cannot read which CPUs this process may use");
  std::vector<std::uint32_t> all;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) all.push_back(cpu);
  return all;
}

void pin(std::uint32_t cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) die("cannot run on CPU " + std::to_string(cpu));
}

PutRequest request(const NodePair& pair, std::uint32_t partition, MdHandle md) {
  PutRequest put;
  put.md = md;
  put.target = {pair.second[partition], Pid::lustre()};
  put.self = pair.first[partition];
  put.portal = kPortal;
  put.match_bits = {partition};
  put.ack = AckRequest::kAck;
  return put;
}

// ---- scale --------------------------------------------------------------------------------------

constexpr std::uint64_t kUnderWay = 64;

/// An MD for PUTs, and its counts.
struct Source {
  Memory memory;
  MdHandle md;
  std::uint64_t begun = 0;
  Counter sent;

  void put(End& end, const PutRequest& request) {
    core::ApiCall api{core::call::Put{request}};
    end.hosts().call(api);
    if (api.status != 0) die(api.reason);
    ++begun;
    // Waits while too many PUTs are under way.
    while (sent.seen.load(std::memory_order_relaxed) / 2 + kUnderWay < begun)
      std::this_thread::yield();
  }
};

/// What a thread uses: an MD of its own partition and one of the next.
struct Lane {
  Source near, far;
  Memory sink;
  Counter got;
};

int scale(std::uint32_t count, std::uint32_t cpus, std::uint32_t cross, double seconds,
          std::uint32_t first_cpu) {
  const std::vector<std::uint32_t> allowed = allowed_cpus();
  NodePair pair(count);
  std::vector<std::unique_ptr<Lane>> lanes;
  for (std::uint32_t i = 0; i < count; ++i) {
    my_cpu = i;
    Lane& lane = *lanes.emplace_back(std::make_unique<Lane>());
    lane.near.md = pair.a->bind(lane.near.memory.bytes, lane.near.sent);
    pair.b->receive({i}, lane.sink.bytes, lane.got);
    my_cpu = (i + 1) % count;
    lane.far.md = pair.a->bind(lane.far.memory.bytes, lane.far.sent);
  }
  std::atomic<std::uint32_t> ready{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      pin(allowed[(first_cpu + i % cpus) % allowed.size()]);
      my_cpu = i;
      Lane& lane = *lanes[i];
      const PutRequest near = request(pair, i, lane.near.md);
      const PutRequest far = request(pair, i, lane.far.md);
      std::uint32_t turn = 0;
      ++ready;
      while (ready != count) std::this_thread::yield();
      while (!over.load(std::memory_order_relaxed)) {
        turn += cross;
        const bool crosses = turn >= 100;
        if (crosses) turn -= 100;
        crosses ? lane.far.put(*pair.a, far) : lane.near.put(*pair.a, near);
      }
    });
  while (ready != count) std::this_thread::yield();
  const auto begun = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  over = true;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  for (std::thread& thread : threads) thread.join();
  pair.a->hosts().wait_until_idle();
  pair.b->hosts().wait_until_idle();
  std::uint64_t puts = 0, acknowledged = 0, landed = 0;
  for (const auto& lane : lanes) {
    for (const Source* source : {&lane->near, &lane->far}) {
      if (source->sent.bad != 0) die("an operation failed");
      puts += source->begun;
      acknowledged += source->sent.seen;
    }
    if (lane->got.bad != 0) die("an operation failed");
    landed += lane->got.seen;
  }
  if (landed != puts || acknowledged != 2 * puts)
    die(std::to_string(puts) + " PUTs, " + std::to_string(landed) + " landed, " +
        std::to_string(acknowledged) + " SEND and ACK");
  std::printf("puts_per_second %.0f\n", static_cast<double>(puts) / took.count());
  return 0;
}

// ---- puts ---------------------------------------------------------------------------------------

/// ACKs that no MD awaits make both nodes add `peers` senders to their tables.
void make_known(NodePair& pair, std::uint32_t peers) {
  wire::LnetHeader header;
  header.dest_pid = header.src_pid = Pid::lustre();
  header.part = wire::AckPart{};
  for (std::uint32_t i = 0; i < peers; ++i) {
    header.src_nid = address(0x10000 + i);
    for (End* end : {pair.a.get(), pair.b.get()}) {
      header.dest_nid = (end == pair.a.get() ? pair.first : pair.second).front();
      end->hosts().deliver(
          core::HeaderArrived{{1}, {header.src_nid, Pid::lustre()}, &header, {~0ULL}, {}});
      end->hosts().after_batch();
    }
  }
}

int puts(std::uint64_t count, std::uint32_t peers, std::uint32_t buffers,
         std::uint32_t partitions) {
  NodePair pair(partitions);
  std::vector<Lane> lanes(partitions);
  std::vector<PutRequest> requests;
  Counter others;
  Memory unused;
  for (std::uint32_t i = 0; i < buffers; ++i)
    pair.b->receive({partitions + i}, unused.bytes, others);
  for (my_cpu = 0; my_cpu < partitions; ++my_cpu) {
    Lane& lane = lanes[my_cpu];
    lane.near.md = pair.a->bind(lane.near.memory.bytes, lane.near.sent);
    pair.b->receive({my_cpu}, lane.sink.bytes, lane.got);
    requests.push_back(request(pair, my_cpu, lane.near.md));
  }
  my_cpu = 0;
  make_known(pair, peers);
  for (std::uint64_t i = 0; i < count; ++i) {
    core::ApiCall api{core::call::Put{requests[my_cpu]}};
    pair.a->hosts().call(api);
    if (++my_cpu == partitions) my_cpu = 0;
  }
  std::uint64_t landed = 0, sent = 0;
  for (const Lane& lane : lanes) {
    landed += lane.got.seen;
    sent += lane.near.sent.seen;
  }
  if (landed != count || sent != 2 * count || others.seen != 0) die("not every operation ended");
  std::printf("puts %llu\n", static_cast<unsigned long long>(count));
  return 0;
}

/// Each end has NIs on one net, and discovers the other before its first message.
int rails(std::uint64_t count, std::uint32_t rails, std::uint32_t peers) {
  NodePair pair(NodePair::Rails{rails});
  Lane lane;
  lane.near.md = pair.a->bind(lane.near.memory.bytes, lane.near.sent);
  pair.b->receive({0}, lane.sink.bytes, lane.got);
  make_known(pair, peers);
  PutRequest put = request(pair, 0, lane.near.md);
  put.self = Nid::any();
  for (std::uint64_t i = 0; i < count; ++i) {
    core::ApiCall api{core::call::Put{put}};
    pair.a->hosts().call(api);
  }
  if (lane.got.seen != count || lane.near.sent.seen != 2 * count) die("not every operation ended");
  std::printf("puts %llu\n", static_cast<unsigned long long>(count));
  return 0;
}

// ---- lock ---------------------------------------------------------------------------------------

template <class Lock>
int lock(std::uint64_t count) {
  static Lock it;
  for (std::uint64_t i = 0; i < count; ++i) {
    it.lock();
    it.unlock();
  }
  std::printf("locked %llu\n", static_cast<unsigned long long>(count));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const auto number = [&](int i) {
    return static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
  };
  if (argc == 7 && std::strcmp(argv[1], "scale") == 0)
    return scale(number(2), number(3), number(4), std::strtod(argv[5], nullptr), number(6));
  if (argc == 6 && std::strcmp(argv[1], "puts") == 0)
    return puts(number(2), number(3), number(4), number(5));
  if (argc == 5 && std::strcmp(argv[1], "rails") == 0)
    return rails(number(2), number(3), number(4));
  if (argc == 5 && std::strcmp(argv[1], "routed") == 0)
    return routed(number(2), number(3), number(4));
  if (argc == 4 && std::strcmp(argv[1], "lock") == 0 && std::strcmp(argv[3], "token") == 0)
    return lock<lnd::RunToken>(number(2));
  if (argc == 4 && std::strcmp(argv[1], "lock") == 0 && std::strcmp(argv[3], "mutex") == 0)
    return lock<std::mutex>(number(2));
  std::fprintf(stderr,
               "usage: smp_loop scale PARTITIONS CPUS CROSS SECONDS FIRST | puts COUNT PEERS "
               "BUFFERS PARTITIONS | rails COUNT RAILS PEERS | routed COUNT ROUTERS SIZE | "
               "lock COUNT token|mutex\n");
  return 2;
}
