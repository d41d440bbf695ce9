// One small session over every driver, through the public interface and a console: pings, reads
// and writes whose data are checked. A new driver needs a Network. Source: spec/wire-selftest.md
// 3, 4, 6.
#include <functional>
#include <optional>

#include "lnet/node/node_fixture.h"
#include "selftest/host/selftest_console.h"
#include "sim/checkers/all.h"
#include "sim/world/selftest_surroundings.h"

namespace ulnet {
namespace {

using namespace svc::selftest::console;
using std::chrono::seconds;
using svc::selftest::Selftest;
using wire::LstCheck;
using wire::LstService;

constexpr std::uint32_t kKey = 1;
constexpr std::uint32_t kLoop = 5, kConcurrency = 4;
const std::string kBatch = "batch";  // the name of the batch that every session has
const std::string kFrom = "from", kTo = "to";

/// The nodes of the selftest's client, its server and a console; client and server may be one
/// node.
class Network {
 public:
  using Command = std::function<void(Console&, std::function<void()> over)>;

  virtual ~Network() = default;
  /// Runs the command and waits until it calls `over`.
  virtual void run(const Command& command) = 0;
  /// Stops the selftest, and checks that nothing of it is left.
  virtual void stop() = 0;
  ProcessId client, server;
};

/// Real nodes on loopback addresses.
class LiveNetwork final : public Network {
 public:
  explicit LiveNetwork(bool to_itself) : port_(node::free_port()) {
    a_ = start(node::own_address(1));
    b_ = start(node::own_address(2));
    client = to_itself ? ProcessId{Nid::loopback(), Pid::lustre()} : a_->get_id(1, false).value();
    server = to_itself ? client : b_->get_id(1, false).value();
    console_ = node::SelftestConsole::start({std::shared_ptr<Lnet>(), a_.get()}).value();
    at_b_ = std::make_unique<node::SelftestHost>(*b_);
    EXPECT_TRUE(at_b_->start());
  }
  ~LiveNetwork() override {
    a_->stop(seconds(0));
    b_->stop(seconds(0));
  }
  void run(const Command& command) override { EXPECT_TRUE(console_->run(command)); }
  void stop() override {
    // The messages went over lo if and only if the client is its own server.
    const auto nis = a_->state().nis;
    const bool by_itself = client == server;
    EXPECT_EQ(nis.at(by_itself ? 1 : 0).stats.traffic.sent.put, 0U);
    EXPECT_GT(nis.at(by_itself ? 0 : 1).stats.traffic.sent.put, 0U);
    EXPECT_TRUE(console_->stop(seconds(30)));
    EXPECT_TRUE(at_b_->stop(seconds(30)));
  }

 private:
  std::unique_ptr<node::Node> start(const std::string& address) {
    NodeOptions options;
    options.params = {{"accept", "trust"}, {"accept_port", port_}, {"accept_port_bulk", port_}};
    auto node = node::Node::start(options, node::machine_of(1)).value();
    conf::NiItem ni;
    ni.interface = address;
    EXPECT_TRUE(node->change(conf::change::AddNi{{NetType::kTcp, 0}, ni}));
    return node;
  }

  const std::string port_;
  std::unique_ptr<node::Node> a_, b_;
  std::unique_ptr<node::SelftestConsole> console_;
  std::unique_ptr<node::SelftestHost> at_b_;
};

/// Simulated nodes, with all checkers.
class SimulatedNetwork final : public Network {
 public:
  explicit SimulatedNetwork(sim::DriverKind driver) : world_(1) {
    sim::add_all_checkers(world_);
    for (const std::uint32_t address : {0x0a000001U, 0x0a000002U})
      world_.add_node(
          {.nis = {{.nid = Nid::small({NetType::kTcp, 0}, address)}}, .driver = driver});
    client = world_.node(0).id();
    server = world_.node(1).id();
    for (std::size_t number : {0, 1}) {
      hosts_.push_back(std::make_unique<sim::SelftestHost>(world_, world_.node(number)));
      hosts_[number]->run([&] { EXPECT_TRUE(hosts_[number]->selftest().start()); });
    }
    surroundings_ = std::make_unique<sim::SelftestSurroundings>(*hosts_[0]);
    console_ = std::make_unique<Console>(*surroundings_);
  }
  void run(const Command& command) override {
    bool ended = false;
    hosts_[0]->run([&] { command(*console_, [&] { ended = true; }); });
    EXPECT_TRUE(passes_until([&] { return ended; }));
  }
  void stop() override {
    for (const auto& host : hosts_) {
      host->run([&] { host->selftest().stop(); });
      EXPECT_TRUE(passes_until([&] { return host->selftest().quiet(); }));
    }
    EXPECT_TRUE(world_.run_until_quiet().reached()) << world_.explain();
    EXPECT_FALSE(world_.violation()) << world_.explain();
  }

 private:
  template <class Condition>
  bool passes_until(Condition condition) {
    while (!condition() && world_.step()) {
    }
    return condition();
  }

  sim::World world_;
  std::vector<std::unique_ptr<sim::SelftestHost>> hosts_;
  std::unique_ptr<sim::SelftestSurroundings> surroundings_;
  std::unique_ptr<Console> console_;
};

struct DriverCase {
  const char* driver;
  std::unique_ptr<Network> (*make)();
};
void PrintTo(const DriverCase& kind, std::ostream* out) { *out << kind.driver; }

class Drivers : public testing::TestWithParam<DriverCase> {
 protected:
  /// Runs a command of the console; returns its value.
  template <class Value, class Command>
  Value wait(Command command) {
    std::optional<Result<Value>> came;
    network->run([&](Console& console, const std::function<void()>& over) {
      command(console, [&came, over](Result<Value> result) {
        came = std::move(result);
        over();
      });
    });
    EXPECT_TRUE(came && *came) << (came ? came->error().reason : "never");
    return came && *came ? std::move(**came) : Value{};
  }
  /// Waits as wait() does, for a command that sends requests to nodes; every node has to answer
  /// without error.
  template <class Command>
  NodeResults ask(Command command) {
    NodeResults nodes = wait<NodeResults>(command);
    EXPECT_FALSE(nodes.empty());
    for (const NodeResult& node : nodes)
      EXPECT_TRUE(node.good()) << node.error << " " << node.status;
    return nodes;
  }
  void add_group(const std::string& name, const ProcessId& id) {
    const auto added = wait<NodesAdded>(
        [&](Console& console, auto done) { console.add_nodes(kKey, name, {id}, done); });
    for (const NodeResult& node : added.results) EXPECT_TRUE(node.good());
    EXPECT_TRUE(network->server == network->client || added.results.size() == 1);
  }
  void add_test(const TestSpec& spec) {
    ask([&](Console& console, auto done) {
      console.add_test(kKey, {.batch = kBatch, .from = kFrom, .to = kTo, .spec = spec}, done);
    });
  }
  bool runs() {
    const auto nodes = ask([](Console& console, auto done) {
      console.query(kKey, {.batch = kBatch}, seconds(30), done);
    });
    return nodes.at(0).as<wire::LstBatchReply>()->active != 0;
  }
  wire::LstStatReply sample(const std::string& group) {
    const auto nodes = ask([&](Console& console, auto done) {
      console.sample(kKey, {.name = group}, seconds(30), done);
    });
    return *nodes.at(0).as<wire::LstStatReply>();
  }

  const std::unique_ptr<Network> network = GetParam().make();
};

TEST_P(Drivers, PingsReadsAndWritesAreAllWell) {
  wait<SessionShown>([](Console& console, auto done) {
    console.new_session({.key = kKey, .name = "drivers"}, done);
  });
  add_group(kFrom, network->client);
  add_group(kTo, network->server);
  add_test({.service = LstService::kPing, .loop = kLoop, .concurrency = kConcurrency});
  constexpr std::uint32_t kSizes[] = {8, 5000, 1U << 20};
  for (const std::uint32_t size : kSizes)
    for (const bool write : {false, true})
      add_test({.service = LstService::kBrw,
                .loop = kLoop,
                .concurrency = kConcurrency,
                .write = write,
                .check = LstCheck::kFull,
                .size = size});
  ask([](Console& console, auto done) { console.run(kKey, kBatch, 0, done); });
  while (runs()) {
  }
  const auto at_client = sample(kFrom), at_server = sample(kTo);
  EXPECT_EQ(at_client.framework.ping_errors + at_client.framework.brw_errors, 0U);
  EXPECT_EQ(at_client.rpc.errors + at_client.rpc.expired + at_client.rpc.dropped, 0U);
  EXPECT_GE(at_client.rpc.sent, kLoop * kConcurrency * (1 + 2 * std::size(kSizes)));
  const std::uint64_t each_way = std::uint64_t{kLoop} * kConcurrency * (8 + 5000 + (1U << 20));
  EXPECT_EQ(at_server.rpc.bulk_sent, each_way);
  EXPECT_EQ(at_server.rpc.bulk_fetched, each_way);
  ask([](Console& console, auto done) { console.end_session(kKey, done); });
  network->stop();
}

INSTANTIATE_TEST_SUITE_P(
    All, Drivers,
    testing::Values(
        DriverCase{"lo", [] { return std::unique_ptr<Network>(new LiveNetwork(true)); }},
        DriverCase{"sock", [] { return std::unique_ptr<Network>(new LiveNetwork(false)); }},
        DriverCase{
            "sock_in_the_simulator",
            [] { return std::unique_ptr<Network>(new SimulatedNetwork(sim::DriverKind::kSock)); }},
        DriverCase{
            "pipe",
            [] { return std::unique_ptr<Network>(new SimulatedNetwork(sim::DriverKind::kPipe)); }}),
    [](const auto& kind) { return std::string(kind.param.driver); });

}  // namespace
}  // namespace ulnet
