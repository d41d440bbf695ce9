#include "tests/selftest/scenarios/script.h"

namespace ulnet::sim {
namespace {

constexpr std::uint64_t kBatch = 1;

}  // namespace

Script::Script(std::uint64_t seed, const Scene& scene) : world_(seed, scene.world) {
  add_all_checkers(world_);
  for (unsigned i = 1; i <= scene.nodes; ++i) {
    NodeSetup setup{.driver = scene.driver, .partitions = scene.partitions};
    for (unsigned ni = 0; ni < scene.nis; ++ni)
      setup.nis.push_back({.nid = Nid::small({NetType::kTcp, 0}, 0x0a000000U + (ni << 16) + i)});
    world_.add_node(setup);
  }
  before_ = node(0).leftovers();
  for (unsigned i = 0; i < scene.nodes; ++i) {
    hosts_.push_back(std::make_unique<SelftestHost>(world_, node(i), scene.settings));
    hosts_[i]->run([&] { EXPECT_TRUE(selftest(i).start()); });
  }
}

void Script::acquaint_all() {
  for (std::size_t a = 0; a < hosts_.size(); ++a)
    for (std::size_t b = 0; b < hosts_.size(); ++b)
      for (const NiSetup& ni : node(b).setup().nis) acquaint(node(a), ni.nid);
}

void Script::crash(std::size_t number) {
  node(number).crash(true);
  hosts_[number].reset();
}

RpcReply Script::ask(std::size_t to, LstBody body, std::vector<std::byte> offered,
                     std::uint32_t features, std::size_t from) {
  std::optional<RpcReply> said;
  LstMessage request;
  request.features = features;
  request.body = std::move(body);
  host(from).run([&] {
    selftest(from).caller().call(node(to).id(), request, std::move(offered), seconds(30),
                                 [&](const RpcReply& reply) { said = reply; });
    EXPECT_FALSE(said) << "never inside call()";
  });
  EXPECT_TRUE(wait_for([&] { return said.has_value(); })) << world_.explain();
  return said.value_or(RpcReply{-EIO, {}});
}

std::uint32_t Script::make_session(std::size_t at) {
  return ask_for<LstMakeSessionReply>(at, LstMakeSession{0, session(), 0, LstName("story")}).status;
}

std::uint32_t Script::remove_session(std::size_t at) {
  return ask_for<LstRemoveSessionReply>(at, LstRemoveSession{0, session()}).status;
}

std::uint32_t Script::add_server(std::size_t at, LstService service) {
  LstTest test = service == LstService::kPing ? ping_test(1) : brw_test(1, {});
  test.session = session();
  test.batch = kBatch;
  test.is_client = false;
  return ask_for<LstTestReply>(at, test).status;
}

std::uint32_t Script::add_client(std::size_t at, const std::vector<std::size_t>& servers,
                                 const LstTest& wanted, std::size_t ni) {
  LstTest test = wanted;
  test.session = session();
  test.batch = kBatch;
  test.is_client = true;
  test.destinations = static_cast<std::uint32_t>(servers.size());
  std::vector<ProcessId> ids;
  for (const std::size_t server : servers) ids.push_back(node(server).id(ni));
  const bool fits = test.destinations <= kLstDestinationsPerPage;
  std::vector<std::byte> list(lst_destinations_bytes(test.destinations, fits ? kLstFeatures : 0));
  encode_lst_destinations(ids, list);
  return ask_for<LstTestReply>(at, test, std::move(list)).status;
}

std::uint32_t Script::run(std::size_t at) {
  return ask_for<LstBatchReply>(at, LstBatch{0, session(), kBatch, LstBatchOp::kRun, 0, 0}).status;
}

std::uint32_t Script::stop(std::size_t at, bool abort) {
  const LstBatch request{0, session(), kBatch, LstBatchOp::kStop, 0, abort ? 1U : 0U};
  return ask_for<LstBatchReply>(at, request).status;
}

std::uint32_t Script::running(std::size_t at) {
  const LstBatch request{0, session(), kBatch, LstBatchOp::kQuery, 0, 0};
  const auto reply = ask_for<LstBatchReply>(at, request);
  EXPECT_EQ(reply.status, 0U);
  return reply.active;
}

LstStatReply Script::stat(std::size_t at) {
  return ask_for<LstStatReply>(at, LstStat{0, session(), 0});
}

bool Script::wait_until_idle(std::size_t at) {
  return wait_for([&] { return selftest(at).framework().session()->running_batches() == 0; });
}

void Script::expect_nothing_left() {
  for (const auto& host : hosts_)
    if (host != nullptr) host->run([&] { host->selftest().stop(); });
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (hosts_[i] == nullptr) continue;
    EXPECT_TRUE(wait_for([&] { return selftest(i).quiet(); })) << i << ": " << world_.explain();
  }
  EXPECT_TRUE(world_.run_until_quiet().reached()) << world_.explain();
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (hosts_[i] != nullptr) {
      EXPECT_EQ(node(i).leftovers().mds, before_.mds) << i;
      EXPECT_EQ(node(i).leftovers().mes, before_.mes) << i;
    }
  }
  EXPECT_FALSE(world_.violation()) << world_.explain();
}

LstTest ping_test(std::uint32_t loop, std::uint32_t concurrency) {
  LstTest test;
  test.service = LstService::kPing;
  test.loop = loop;
  test.concurrency = concurrency;
  test.stop_on_error = true;
  test.parameters = LstPingParameters{};
  return test;
}

LstTest brw_test(std::uint32_t loop, LstBrwBytes what, std::uint32_t concurrency) {
  LstTest test = ping_test(loop, concurrency);
  test.service = LstService::kBrw;
  test.parameters = what;
  return test;
}

}  // namespace ulnet::sim
