#include "selftest/service/framework.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>

#include "lnet/base/text.h"

namespace ulnet::svc::selftest {
namespace {

using namespace wire;

constexpr std::uint32_t kConcurrencyMax = 1024;
// How often to check whether aborted tests have ended. A test ends when LNet has released its
// memory.
constexpr Duration kSweepEvery = std::chrono::milliseconds(100);
// How long a console that does not serve its list of destinations may delay other consoles.
constexpr Duration kListTime = std::chrono::seconds(5);
// The greatest Distance::order of a NID of this node: 0@lo, and other NIDs of this node.
constexpr std::uint32_t kOrderOfOwnNids = 1;

/// Makes the reply that refuses a request, whatever its type.
LstBody refusal(const LstBody& request, std::uint32_t status, const LstSessionId& session) {
  return std::visit(
      [&](const auto& asked) -> LstBody {
        using Asked = std::decay_t<decltype(asked)>;
        const auto with = [&](auto reply) -> LstBody {
          reply.status = status;
          reply.session = session;
          return reply;
        };
        if constexpr (std::is_same_v<Asked, LstMakeSession>) return with(LstMakeSessionReply{});
        if constexpr (std::is_same_v<Asked, LstRemoveSession>) return with(LstRemoveSessionReply{});
        if constexpr (std::is_same_v<Asked, LstBatch>) return with(LstBatchReply{});
        if constexpr (std::is_same_v<Asked, LstStat>) return with(LstStatReply{});
        if constexpr (std::is_same_v<Asked, LstTest>) return with(LstTestReply{});
        if constexpr (std::is_same_v<Asked, LstDebug>) return with(LstDebugReply{});
        return with(LstJoinReply{});
      },
      request);
}

LstLnetCounters lnet_counters(Lnet& lnet) {
  const Counters all = lnet.counters();
  const auto low = [](std::uint64_t count) { return static_cast<std::uint32_t>(count); };
  return {low(all.msgs_alloc), low(all.msgs_max),    low(all.errors),     low(all.send_count),
          low(all.recv_count), low(all.route_count), low(all.drop_count), all.send_length,
          all.recv_length,     all.route_length,     all.drop_length};
}

}  // namespace

Framework::Framework(Context& context, BulkPool& bulks, Owner& owner)
    : context_(context),
      bulks_(bulks),
      owner_(owner),
      buffers_(context, *this),
      served_(context, *this) {}

/// Whether a request makes no sense. The node does not answer such a request.
bool Framework::is_nonsense(const LstBody& body) const {
  const auto* batch = std::get_if<LstBatch>(&body);
  return (batch != nullptr && (batch->op < LstBatchOp::kRun || batch->op > LstBatchOp::kQuery)) ||
         (std::holds_alternative<LstJoin>(body) && !join_);
}

/// Whether a request that changes the node's sessions comes from a console that may not lead one.
bool Framework::is_unauthorized(const Arrived& request) {
  const LstBody& body = request.message.body;
  return !std::holds_alternative<LstDebug>(body) && !std::holds_alternative<LstJoin>(body) &&
         !may_lead(request.from.nid);
}

/// Notes that the console sent a request for the session. The request itself may have to wait until
/// a list of destinations has come.
void Framework::came(const Arrived& request) {
  if (!is_nonsense(request.message.body) && !is_unauthorized(request)) heard();
}

bool Framework::serve(const Arrived& request) {
  const LstBody& body = request.message.body;
  const std::uint32_t features = request.message.features;
  if (is_nonsense(body)) {
    ++context_.rpc.dropped;
    return true;
  }
  if (fetching_) return false;
  Served* served = served_.take(request, kAtOnce);
  if (served == nullptr) return false;
  if (is_unauthorized(request)) {
    reply(*served, refusal_for(request));
    return true;
  }
  heard();

  const auto* make = std::get_if<LstMakeSession>(&body);
  const auto* batch = std::get_if<LstBatch>(&body);
  const bool of_session = make == nullptr && !std::holds_alternative<LstJoin>(body);
  if (request.message.version != kLstVersion ||
      (of_session && session_ && session_->features != features)) {
    reply(*served, refusal(body, EPROTO, current()));
  } else if (make != nullptr) {
    reply(*served, answer(*make, request));
  } else if (const auto* remove = std::get_if<LstRemoveSession>(&body)) {
    reply(*served, answer(*remove));
  } else if (const auto* debug = std::get_if<LstDebug>(&body)) {
    reply(*served, answer(*debug));
  } else if (const auto* stat = std::get_if<LstStat>(&body)) {
    stat->type == kLstStatLatency ? send_latency(*served, *stat) : reply(*served, answer(*stat));
  } else if (batch != nullptr) {
    reply(*served, answer(*batch));
  } else if (const auto* test = std::get_if<LstTest>(&body)) {
    const std::uint32_t status = judge(*test);
    if (status == 0 && test->is_client) {
      fetch_destinations(*served, *test);
    } else {
      const std::uint32_t done = status != 0 ? status : add_server(*test);
      reply(*served, LstTestReply{done, current()});
    }
  } else {
    reply(*served, join_(request.from, features, std::get<LstJoin>(body)));
  }
  return true;
}

void Framework::reply(Served& served, LstBody body) {
  LstMessage message;
  if (session_) message.features = session_->features;
  message.body = std::move(body);
  served.reply(message);
}

void Framework::freed(Served& served) {
  bulks_.give(std::exchange(served.bulk, {}));
  served_.give(served);
  buffers_.offer();
}

// ---- sessions

/// Whether a node may lead sessions. This node and the nodes that the administrator has named may.
bool Framework::may_lead(const Nid& nid) {
  const auto& consoles = context_.settings.consoles;
  if (consoles.empty() ||
      std::ranges::any_of(consoles, [&](const auto& c) { return c.matches(nid); }))
    return true;
  const auto distance = context_.lnet.dist(nid);
  return distance && distance->order <= kOrderOfOwnNids;
}

LstBody Framework::refusal_for(const Arrived& request) {
  context_.say(LogLevel::kWarning, context_.refused.strangers, [&] {
    return request.from.nid.to_string() + " may not lead a session: it is not in selftest_consoles";
  });
  return refusal(request.message.body, EPERM, current());
}

LstMakeSessionReply Framework::answer(const LstMakeSession& request, const Arrived& arrived) {
  LstMakeSessionReply reply;
  reply.timeout = static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::seconds>(context_.settings.session_timeout).count());
  if (request.session.is_none()) {
    reply.status = EINVAL;
  } else if (is_ours(request.session)) {
    ++session_->references;
  } else if (session_ && request.force == 0) {
    reply.status = EBUSY;
    reply.name = session_->name;
  } else if ((arrived.message.features & ~kLstFeatures) != 0) {
    reply.status = EPROTO;
  } else {
    begin_session(request, arrived);
  }
  reply.session = current();
  reply.sign = lst_sign(reply.session);
  reply.abilities = kLstAbilities;
  return reply;
}

LstRemoveSessionReply Framework::answer(const LstRemoveSession& request) {
  std::uint32_t status = 0;
  if (request.session.is_none()) {
    status = EINVAL;
  } else if (!session_) {
    status = ESRCH;
  } else if (!is_ours(request.session)) {
    status = EBUSY;
  } else if (--session_->references == 0) {
    end_session();
  }
  return {status, current()};
}

LstDebugReply Framework::answer(const LstDebug&) {
  LstDebugReply reply;
  if (!session_) {
    reply.status = ESRCH;
    return reply;
  }
  reply.session = session_->id;
  reply.timeout = static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::seconds>(context_.settings.session_timeout).count());
  reply.batches = static_cast<std::uint32_t>(session_->batches.size());
  reply.name = session_->name;
  return reply;
}

void Framework::begin_session(const LstMakeSession& request, const Arrived& arrived) {
  const auto named = [](const Nid& leader, const LstName& name) {
    return "session " + text::quoted(name.text()) + " of " + leader.to_string();
  };
  context_.say(LogLevel::kInfo, context_.sessions, [&] {
    const std::string begins = named(arrived.from.nid, request.name) + " begins";
    return session_ ? begins + ", and ends by force the " + named(session_->leader, session_->name)
                    : begins;
  });
  end_session();
  session_ = std::make_unique<Session>();
  session_->id = request.session;
  session_->name = request.name;
  session_->leader = arrived.from.nid;
  session_->features = arrived.message.features;
  session_->began = context_.host.now();
  stay_alive();
}

void Framework::heard() { stay_alive(); }

void Framework::stay_alive() {
  if (session_) context_.alarms.arm(expiry_, context_.deadline(context_.settings.session_timeout));
}

void Framework::end_session() {
  if (!session_) return;
  expiry_.cancel();
  over_.push_back(std::move(session_));
  over_.back()->stop();
  owner_.session_over();
  context_.alarms.soon(sweep_);
}

void Framework::sweep() {
  if (over_.remove_if([](const auto& session) { return session->running_batches() == 0; }) != 0)
    bulks_.shed();
  if (!over_.empty()) context_.alarms.arm(sweep_, context_.host.now() + kSweepEvery);
}

const Test* Framework::client_test(const LstSessionId& session, std::uint64_t batch,
                                   std::uint32_t index) const {
  if (!is_ours(session)) return nullptr;
  const auto at = session_->batches.find(batch);
  if (at == session_->batches.end()) return nullptr;
  const auto& tests = at->second.tests();
  return index == 0 || index > tests.size() ? nullptr : tests[index - 1].get();
}

std::uint32_t Framework::zombies() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      over_, [](const auto& session) { return session->running_batches() != 0; }));
}

void Framework::stop() {
  buffers_.close();
  end_session();
  served_.abort_all();
}

// ---- statistics

LstStatReply Framework::answer(const LstStat& request) {
  LstStatReply reply;
  reply.session = current();
  if (request.session.is_none() || !is_ours(request.session)) {
    reply.status = request.session.is_none() ? EINVAL : ESRCH;
    return reply;
  }
  const auto running = context_.host.now() - session_->began;
  reply.framework = {static_cast<std::uint32_t>(
                         std::chrono::duration_cast<std::chrono::milliseconds>(running).count()),
                     session_->running_batches(), zombies(), session_->brw_errors,
                     session_->ping_errors};
  reply.rpc = context_.rpc;
  reply.lnet = lnet_counters(context_.lnet);
  return reply;
}

/// Sends the data first and then the counters, as in every RPC with data.
void Framework::send_latency(Served& served, const LstStat& request) {
  const Test* test = client_test(request.session, request.batch, request.test_index);
  if (test == nullptr) {
    LstStatReply refused = answer(request);
    if (refused.status == 0) refused.status = ENOENT;
    return reply(served, refused);
  }
  served.bulk = bulks_.take(kLstLatencyBytes);
  if (!served.bulk) {
    LstStatReply refused = answer(request);
    refused.status = no_memory("latencies", kLstLatencyBytes);
    return reply(served, refused);
  }
  const std::span<std::byte, kLstLatencyBytes> data(served.bulk.memory.get(), kLstLatencyBytes);
  encode_lst_latency(test->latency().reported(), data);
  served.bulk.filled = 0;  // the memory holds no known pattern any more
  served.send(request.bulkid, data);
}

// ---- batches and tests

LstBatchReply Framework::answer(const LstBatch& request) {
  LstBatchReply reply;
  reply.session = current();
  if (!is_ours(request.session)) {
    reply.status = ESRCH;
    return reply;
  }
  const auto found = session_->batches.find(request.batch);
  if (found == session_->batches.end()) {
    reply.status = ENOENT;
    return reply;
  }
  Batch& batch = found->second;
  if (request.op == LstBatchOp::kRun) {
    if (batch.running() == 0 && !batch.run())
      reply.status = no_memory("the data of a batch", batch.data_bytes());
  } else if (request.op == LstBatchOp::kStop) {
    batch.stop(request.argument != 0);
  } else if (request.test_index == 0) {
    reply.active = batch.running();
  } else if (const auto units = batch.running_of(request.test_index)) {
    reply.active = *units;
  } else {
    reply.status = ENOENT;
  }
  return reply;
}

std::uint32_t Framework::judge(const LstTest& test) {
  const bool known = test.service == LstService::kBrw || test.service == LstService::kPing;
  const bool amounts =
      test.loop != 0 && test.concurrency != 0 && test.concurrency <= kConcurrencyMax;
  // A list of exact length has no space for the gaps between pages (spec/wire-selftest.md 3.4).
  const bool exact = session_ && (session_->features & kLstFeatureBulkLength) != 0;
  const std::uint32_t most = exact ? kLstDestinationsPerPage : kLstDestinationsMax;
  const bool destinations =
      test.is_client ? test.destinations != 0 && test.destinations <= most : test.destinations == 0;
  if (test.session.is_none() || !known || !amounts || !destinations) return EINVAL;
  if (!is_ours(test.session)) return ENOENT;
  const auto batch = session_->batches.find(test.batch);
  const bool fresh = batch == session_->batches.end();
  if (!fresh && batch->second.running() != 0) return EBUSY;
  const bool too_many_batches = fresh && session_->batches.size() >= Session::kBatchesMax;
  if (!too_many_batches && session_->tests() < Session::kTestsMax) return 0;
  context_.say(LogLevel::kWarning, context_.refused.limits, [&] {
    return "a test of " + session_->leader.to_string() + " is refused: its session has " +
           (too_many_batches ? std::to_string(Session::kBatchesMax) + " batches"
                             : std::to_string(Session::kTestsMax) + " tests") +
           ", the most that a session may have";
  });
  return ENOMEM;
}

/// Refuses a request of the session because there is no memory for it.
std::uint32_t Framework::no_memory(std::string_view what, std::uint64_t bytes) {
  context_.say(LogLevel::kWarning, context_.refused.memory, [&] {
    const MemoryBudget& memory = context_.host.memory();
    return fmt::format(
        "{}: no memory for {}: {} KiB; of the {} KiB that selftest may have, {} KiB are taken "
        "(memory_budget)",
        session_->leader.to_string(), what, (bytes + 1023) / 1024,
        memory.share(MemoryPart::kSelftest) / 1024, memory.used(MemoryPart::kSelftest) / 1024);
  });
  return ENOMEM;
}

void Framework::fetch_destinations(Served& served, const LstTest& test) {
  list_bytes_ = lst_destinations_bytes(test.destinations, session_->features);
  if (list_bytes_ > limits::kMtu) return reply(served, LstTestReply{EINVAL, current()});
  served.bulk = bulks_.take(list_bytes_);
  if (!served.bulk) {
    const std::uint32_t status = no_memory("a list of destinations", list_bytes_);
    return reply(served, LstTestReply{status, current()});
  }
  served.bulk.filled = 0;
  fetching_ = true;
  served.fetch(test.bulkid, {served.bulk.memory.get(), list_bytes_}, kListTime);
}

void Framework::moved(Served& served, int status) {
  if (const auto* stat = std::get_if<LstStat>(&served.request().message.body))
    return status != 0 ? served.drop() : reply(served, answer(*stat));
  fetching_ = false;
  if (status != 0) {
    served.drop();
    return buffers_.offer();
  }
  const auto& test = std::get<LstTest>(served.request().message.body);
  std::uint32_t done = judge(test);
  if (done == 0) done = add_client(test, served.request(), {served.bulk.memory.get(), list_bytes_});
  reply(served, LstTestReply{done, current()});
  buffers_.offer();
}

std::uint32_t Framework::add_server(const LstTest& test) {
  owner_.want_buffers(test.service, test.loop);
  session_->batches[test.batch].add_server();
  return 0;
}

/// Adds a test of which this node is a client. The tests of a batch run at the same time. The node
/// refuses a test if the batch would then need more memory than the share, because such a batch
/// could never run. The node makes the test's units now. It takes memory for data at each run.
std::uint32_t Framework::add_client(const LstTest& test, const Arrived& arrived,
                                    ByteView list) try {
  const auto destinations = decode_lst_destinations(
      list, test.destinations, arrived.message.swapped ? Order::kBig : Order::kLittle);
  if (!destinations) return EINVAL;
  auto workload = make_workload(context_, test);
  if (!workload) return EINVAL;
  const std::uint64_t units = std::uint64_t{test.destinations} * test.concurrency;
  const auto batch = session_->batches.find(test.batch);
  const std::uint64_t data = (batch != session_->batches.end() ? batch->second.data_bytes() : 0) +
                             units * BulkPool::capacity_for(workload->bulk_bytes());
  MemoryBudget& memory = context_.host.memory();
  if (data > memory.share(MemoryPart::kSelftest)) {
    memory.refuse(MemoryPart::kSelftest);
    return no_memory("the data of a batch", data);
  }
  const bool brw = test.service == LstService::kBrw;
  session_->batches[test.batch].add_client(context_, bulks_, test, session_->features,
                                           std::move(workload), *destinations,
                                           brw ? session_->brw_errors : session_->ping_errors);
  return 0;
} catch (const std::bad_alloc&) {
  std::erase_if(session_->batches, [](const auto& batch) { return batch.second.tests().empty(); });
  return no_memory("a test", Test::bytes(std::uint64_t{test.destinations} * test.concurrency));
}

}  // namespace ulnet::svc::selftest
