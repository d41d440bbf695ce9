#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "loop.h"

namespace bench {
namespace {

[[noreturn]] void die(const char* what, const ulnet::Error& error) {
  std::fprintf(stderr, "%s: %d %s\n", what, error.code, error.reason.c_str());
  std::exit(1);
}

/// A text of networks has at most 4,096 bytes, so each text gets at most this many nets.
constexpr unsigned kNetsPerText = 64;

std::string networks(const Options& options, unsigned first) {
  if (options.nets == 1) return options.net + "(" + options.host + ")";
  std::string text;
  for (unsigned i = first; i < std::min(options.nets, first + kNetsPerText); ++i) {
    text += (i == first ? "tcp" : ",tcp") + std::to_string(i) + "(" + options.host + ")";
  }
  return text;
}

ulnet::Nid nid_of(const std::string& address, const std::string& net) {
  const auto nid = ulnet::Nid::parse(address + "@" + net);
  if (!nid) die("address", nid.error());
  return *nid;
}

}  // namespace

Side::Side(const Options& options) : options_(options) {
  ulnet::NodeOptions node;
  node.mode = options.polled ? ulnet::Mode::kInline : ulnet::Mode::kShared;
  node.params = {{"accept", "trust"},
                 {"accept_port", options.port},
                 {"accept_port_bulk", options.port},
                 {"congestion", "reno"},
                 {"conns_per_peer", "1"}};
  for (const auto& [key, value] : options.params) node.params[key] = value;
  node.networks = networks(options, 0);
  node.log = [](void*, int level, const char* line) {
    if (level >= 3) std::fprintf(stderr, "%s\n", line);
  };
  auto started = ulnet::Node::start(node);
  if (!started) die("start", started.error());
  node_ = std::move(*started);
  for (unsigned first = kNetsPerText; first < options.nets; first += kNetsPerText) {
    const auto added = node_->add_networks(networks(options, first));
    if (!added) die("add_networks", added.error());
  }
}

Side::~Side() { node_->stop(std::chrono::seconds(1)); }

ulnet::Nid Side::self() const { return nid_of(options_.host, options_.net); }

ulnet::Nid Side::peer() const { return nid_of(options_.peer, options_.peer_net); }

void Side::receive(ulnet::MatchBits bits, std::vector<char>& memory, ulnet::EventSink& sink) {
  const auto me = node_->me_attach(kPortal, {ulnet::Nid::any(), ulnet::Pid::any()}, bits, {},
                                   ulnet::UnlinkMode::kRetain, ulnet::InsertPosition::kAfter);
  if (!me) die("me_attach", me.error());
  const iovec fragment{memory.data(), memory.size()};
  ulnet::MdSpec md;
  md.fragments = {&fragment, 1};
  md.options = ulnet::kOpPut | ulnet::kManageRemote;
  md.sink = &sink;
  const auto attached = node_->md_attach(*me, md, ulnet::UnlinkMode::kRetain);
  if (!attached) die("md_attach", attached.error());
}

ulnet::MdHandle Side::source(std::vector<char>& memory, ulnet::EventSink& sink) {
  const iovec fragment{memory.data(), memory.size()};
  ulnet::MdSpec md;
  md.fragments = {&fragment, 1};
  md.sink = &sink;
  const auto bound = node_->md_bind(md, ulnet::UnlinkMode::kRetain);
  if (!bound) die("md_bind", bound.error());
  return *bound;
}

void Side::put(ulnet::MdHandle md, const ulnet::Nid& to, ulnet::MatchBits bits,
               std::uint32_t offset, bool ack, std::uint64_t hdr_data) {
  ulnet::PutRequest request;
  request.md = md;
  request.target = {to, ulnet::Pid::lustre()};
  request.portal = kPortal;
  request.match_bits = bits;
  request.offset = offset;
  request.hdr_data = hdr_data;
  request.ack = ack ? ulnet::AckRequest::kAck : ulnet::AckRequest::kNoAck;
  if (const auto sent = node_->put(request); !sent) die("put", sent.error());
}

void Side::wait_for_connections() {
  run_until([] { return false; }, 0.3);
}

void Side::a_moment() {
  constexpr std::chrono::milliseconds kMoment{10};
  if (options_.polled)
    node_->progress(kMoment);
  else
    std::this_thread::sleep_for(kMoment);
}

void ready() {
  std::printf("ready\n");
  std::fflush(stdout);
}

void report(std::uint64_t messages, std::uint64_t bytes, double seconds, double cpu) {
  std::printf("{\"messages\": %llu, \"bytes\": %llu, \"seconds\": %.9f, \"cpu_seconds\": %.9f}\n",
              static_cast<unsigned long long>(messages), static_cast<unsigned long long>(bytes),
              seconds, cpu);
  std::fflush(stdout);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Farewell::Farewell(Side& side) : side_(side), note_(8) {
  finish_.on = [this](const ulnet::Event& event) {
    // hdr_data 0 marks the message of greet().
    if (event.type != ulnet::EventType::kPut || event.hdr_data == 0) return;
    driver_ = event.initiator.nid;
    total_ = event.hdr_data;
    side_.wake();
  };
  acked_.on = [this](const ulnet::Event& event) {
    if (event.type == ulnet::EventType::kAck) answered_ = true;
  };
  side.receive(kFinish, note_, finish_);
}

void Farewell::answer() {
  side_.put(side_.source(note_, acked_), driver_, kDone, 0, true);
  side_.run_until([&] { return answered_.load(); }, 2);
  side_.node().stop(std::chrono::seconds(1));
}

void count_and_answer(Side& side, const Options& options) {
  // Both handlers use these. In shared mode they may run on two threads, since data and finish
  // travel on different connections.
  struct Counts {
    std::atomic<std::uint64_t> arrived{0};
    std::atomic<double> start{0}, cpu{0};
  } counts;
  std::vector<char> sink(options.size * options.buffers);
  Farewell farewell(side);
  Handler data;
  data.on = [&](const ulnet::Event&) {
    const auto arrived =
        counts.arrived.load(std::memory_order_relaxed) + 1;  // one handler at a time
    if (arrived == 1) {
      counts.start = now();
      counts.cpu = cpu_seconds();
    }
    counts.arrived.store(arrived, std::memory_order_release);
    if (arrived >= farewell.total()) side.wake();
  };
  side.receive(kData, sink, data);
  ready();
  side.run_until([&] { return counts.arrived.load() >= farewell.total(); });
  const double seconds = now() - counts.start, cpu = cpu_seconds() - counts.cpu;
  farewell.answer();
  report(counts.arrived, counts.arrived * options.size, seconds, cpu);
}

void finish(Side& side, std::uint64_t total) {
  std::vector<char> note(8);
  std::atomic<bool> answered{false};
  Handler ignored, done;
  ignored.on = [](const ulnet::Event&) {};
  done.on = [&](const ulnet::Event&) {
    answered = true;
    side.wake();
  };
  side.receive(kDone, note, done);
  side.put(side.source(note, ignored), side.peer(), kFinish, 0, false, total);
  side.run_until([&] { return answered.load(); });
  side.node().stop(std::chrono::seconds(1));  // its handlers are local variables here
}

void greet(Side& side) {
  std::vector<char> note(8);
  std::atomic<bool> acked{false};
  Handler handler;
  handler.on = [&](const ulnet::Event& event) {
    if (event.status != 0) die("greet", {event.status, "the other side does not answer"});
    if (event.type != ulnet::EventType::kAck) return;
    acked = true;
    side.wake();
  };
  const auto md = side.source(note, handler);
  side.put(md, side.peer(), kFinish, 0, true);
  side.run_until([&] { return acked.load(); });
  side.wait_for_connections();
  (void)side.node().md_unlink(md);
}

}  // namespace bench
