// Adds a test in two rounds. The servers get it first. When all servers have it, the clients get
// it, and each client fetches the list of its servers from the console. Source:
// spec/wire-selftest.md 3.4, 5.1.
#include <algorithm>

#include "selftest/console/console.h"
#include "selftest/console/test_rules.h"

namespace ulnet::svc::selftest::console {

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
