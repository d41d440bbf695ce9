// Batches: made, listed, started, stopped, asked. Source: spec/cli-lst.md 3.6,
// spec/wire-selftest.md 3.5.
#include <algorithm>

#include "svc/selftest/console/console.h"

namespace ulnet::svc::selftest::console {

namespace {

constexpr std::size_t kBatchesMax = 1024;

wire::LstBatch request_of(const SessionPtr& session, const BatchPtr& batch, wire::LstBatchOp op) {
  return {.session = session->id, .batch = batch->id, .op = op};
}

bool idle_everywhere(const NodeResults& results) {
  return std::all_of(results.begin(), results.end(), [](const NodeResult& result) {
    const auto* reply = result.as<wire::LstBatchReply>();
    return reply != nullptr && reply->status == 0 && reply->active == 0;
  });
}

}  // namespace

Result<void> Console::add_batch(std::uint32_t key, const std::string& name) {
  const auto session = session_of(key);
  if (!session) return tl::unexpected(session.error());
  if (auto fits = check_name(name); !fits) return fits;
  if ((*session)->batch(name) != nullptr) return fail(-EEXIST, "batch already exists");
  if ((*session)->batches.size() >= kBatchesMax)
    return fail(-E2BIG, "a session has " + std::to_string(kBatchesMax) + " batches at most");
  auto batch = std::make_shared<Batch>();
  batch->name = name;
  batch->id = next_batch_++;
  (*session)->batches.push_back(std::move(batch));
  return {};
}

Result<std::vector<BatchPtr>> Console::batches(std::uint32_t key) {
  return session_of(key).map([](const SessionPtr& session) { return session->batches; });
}

Result<BatchPtr> Console::batch(std::uint32_t key, const std::string& name) {
  return session_of(key).and_then(
      [&](const SessionPtr& session) { return find_batch(*session, name); });
}

void Console::run(std::uint32_t key, const std::string& name, std::uint32_t seconds,
                  Done<NodeResults> done) {
  command(key, std::move(done),
          [this, name, seconds](const SessionPtr& session, const Done<NodeResults>& finish) {
            const auto batch = find_batch(*session, name);
            if (!batch) return finish(tl::unexpected(batch.error()));
            wire::LstBatch request = request_of(session, *batch, wire::LstBatchOp::kRun);
            request.argument = seconds;
            ask(
                session, active_of((*batch)->clients()), kPatience,
                [request](std::size_t) { return NodeRequest{request}; },
                [session, batch = *batch, finish](NodeResults results) {
                  const bool runs = std::any_of(results.begin(), results.end(),
                                                [](const NodeResult& r) { return r.good(); });
                  if (runs && batch->run == 0) batch->run = ++session->runs;
                  finish(std::move(results));
                });
          });
}

void Console::stop(std::uint32_t key, const std::string& name, bool force, Done<NodeResults> done) {
  command(key, std::move(done),
          [this, name, force](const SessionPtr& session, const Done<NodeResults>& finish) {
            const auto batch = find_batch(*session, name);
            if (!batch) return finish(tl::unexpected(batch.error()));
            wire::LstBatch request = request_of(session, *batch, wire::LstBatchOp::kStop);
            request.argument = force ? 1 : 0;
            ask(
                session, active_of((*batch)->clients()), kPatience,
                [request](std::size_t) { return NodeRequest{request}; },
                [finish](NodeResults results) {
                  for (NodeResult& result : results)
                    if (result.status == EPERM) result.status = 0;  // it was idle
                  finish(std::move(results));
                });
          });
}

void Console::query(std::uint32_t key, const QueryAsked& asked, Duration patience,
                    Done<NodeResults> done) {
  command(key, std::move(done),
          [this, asked, patience](const SessionPtr& session, const Done<NodeResults>& finish) {
            const auto batch = find_batch(*session, asked.batch);
            if (!batch) return finish(tl::unexpected(batch.error()));
            if (asked.test > (*batch)->tests.size())
              return finish(fail(-ENOENT, "Can't find test in current session"));
            std::vector<std::uint32_t> indexes;
            Members members = asked.server ? (*batch)->servers() : (*batch)->clients();
            if (asked.test != 0) {
              const Test& test = (*batch)->tests[asked.test - 1];
              const auto& parts = asked.server ? test.servers : test.clients;
              members = members_of(parts);
              for (const Test::Part& part : parts) indexes.push_back(part.index);
            }
            const wire::LstBatch request = request_of(session, *batch, wire::LstBatchOp::kQuery);
            ask(
                session, members, patience,
                [request, indexes](std::size_t i) {
                  wire::LstBatch one = request;
                  if (!indexes.empty()) one.test_index = indexes[i];
                  return NodeRequest{one};
                },
                [batch = *batch, asked, finish](NodeResults results) {
                  if (asked.test == 0 && !asked.server && idle_everywhere(results)) batch->run = 0;
                  finish(std::move(results));
                });
          });
}

Result<std::vector<OwnTest>> Console::own_tests(std::uint32_t key, const std::string& name) {
  const auto session = session_of(key);
  if (!session) return tl::unexpected(session.error());
  const auto batch = find_batch(**session, name);
  if (!batch) return tl::unexpected(batch.error());
  std::vector<OwnTest> own;
  for (std::size_t i = 0; i < (*batch)->tests.size(); ++i) {
    for (const Test::Part& part : (*batch)->tests[i].clients) {
      if (!surroundings_.is_own(part.member->id.nid)) continue;
      const auto latency = surroundings_.own_latency((*session)->id, (*batch)->id, part.index);
      if (latency) own.push_back({i + 1, part.member->id, *latency});
    }
  }
  return own;
}

void Console::ping_batch(std::uint32_t key, const std::string& name, bool server, Duration patience,
                         Done<NodeResults> done) {
  command(
      key, std::move(done),
      [this, name, server, patience](const SessionPtr& session, const Done<NodeResults>& finish) {
        const auto batch = find_batch(*session, name);
        if (!batch) return finish(tl::unexpected(batch.error()));
        debug(session, server ? (*batch)->servers() : (*batch)->clients(), patience, finish);
      });
}

}  // namespace ulnet::svc::selftest::console
