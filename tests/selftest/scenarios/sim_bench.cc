#include "sim_bench.h"

#include "selftest/api/lst_api.h"

namespace ulnet::tools::lst::test {

using svc::selftest::console::Console;

class SimBench::Time final : public Watch {
 public:
  explicit Time(SimBench& bench) : bench_(bench) {}
  Instant now() const override { return bench_.world_.now(); }
  void pause(Duration time) override {
    const Instant end = now() + time;
    const bool was = interrupted();
    bench_.advance(was ? end : std::min(end, std::max(now(), bench_.interrupt_at_)));
  }
  void heed(bool interrupts) override { heeded_ += interrupts; }
  bool interrupted() const override { return heeded_ != 0 && now() >= bench_.interrupt_at_; }

 private:
  SimBench& bench_;
  int heeded_ = 0;
};

class SimBench::Client final : public ConsoleClient {
 public:
  explicit Client(SimBench& bench) : bench_(bench) {}
  Result<Tree> call(const std::string& command, const Tree& arguments,
                    std::chrono::seconds patience) override {
    std::optional<Result<Tree>> answer;
    const Tree sent = Tree::parse(arguments.dump());
    bench_.hosts_[0]->run([&] {
      node::control::console_command(*bench_.console_, command, sent,
                                     [&](Result<Tree> result) { answer = std::move(result); });
    });
    const Instant end = bench_.world_.now() + patience;
    while (!answer && bench_.world_.now() < end)
      bench_.advance(bench_.world_.now() + std::chrono::microseconds(100));
    if (!answer) ADD_FAILURE() << command << ": the client would have given up";
    return answer.value_or(fail(-ETIME, "never ended"));
  }

 private:
  SimBench& bench_;
};

namespace {

std::vector<sim::NodeSetup> on_one_net(unsigned count) {
  std::vector<sim::NodeSetup> nodes;
  for (unsigned i = 0; i < count; ++i)
    nodes.push_back({.nis = {{.nid = *Nid::parse(SimBench::nid(i + 1))}}});
  return nodes;
}

}  // namespace

SimBench::SimBench(std::uint64_t seed, const Scene& scene)
    : world_(seed, {.link = {.delay = std::chrono::milliseconds(1)}}) {
  sim::add_all_checkers(world_);
  const auto nodes = scene.setups.empty() ? on_one_net(scene.nodes) : scene.setups;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    sim::SimNode& node = world_.add_node(nodes[i]);
    svc::selftest::Settings settings;
    settings.rpc_timeout = scene.rpc_timeout;
    if (i < scene.spoil.size()) settings.inject_errors = scene.spoil[i];
    hosts_.push_back(std::make_unique<sim::SelftestHost>(world_, node, settings));
    hosts_[i]->run([&] { EXPECT_TRUE(hosts_[i]->selftest().start()); });
  }
  surroundings_ = std::make_unique<sim::SelftestSurroundings>(*hosts_[0]);
  console_ = std::make_unique<Console>(*surroundings_);
}

SimBench::~SimBench() {
  for (const auto& [when, act] : due_) act();  // resumes nodes that are still paused
  console_.reset();
  EXPECT_FALSE(world_.violation()) << world_.explain();
  for (const auto& host : hosts_)
    if (host != nullptr) host->run([&] { host->selftest().stop(); });
  const auto quiet = [&](const auto& host) { return host == nullptr || host->selftest().quiet(); };
  const Instant end = world_.now() + std::chrono::seconds(120);
  while (!std::all_of(hosts_.begin(), hosts_.end(), quiet) && world_.now() < end)
    if (!world_.step()) break;
  EXPECT_TRUE(std::all_of(hosts_.begin(), hosts_.end(), quiet)) << world_.explain();
}

void SimBench::advance(Instant until) {
  const auto reach = [&](Instant when) {
    while (world_.now() < when) {
      const auto verdict = world_.run_until(std::min(when, world_.now() + look_every_));
      ASSERT_TRUE(verdict.reached()) << world_.explain();
      if (look_) look_();
    }
  };
  while (!due_.empty() && due_.begin()->first <= until) {
    const auto next = due_.extract(due_.begin());
    reach(next.key());
    next.mapped()();
  }
  reach(until);
}

void SimBench::crash_after(Duration delay, std::size_t number) {
  after(delay, [this, number] {
    world_.node(number).crash(true);
    hosts_[number].reset();
  });
}

void SimBench::pause_after(Duration delay, std::size_t number, Duration lasts) {
  after(delay, [this, number] { world_.node(number).pause(); });
  after(delay + lasts, [this, number] { world_.node(number).resume(); });
}

bool SimBench::free_of_sessions() const {
  return std::all_of(hosts_.begin(), hosts_.end(), [](const auto& host) {
    return host == nullptr || host->selftest().framework().session() == nullptr;
  });
}

std::string SimBench::nid(std::size_t number) {
  return "10.0.0." + std::to_string(number) + "@tcp";
}

void SimBench::with_tool(const std::function<void(Tool&)>& fn) {
  Client client(*this);
  Time time(*this);
  Tool tool("ulst", 0, client, time);
  fn(tool);
}

Said SimBench::ulst(const std::string& line) {
  Said said;
  with_tool([&](Tool& tool) { said = say(tool, line); });
  return said;
}

Tree SimBench::json(const std::string& line, int code) {
  const Said said = ulst(line + " --json");
  EXPECT_EQ(said.code, code) << said.all;
  // Problems are printed after the JSON.
  const std::size_t end = said.all.rfind("\n}\n");
  if (end == std::string::npos) return ADD_FAILURE() << said.all, Tree();
  return Tree::parse(said.all.substr(0, end + 2));
}

}  // namespace ulnet::tools::lst::test
