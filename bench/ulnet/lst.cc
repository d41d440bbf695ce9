// LNet selftest between two processes. The server's node is the test's server; the driver's node
// is its client and has the console. The figures come from the server's counters, in two samples
// that the console takes while the test runs.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "loop.h"
#include "selftest/host/selftest_console.h"
#include "selftest/host/selftest_host.h"

namespace bench {
namespace {

namespace lst = ulnet::svc::selftest::console;
using ulnet::wire::LstCheck;
using ulnet::wire::LstService;

constexpr std::uint32_t kKey = 1;
constexpr std::chrono::seconds kTimeout{3}, kEndTime{5};
const std::string kBatch = "batch";  // the name of the batch that every session has
const std::string kClients = "clients", kServers = "servers";

[[noreturn]] void die(const std::string& what) {
  std::fprintf(stderr, "lst: %s\n", what.c_str());
  std::exit(1);
}

template <class Value>
Value must(ulnet::Result<Value> result, const char* what) {
  if (!result) die(std::string(what) + ": " + result.error().reason);
  return std::move(*result);
}

lst::TestSpec spec_of(const Options& options) {
  lst::TestSpec spec;
  spec.service = options.test == "ping" ? LstService::kPing : LstService::kBrw;
  spec.write = options.test == "write";
  spec.check = options.check == "full" ? LstCheck::kFull : LstCheck::kNone;
  spec.size = static_cast<std::uint32_t>(options.size);
  spec.concurrency = options.outstanding;
  if (options.count != 0)
    spec.loop = static_cast<std::uint32_t>((options.count - 1) / spec.concurrency + 1);
  return spec;
}

/// The server's counters, with the time and the CPU time of this process.
struct Sample {
  ulnet::wire::LstRpcCounters rpc;
  double at = now(), cpu = cpu_seconds();
};

/// A session of the two nodes. It waits for each command; the process ends when one fails.
class Session {
 public:
  explicit Session(Side& side)
      : console_(must(ulnet::node::SelftestConsole::start(side.shared()), "start")) {
    wait<lst::SessionShown>("new_session", [](auto& console, auto done) {
      console.new_session({.key = kKey, .name = "bench"}, done);
    });
    add_group(kClients, side.self());
    add_group(kServers, side.peer());
  }
  void add_test(const lst::TestSpec& spec) {
    ask("add_test", [&](auto& console, auto done) {
      console.add_test(kKey, {.batch = kBatch, .from = kClients, .to = kServers, .spec = spec},
                       done);
    });
  }
  void run() {
    ask("run", [](auto& console, auto done) { console.run(kKey, kBatch, 0, done); });
  }
  void stop() {
    ask("stop", [](auto& console, auto done) { console.stop(kKey, kBatch, false, done); });
  }
  bool runs() {
    const auto nodes = ask("query", [](auto& console, auto done) {
      console.query(kKey, {.batch = kBatch}, kTimeout, done);
    });
    return nodes.front().as<ulnet::wire::LstBatchReply>()->active != 0;
  }
  Sample sample(const std::string& group) {
    const auto nodes = ask("stat", [&](auto& console, auto done) {
      console.sample(kKey, {.name = group}, kTimeout, done);
    });
    const auto& stat = *nodes.front().as<ulnet::wire::LstStatReply>();
    if (stat.framework.brw_errors + stat.framework.ping_errors + stat.rpc.errors != 0)
      die("errors at the " + group);
    return {stat.rpc};
  }
  void end() {
    ask("end_session", [](auto& console, auto done) { console.end_session(kKey, done); });
    if (!console_->stop(kEndTime)) die("selftest does not end");
  }

 private:
  template <class Value, class Command>
  Value wait(const char* what, Command command) {
    std::optional<ulnet::Result<Value>> ended;
    console_->run([&](auto& console, std::function<void()> over) {
      command(console, [&ended, over](ulnet::Result<Value> result) {
        ended = std::move(result);
        over();
      });
    });
    return must(std::move(ended.value()), what);
  }
  /// Runs a command that sends requests to nodes; every node has to answer without error.
  template <class Command>
  lst::NodeResults ask(const char* what, Command command) {
    auto nodes = wait<lst::NodeResults>(what, command);
    for (const lst::NodeResult& node : nodes)
      if (!node.good()) die(std::string(what) + ": " + node.member->id.nid.to_string());
    return nodes;
  }
  void add_group(const std::string& name, const ulnet::Nid& nid) {
    const auto added = wait<lst::NodesAdded>("add_group", [&](auto& console, auto done) {
      console.add_nodes(kKey, name, {{nid, ulnet::Pid::lustre()}}, done);
    });
    if (added.results.size() != 1 || !added.results[0].good()) die("no " + name);
  }

  std::unique_ptr<ulnet::node::SelftestConsole> console_;
};

int serve(const Options& options) {
  Side side(options);
  ulnet::node::SelftestHost selftest(side.node());
  must(selftest.start().map([] { return true; }), "start");
  Farewell farewell(side);
  ready();
  const double start = now(), cpu = cpu_seconds();
  side.run_until([&] { return farewell.said(); });
  report(farewell.total(), farewell.total() * options.size, now() - start, cpu_seconds() - cpu);
  if (!selftest.stop(kEndTime)) die("selftest does not end");
  farewell.answer();
  return 0;
}

int drive(const Options& options) {
  using std::chrono::duration;
  Side side(options);
  greet(side);
  Session session(side);
  session.add_test(spec_of(options));
  const Sample before = session.sample(kServers);
  session.run();
  if (options.count == 0) std::this_thread::sleep_for(duration<double>(options.seconds));
  while (options.count != 0 && session.runs()) {
  }
  const Sample after = session.sample(kServers);
  session.stop();
  session.sample(kClients);
  session.end();
  const auto moved = [](const Sample& sample) {
    return sample.rpc.bulk_fetched + sample.rpc.bulk_sent;
  };
  const std::uint64_t bytes = moved(after) - moved(before);
  const std::uint64_t messages =
      bytes != 0 ? bytes / options.size : after.rpc.received - before.rpc.received;
  finish(side, messages);
  report(messages, bytes, after.at - before.at, after.cpu - before.cpu);
  return 0;
}

}  // namespace

int lst_test(const Options& options) { return options.serve ? serve(options) : drive(options); }

}  // namespace bench
