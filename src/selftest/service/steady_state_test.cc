// The cost of an RPC: it allocates nothing in the steady state. DESIGN.md 2.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "selftest/service/tiny_lnet_fixture.h"

namespace {
std::size_t allocations = 0;
}  // namespace

// This test program's operator new, which counts. Not inlined, because the compiler would warn that
// delete frees memory of malloc().
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace ulnet::svc::selftest::test {
namespace {

using namespace wire;

/// A node with a session and an endless test, of which it is client and server.
struct Alone {
  explicit Alone(LstService service, LstParameters parameters) {
    EXPECT_TRUE(selftest.start());
    ask(LstMakeSession{0, session, 0, LstName("alone")});
    LstTest test;
    test.session = session;
    test.batch = 1;
    test.service = service;
    test.loop = kLstLoopForever;
    test.concurrency = 4;
    test.is_client = true;
    test.destinations = 1;
    test.parameters = parameters;
    std::vector<std::byte> list(12);
    encode_lst_destinations(std::vector<ProcessId>{TinyLnet::self()}, list);
    ask(test, list);
    ask(LstBatch{0, session, 1, LstBatchOp::kRun, 0, 0});
  }
  ~Alone() {
    host.queue.run([&] { selftest.stop(); });
    host.tiny.run(100'000);
    EXPECT_TRUE(selftest.quiet());
  }
  void ask(LstBody body, std::vector<std::byte> offered = {}) {
    LstMessage request;
    request.body = std::move(body);
    int status = -1;
    host.queue.run([&] {
      selftest.caller().call(TinyLnet::self(), request, std::move(offered), Duration{},
                             [&](const RpcReply& reply) { status = reply.status; });
    });
    host.tiny.run(100);
    EXPECT_EQ(status, 0);
  }
  const Session& here() const { return *selftest.framework().session(); }
  std::uint64_t done() const { return here().batches.at(1).tests().at(0)->latency().count(); }

  const LstSessionId session{TinyLnet::self().nid, 1};
  TinyHost host;
  Selftest selftest{host};
};

void expect_no_allocations(LstService service, LstParameters parameters) {
  Alone alone(service, parameters);
  alone.host.tiny.run(5000);
  const std::uint64_t done = alone.done();
  const std::size_t before = allocations;
  alone.host.tiny.run(50'000);
  EXPECT_EQ(allocations, before);
  EXPECT_GT(alone.done(), done + 5000);
  EXPECT_EQ(alone.here().ping_errors + alone.here().brw_errors, 0U);
}

// spec/wire-selftest.md 4.1
TEST(SteadyState, PingsAllocateNothing) {
  expect_no_allocations(LstService::kPing, LstPingParameters{});
}

// spec/wire-selftest.md 4.2
TEST(SteadyState, BulkReadsAndWritesAllocateNothing) {
  for (const LstBrwOp op : {LstBrwOp::kRead, LstBrwOp::kWrite})
    expect_no_allocations(LstService::kBrw, LstBrwBytes{op, LstCheck::kFull, 4096, 0});
}

}  // namespace
}  // namespace ulnet::svc::selftest::test
