#include "svc/selftest/framework.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace ulnet::svc::selftest {
namespace {

using namespace wire;

constexpr std::uint32_t kConcurrencyMax = 1024;
// How often to look whether aborted tests have ended, which is when LNet has let go of their
// memory.
constexpr Duration kSweepEvery = std::chrono::milliseconds(100);
// How long a console that does not serve its list of destinations may keep others waiting.
constexpr Duration kListTime = std::chrono::seconds(5);
// How much of this node's memory a test may take.
constexpr std::uint64_t kUnitsMax = 1U << 16;
constexpr std::uint64_t kBulkBytesMax = 1ULL << 30;

/// The reply that refuses a request, whatever its type.
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

bool Framework::serve(const Arrived& request) {
  const LstBody& body = request.message.body;
  const std::uint32_t features = request.message.features;
  const auto* batch = std::get_if<LstBatch>(&body);
  const bool senseless =
      batch != nullptr && (batch->op < LstBatchOp::kRun || batch->op > LstBatchOp::kQuery);
  if (senseless || (std::holds_alternative<LstJoin>(body) && !join_)) {
    ++context_.rpc.dropped;
    return true;
  }
  if (fetching_) return false;
  Served* served = served_.take(request, kAtOnce);
  if (served == nullptr) return false;
  stay_alive();

  const auto* make = std::get_if<LstMakeSession>(&body);
  const bool of_session = make == nullptr && !std::holds_alternative<LstJoin>(body);
  if (request.message.version != kLstVersion ||
      (of_session && session_ && session_->features != features)) {
    reply(*served, refusal(body, EPROTO, current()));
  } else if (make != nullptr) {
    reply(*served, answer(*make, features));
  } else if (const auto* remove = std::get_if<LstRemoveSession>(&body)) {
    reply(*served, answer(*remove));
  } else if (const auto* debug = std::get_if<LstDebug>(&body)) {
    reply(*served, answer(*debug));
  } else if (const auto* stat = std::get_if<LstStat>(&body)) {
    stat->type == kLstStatLatency ? tell_latency(*served, *stat) : reply(*served, answer(*stat));
  } else if (batch != nullptr) {
    reply(*served, answer(*batch));
  } else if (const auto* test = std::get_if<LstTest>(&body)) {
    const std::uint32_t status = judge(*test);
    if (status == 0 && test->is_client) {
      fetch_destinations(*served, *test);
    } else {
      const std::uint32_t done = status != 0 ? status : add_test(*test, nullptr);
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

LstMakeSessionReply Framework::answer(const LstMakeSession& request, std::uint32_t features) {
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
  } else if ((features & ~kLstFeatures) != 0) {
    reply.status = EPROTO;
  } else {
    begin_session(request, features);
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

void Framework::begin_session(const LstMakeSession& request, std::uint32_t features) {
  end_session();
  session_ = std::make_unique<Session>();
  session_->id = request.session;
  session_->name = request.name;
  session_->features = features;
  session_->began = context_.host.now();
  stay_alive();
}

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
  over_.remove_if([](const auto& session) { return session->running_batches() == 0; });
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
void Framework::tell_latency(Served& served, const LstStat& request) {
  const Test* test = client_test(request.session, request.batch, request.test_index);
  if (test == nullptr) {
    LstStatReply refused = answer(request);
    if (refused.status == 0) refused.status = ENOENT;
    return reply(served, refused);
  }
  served.bulk = bulks_.take(kLstLatencyBytes);
  const std::span<std::byte, kLstLatencyBytes> data(served.bulk.memory.get(), kLstLatencyBytes);
  encode_lst_latency(test->latency().buckets(), data);
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
    if (batch.running() == 0) batch.run();
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
  // Lists of exact length have no room for the gaps between pages (3.4).
  const bool exact = session_ && (session_->features & kLstFeatureBulkLength) != 0;
  const std::uint32_t most = exact ? kLstDestinationsPerPage : kLstDestinationsMax;
  const bool destinations =
      test.is_client ? test.destinations != 0 && test.destinations <= most : test.destinations == 0;
  if (test.session.is_none() || !known || !amounts || !destinations) return EINVAL;
  if (!is_ours(test.session)) return ENOENT;
  const auto batch = session_->batches.find(test.batch);
  if (batch != session_->batches.end() && batch->second.running() != 0) return EBUSY;
  return 0;
}

void Framework::fetch_destinations(Served& served, const LstTest& test) {
  const std::size_t bytes = lst_destinations_bytes(test.destinations, session_->features);
  if (bytes > limits::kMtu) return reply(served, LstTestReply{EINVAL, current()});
  list_.assign(bytes, std::byte{0});
  fetching_ = true;
  served.fetch(test.bulkid, list_, kListTime);
}

void Framework::moved(Served& served, int status) {
  if (const auto* stat = std::get_if<LstStat>(&served.request().message.body))
    return status != 0 ? served.drop() : reply(served, answer(*stat));
  fetching_ = false;
  if (status != 0) {
    served.drop();
    return buffers_.offer();
  }
  const LstMessage& request = served.request().message;
  const auto& test = std::get<LstTest>(request.body);
  const auto destinations = decode_lst_destinations(list_, test.destinations,
                                                    request.swapped ? Order::kBig : Order::kLittle);
  std::uint32_t done = destinations ? judge(test) : EINVAL;
  if (done == 0) done = add_test(test, &*destinations);
  reply(served, LstTestReply{done, current()});
  buffers_.offer();
}

std::uint32_t Framework::add_test(const LstTest& test, const std::vector<ProcessId>* destinations) {
  if (destinations == nullptr) {
    owner_.want_buffers(test.service, test.loop);
    session_->batches[test.batch].add_server();
    return 0;
  }
  auto workload = make_workload(context_, test);
  if (!workload) return EINVAL;
  const std::uint64_t units = std::uint64_t{test.destinations} * test.concurrency;
  if (units > kUnitsMax || units * workload->bulk_bytes() > kBulkBytesMax) return ENOMEM;
  const bool brw = test.service == LstService::kBrw;
  session_->batches[test.batch].add_client(context_, bulks_, test, session_->features,
                                           std::move(workload), *destinations,
                                           brw ? session_->brw_errors : session_->ping_errors);
  return 0;
}

}  // namespace ulnet::svc::selftest
