// Batches: adding, listing, running, stopping, querying, and adding tests to them. Source:
// spec/cli-lst.md 3.6, spec/wire-selftest.md 3.4, 3.5, 5.1.
#include <algorithm>

#include "lnet/wire/lst_latency.h"
#include "selftest/console/console.h"
#include "selftest/console/test_rules.h"

namespace ulnet::svc::selftest::console {

namespace {

constexpr std::size_t kBatchesMax = 1024;

wire::LstBatch request_of(const SessionPtr& session, const BatchPtr& batch, wire::LstBatchOp op) {
  return {.session = session->id, .batch = batch->id, .op = op};
}

/// Reads a client's latency from its reply. Data that cannot be decoded count as an error of the
/// node.
void read_latency(ClientLatency& client, NodeResult result) {
  client.result = std::move(result);
  if (!client.result.good()) return;
  const auto counts = wire::decode_lst_latency(client.result.data);
  if (counts)
    client.latency = Latency(*counts);
  else
    client.result.error = -EBADMSG;
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
                  Done<NodeResults> done, Duration wait) {
  command(key, std::move(done),
          [this, name, seconds, wait](const SessionPtr& session, const Done<NodeResults>& finish) {
            const auto batch = find_batch(*session, name);
            if (!batch) return finish(tl::unexpected(batch.error()));
            wire::LstBatch request = request_of(session, *batch, wire::LstBatchOp::kRun);
            request.argument = seconds;
            ask(
                session, heard_of(active_of((*batch)->clients())), Patience(kReplyTimeout, wait),
                [request](std::size_t) { return NodeRequest{request}; },
                [session, batch = *batch, finish](NodeResults results) {
                  const bool runs = std::any_of(results.begin(), results.end(),
                                                [](const NodeResult& r) { return r.good(); });
                  if (runs && batch->run == 0) batch->run = ++session->runs;
                  finish(std::move(results));
                });
          });
}

void Console::stop(std::uint32_t key, const std::string& name, bool force, Done<NodeResults> done,
                   Duration wait) {
  command(key, std::move(done),
          [this, name, force, wait](const SessionPtr& session, const Done<NodeResults>& finish) {
            const auto batch = find_batch(*session, name);
            if (!batch) return finish(tl::unexpected(batch.error()));
            wire::LstBatch request = request_of(session, *batch, wire::LstBatchOp::kStop);
            request.argument = force ? 1 : 0;
            ask(
                session, heard_of(active_of((*batch)->clients())), Patience(kReplyTimeout, wait),
                [request](std::size_t) { return NodeRequest{request}; },
                [finish](NodeResults results) {
                  for (NodeResult& result : results)
                    if (result.status == EPERM) result.status = 0;  // the batch did not run there
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

void Console::latencies(std::uint32_t key, const std::string& name, std::size_t number,
                        const Patience& patience, Done<std::vector<ClientLatency>> done) {
  using All = std::vector<ClientLatency>;
  in_turn<All>(
      key, std::move(done),
      [this, name, number, patience](const SessionPtr& session, const Done<All>& finish) {
        const auto batch = find_batch(*session, name);
        if (!batch) return finish(tl::unexpected(batch.error()));
        if (number == 0 || number > (*batch)->tests.size())
          return finish(fail(-ENOENT, "Can't find test in current session"));
        All all;
        Members asked;
        std::vector<std::uint32_t> indexes;
        for (const Test::Part& part : (*batch)->tests[number - 1].clients) {
          const bool ulnet = (part.member->abilities & wire::kLstReportsLatency) != 0;
          const bool there = !heard_of(active_of({part.member})).empty();
          const int error = ulnet && !there ? -EHOSTDOWN : 0;
          all.push_back({.result = {.member = part.member, .error = error}, .ulnet = ulnet});
          if (!ulnet || !there) continue;
          asked.push_back(part.member);
          indexes.push_back(part.index);
        }
        const wire::LstStat request{
            .session = session->id, .type = wire::kLstStatLatency, .batch = (*batch)->id};
        ask(
            session, asked, patience,
            [request, indexes](std::size_t i) {
              wire::LstStat one = request;
              one.test_index = indexes[i];
              return NodeRequest{one};
            },
            [all = std::move(all), finish](NodeResults results) mutable {
              std::size_t next = 0;
              for (ClientLatency& client : all)
                if (client.ulnet && client.result.error == 0)
                  read_latency(client, std::move(results[next++]));
              finish(std::move(all));
            });
      });
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

// ---- tests
// A test is added in two rounds. The servers get it first. When all servers have it, the clients
// get it, and each client fetches the list of its servers from the console (spec/wire-selftest.md
// 3.4, 5.1).

namespace {

bool all_good(const NodeResults& results) {
  return std::all_of(results.begin(), results.end(), [](const NodeResult& r) { return r.good(); });
}

wire::LstTest request_of(const Session& session, const Batch& batch, const Test& test,
                         bool is_client) {
  const TestSpec& spec = test.spec;
  return {.session = session.id,
          .batch = batch.id,
          .service = spec.service,
          .loop = is_client ? spec.loop
                            : server_buffers(test.clients.size(), test.servers.size(), spec.spread,
                                             spec.concurrency),
          .concurrency = spec.concurrency,
          .is_client = is_client,
          .stop_on_error = !spec.keep_going,
          .destinations = is_client ? spec.spread.servers : 0,
          .parameters = parameters_of(spec, session.features)};
}

/// Records, for each node that accepted the test, which number the test has at that node.
void count(std::vector<Test::Part>& parts, const NodeResults& results, const Batch& batch) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (results[i].good()) parts[i].index = ++parts[i].member->tests[batch.id];
}

std::vector<std::byte> list_of(const Test& test, std::size_t client, std::uint32_t features) {
  const auto places = destinations_of(client, test.servers.size(), test.spec.spread);
  std::vector<ProcessId> ids;
  for (const std::size_t place : places) ids.push_back(test.servers[place].member->id);
  std::vector<std::byte> list(
      wire::lst_destinations_bytes(static_cast<std::uint32_t>(ids.size()), features));
  wire::encode_lst_destinations(ids, list);
  return list;
}

}  // namespace

void Console::add_test(std::uint32_t key, const TestAsked& asked, Done<NodeResults> done) {
  command(key, std::move(done),
          [this, asked](const SessionPtr& session, const Done<NodeResults>& finish) {
            const auto batch = find_batch(*session, asked.batch);
            if (!batch) return finish(tl::unexpected(batch.error()));
            const auto from = find_group(*session, asked.from);
            if (!from) return finish(tl::unexpected(from.error()));
            const auto to = find_group(*session, asked.to);
            if (!to) return finish(tl::unexpected(to.error()));
            if ((*batch)->run != 0)
              return finish(fail(-EBUSY, (*batch)->name + " is running: stop it first"));
            const auto test =
                std::make_shared<Test>(Test{.spec = asked.spec, .from = *from, .to = *to});
            const Members clients = active_of(test->from->members);
            const Members servers = active_of(test->to->members);
            auto allowed = check_test(asked.spec, session->features);
            if (allowed) allowed = check_parties(asked.spec, clients, servers);
            if (!allowed) return finish(tl::unexpected(allowed.error()));
            for (const MemberPtr& member : clients) test->clients.push_back({member});
            for (const MemberPtr& member : servers) test->servers.push_back({member});
            add_servers(session, *batch, test, asked.patience, finish);
          });
}

void Console::add_servers(const SessionPtr& session, const BatchPtr& batch,
                          const std::shared_ptr<Test>& test, const Patience& patience,
                          const Done<NodeResults>& done) {
  const wire::LstTest request = request_of(*session, *batch, *test, false);
  ask(
      session, members_of(test->servers), patience,
      [request](std::size_t) { return NodeRequest{request}; },
      [this, session, batch, test, patience, done](NodeResults results) {
        count(test->servers, results, *batch);
        if (!all_good(results)) return done(std::move(results));
        add_clients(session, batch, test, patience, std::move(results), done);
      });
}

void Console::add_clients(const SessionPtr& session, const BatchPtr& batch,
                          const std::shared_ptr<Test>& test, const Patience& patience,
                          NodeResults servers, const Done<NodeResults>& done) {
  const wire::LstTest request = request_of(*session, *batch, *test, true);
  ask(
      session, members_of(test->clients), patience,
      [request, test, features = session->features](std::size_t i) {
        return NodeRequest{request, list_of(*test, i, features)};
      },
      [batch, test, servers = std::move(servers), done](NodeResults results) mutable {
        count(test->clients, results, *batch);
        if (all_good(results)) {
          ++test->from->tests;
          ++test->to->tests;
          batch->tests.push_back(*test);
        }
        for (NodeResult& result : results) servers.push_back(std::move(result));
        done(std::move(servers));
      });
}

}  // namespace ulnet::svc::selftest::console
