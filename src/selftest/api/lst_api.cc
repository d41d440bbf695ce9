#include "selftest/api/lst_api.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "admin/api/fields.h"
#include "selftest/api/lst_trees.h"

namespace ulnet::node::control {

using api::Fields;

using namespace svc::selftest::console;
using wire::LstService;

namespace {

using Answer = std::function<void(Result<Json>)>;
constexpr std::size_t kNodes = 4096;  ///< nodes that one command may name
constexpr std::int64_t kTimeMax = 86'400;

/// One command's arguments, and where its answer goes.
struct Order {
  Console& console;
  Fields fields;
  Answer done;
  std::uint32_t key = 0;
};

std::string text(Order& order, std::string_view key) {
  const auto value = order.fields.text(key);
  if (!value) order.fields.refuse(-EINVAL, "'" + std::string(key) + "' is missing");
  return value.value_or("");
}
std::uint32_t number(Order& order, std::string_view key, std::int64_t otherwise, std::int64_t least,
                     std::int64_t most) {
  return static_cast<std::uint32_t>(order.fields.integer(key, least, most).value_or(otherwise));
}
Duration patience(Order& order) {
  return std::chrono::seconds(number(order, "timeout", 30, 1, kTimeMax));
}
/// Reads `wait_ms`, how long the command waits for the nodes. 0: until all nodes have answered.
Duration wait(Order& order, std::int64_t otherwise) {
  return std::chrono::milliseconds(number(order, "wait_ms", otherwise, 0, kTimeMax * 1000));
}
std::vector<ProcessId> ids(Order& order, std::string_view key) {
  std::vector<ProcessId> list;
  for (const std::string& word :
       order.fields.texts(key, kNodes).value_or(std::vector<std::string>())) {
    const auto id = ProcessId::parse(word);
    if (id && !id->nid.is_any() && !id->nid.is_loopback())
      list.push_back(*id);
    else
      order.fields.refuse(-EINVAL, "Invalid nid: " + word);
  }
  return list;
}
Target target(Order& order) {
  return {.name = order.fields.text("target").value_or(""), .nodes = ids(order, "nodes")};
}

/// Whether the arguments are right. If not, answers the command with the error.
bool complete(Order& order) {
  const auto finished = order.fields.finish();
  if (!finished) order.done(tl::unexpected(finished.error()));
  return finished.has_value();
}

/// Makes the answer of a command that sends requests to nodes. `operation` is the RPC that failed
/// at nodes that failed.
Done<NodeResults> nodes_to(const Answer& done, LstService operation) {
  return [done, operation](const Result<NodeResults>& results) {
    done(results.map([&](const NodeResults& nodes) { return lst_nodes(operation, nodes); }));
  };
}
template <class List>
Json names(const List& list) {
  Json out = Json::array();
  for (const auto& one : list) out.push_back(one->name);
  return out;
}

void new_session(Order& order) {
  SessionAsked asked{.key = order.key, .name = text(order, "name")};
  asked.timeout = number(order, "session_timeout", asked.timeout, 1, INT32_MAX);
  asked.force = order.fields.boolean("force").value_or(false);
  asked.features = number(order, "features", asked.features, 0, UINT32_MAX);
  if (!complete(order)) return;
  order.console.new_session(asked, [done = order.done](const Result<SessionShown>& session) {
    done(session.map(lst_session));
  });
}

void show_session(Order& order) {
  if (complete(order)) order.done(order.console.show_session().map(lst_session));
}

void end_session(Order& order) {
  const Patience time(patience(order), wait(order, 0));
  if (complete(order))
    order.console.end_session(order.key, nodes_to(order.done, LstService::kRemoveSession), time);
}

void ping(Order& order) {
  const bool session = order.fields.boolean("session").value_or(false);
  const auto group = order.fields.text("group"), batch = order.fields.text("batch");
  const bool server = order.fields.boolean("server").value_or(false);
  const Target nodes = target(order);
  const Duration time = patience(order);
  if (!complete(order)) return;
  const auto done = nodes_to(order.done, LstService::kDebug);
  if (session) return order.console.ping_session(order.key, time, done);
  if (batch) return order.console.ping_batch(order.key, *batch, server, time, done);
  order.console.ping(order.key, group ? Target{*group, {}} : nodes, time, done);
}

void add_group(Order& order) {
  const std::string name = text(order, "name");
  const auto nodes = ids(order, "nodes");
  if (nodes.empty()) order.fields.refuse(-EINVAL, "'nodes' is missing");
  if (!complete(order)) return;
  order.console.add_nodes(order.key, name, nodes,
                          [done = order.done](const Result<NodesAdded>& added) {
                            done(added.map([](const NodesAdded& them) {
                              Json tree = lst_nodes(LstService::kMakeSession, them.results);
                              tree["compatible"] = them.compatible;
                              return tree;
                            }));
                          });
}

void del_group(Order& order) {
  const std::string name = text(order, "name");
  if (complete(order))
    order.console.delete_group(order.key, name, nodes_to(order.done, LstService::kRemoveSession));
}

void update_group(Order& order) {
  using State = svc::selftest::console::NodeState;  // node::NodeState is another type
  const std::string name = text(order, "name");
  const bool refresh = order.fields.boolean("refresh").value_or(false);
  const auto clean = order.fields.text("clean");
  Leaving leaving{.nodes = ids(order, "remove")};
  leaving.not_active = clean == "invalid";
  if (clean == "active") leaving.state = State::kActive;
  if (clean == "busy") leaving.state = State::kBusy;
  if (clean == "down") leaving.state = State::kDown;
  if (clean == "unknown") leaving.state = State::kUnknown;
  if (clean && !leaving.not_active && !leaving.state)
    order.fields.refuse(-EINVAL, "'clean' must be active, busy, down, unknown or invalid");
  if (refresh + clean.has_value() + !leaving.nodes.empty() != 1)
    order.fields.refuse(-EINVAL, "one of 'refresh', 'clean' and 'remove' is needed");
  if (!complete(order)) return;
  if (refresh)
    return order.console.refresh_group(order.key, name,
                                       nodes_to(order.done, LstService::kMakeSession));
  order.console.remove_nodes(order.key, name, leaving,
                             nodes_to(order.done, LstService::kRemoveSession));
}

void list_group(Order& order) {
  const auto name = order.fields.text("name");
  if (!complete(order)) return;
  if (!name)
    return order.done(order.console.groups(order.key).map([](const auto& groups) {
      return Json{{"groups", names(groups)}};
    }));
  order.done(order.console.group(order.key, *name).map([](const GroupPtr& group) {
    return Json{{"group", lst_group(*group)}};
  }));
}

void add_batch(Order& order) {
  const std::string name = text(order, "name");
  if (complete(order))
    order.done(order.console.add_batch(order.key, name).map([] { return Json::object(); }));
}

void list_batch(Order& order) {
  const auto name = order.fields.text("name");
  const std::size_t test = number(order, "test", 0, 1, INT32_MAX);
  if (!complete(order)) return;
  if (!name)
    return order.done(order.console.batches(order.key).map([](const auto& batches) {
      return Json{{"batches", names(batches)}};
    }));
  order.done(order.console.batch(order.key, *name).and_then([&](const BatchPtr& batch) {
    if (test == 0) return Result<Json>(Json{{"batch", lst_batch(*batch)}});
    if (test > batch->tests.size())
      return Result<Json>(fail(-ENOENT, "Can't find test in current session"));
    return Result<Json>(Json{{"test", lst_test(batch->tests[test - 1])}});
  }));
}

void read_brw(Order& order, TestSpec& spec) {
  spec.service = LstService::kBrw;
  Fields fields = order.fields.object("brw");
  spec.write = fields.boolean("write").value_or(false);
  spec.size = static_cast<std::uint32_t>(fields.integer("size", 0, UINT32_MAX).value_or(4096));
  spec.offset = static_cast<std::uint32_t>(fields.integer("offset", 0, UINT32_MAX).value_or(0));
  spec.nodes_are_safe = fields.boolean("nodes_are_safe").value_or(false);
  const std::string check = fields.text("check").value_or("none");
  if (check == "simple") spec.check = wire::LstCheck::kSimple;
  if (check == "full") spec.check = wire::LstCheck::kFull;
  if (check == "discard") spec.check = wire::LstCheck::kDiscard;
  if (check != "none" && spec.check == wire::LstCheck::kNone)
    fields.refuse(-EINVAL, "Unknow flag " + check);
  if (const auto finished = fields.finish(); !finished)
    order.fields.refuse(finished.error().code, finished.error().reason);
}

void add_test(Order& order) {
  TestAsked asked{
      .batch = text(order, "batch"), .from = text(order, "from"), .to = text(order, "to")};
  TestSpec& spec = asked.spec;
  const auto loop = order.fields.integer("loop", -1, INT32_MAX).value_or(-1);
  spec.loop = loop == -1 ? wire::kLstLoopForever : static_cast<std::uint32_t>(loop);
  spec.concurrency = number(order, "concurrency", 1, 0, UINT32_MAX);
  spec.keep_going = order.fields.boolean("keep_going").value_or(false);
  if (const auto spread = order.fields.numbers("distribute", 2)) {
    if (spread->size() == 2)
      spec.spread = {(*spread)[0], (*spread)[1]};
    else
      order.fields.refuse(-EINVAL, "'distribute' must be two numbers");
  }
  asked.patience = Patience(patience(order), wait(order, 0));
  const std::string type = text(order, "type");
  if (type == "brw")
    read_brw(order, spec);
  else if (type != "ping")
    order.fields.refuse(-EINVAL, "Unknow test name " + type);
  if (complete(order))
    order.console.add_test(order.key, asked, nodes_to(order.done, LstService::kTest));
}

void run(Order& order) {
  const std::string name = text(order, "name");
  const std::uint32_t seconds = number(order, "run_timeout", 0, 0, INT32_MAX);
  const Duration all = wait(order, 0);
  if (complete(order))
    order.console.run(order.key, name, seconds, nodes_to(order.done, LstService::kBatch), all);
}

void stop(Order& order) {
  const std::string name = text(order, "name");
  const bool force = order.fields.boolean("force").value_or(false);
  const Duration all = wait(order, 0);
  if (complete(order))
    order.console.stop(order.key, name, force, nodes_to(order.done, LstService::kBatch), all);
}

void query(Order& order) {
  QueryAsked asked{.batch = text(order, "name")};
  asked.test = number(order, "test", 0, 1, INT32_MAX);
  asked.server = order.fields.boolean("server").value_or(false);
  const Duration time = patience(order);
  if (complete(order))
    order.console.query(order.key, asked, time, nodes_to(order.done, LstService::kBatch));
}

void stat(Order& order) {
  const Target who = target(order);
  const Duration time = patience(order);
  if (complete(order))
    order.console.sample(order.key, who, time, nodes_to(order.done, LstService::kStat));
}

void look(Order& order) {
  const Target who = target(order);
  const std::string batch = text(order, "batch");
  const LookAsked asked{.wait = wait(order, 500), .patience = patience(order)};
  if (complete(order))
    order.console.look(
        order.key, who, batch, asked,
        [done = order.done](const Result<std::vector<Seen>>& all) { done(all.map(lst_seen)); });
}

void latency(Order& order) {
  const std::string name = text(order, "name");
  const std::size_t test = number(order, "test", 1, 1, INT32_MAX);
  const Patience time(patience(order), wait(order, 0));
  if (complete(order))
    order.console.latencies(order.key, name, test, time,
                            [done = order.done](const Result<std::vector<ClientLatency>>& all) {
                              done(all.map(lst_latencies));
                            });
}

struct Command {
  std::string_view name;
  void (*run)(Order&);
};
constexpr Command kCommands[] = {
    {"new_session", new_session},
    {"show_session", show_session},
    {"end_session", end_session},
    {"ping", ping},
    {"add_group", add_group},
    {"del_group", del_group},
    {"update_group", update_group},
    {"list_group", list_group},
    {"add_batch", add_batch},
    {"list_batch", list_batch},
    {"add_test", add_test},
    {"run", run},
    {"stop", stop},
    {"query", query},
    {"stat", stat},
    {"look", look},
    {"latency", latency},
};

}  // namespace

void console_command(Console& console, const std::string& command, const Json& arguments,
                     std::function<void(Result<Json>)> done) {
  const auto at = std::ranges::find(kCommands, command, &Command::name);
  if (at == std::end(kCommands))
    return done(fail(-ENOSYS, "the console has no command '" + command + "'"));
  Order order{.console = console, .fields = Fields(arguments), .done = std::move(done)};
  order.key = number(order, "key", 0, 0, UINT32_MAX);
  at->run(order);
}

}  // namespace ulnet::node::control
