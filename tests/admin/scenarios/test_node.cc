#include "test_node.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "admin/server/pieces_fixture.h"

namespace ulnet::ctl::test {

namespace {

using node::control::ConfigureOptions;

constexpr std::chrono::seconds kPatience{30};

/// The request for a path with its query ("/v1/cpt?nid=10.0.0.1@tcp").
http::Request request_for(const std::string& target) {
  http::Request request{.method = "GET", .path = target.substr(0, target.find('?'))};
  request.caller.access = http::Access::kWrite;
  std::string rest = target.substr(request.path.size());
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&', 1), rest.size());
    const std::size_t equals = rest.find('=');
    request.query.emplace_back(rest.substr(1, equals - 1),
                               rest.substr(equals + 1, end - equals - 1));
    rest.erase(0, end);
  }
  return request;
}

}  // namespace

TestNode::TestNode(std::string socket, Network& network, const char* machine)
    : socket_(std::move(socket)),
      network_(network),
      machine_(machine),
      slot_([this](const ConfigureOptions& asked) { return start(asked); },
            [](const auto&) { return fail(-EOPNOTSUPP, "this node has no selftest"); }),
      context_(new node::control::Context{
          .slot = slot_, .counters = counters_, .name = "n1", .version = "0.0.0"}) {
  const auto configured = slot_.configure({});
  EXPECT_TRUE(configured) << configured.error().reason;
  http::Service service = node::control::service_of(*context_);
  service.answer = [this](const http::Request& request) { return answer(request); };
  auto listener = http::Listener::open(socket_, service);
  EXPECT_TRUE(listener) << listener.error().reason;
  listener_ = *std::move(listener);
}

TestNode::~TestNode() {
  slot_.drain();
  slot_.stop(std::chrono::seconds(0));
  close();
}

void TestNode::close() {
  listener_.reset();
  context_.reset();
}

Result<std::unique_ptr<node::Node>> TestNode::start(const ConfigureOptions& asked) {
  node::NodeOptions options;
  options.prefer_large = asked.large;
  options.params = asked.params;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, value] : params_) options.params.insert_or_assign(name, value);
  }
  const auto interfaces = [this] {
    const std::lock_guard lock(mutex_);
    return interfaces_;
  };
  return node::Node::start_trial(options, {.synthetic = machine_, .net_devices = ""},
                                 network_.driver(interfaces));
}

void TestNode::add_interface(const std::string& name, const std::string& address) {
  const std::lock_guard lock(mutex_);
  interfaces_.insert_or_assign(name, address);
}

void TestNode::unconfigure() {
  const auto done = slot_.unconfigure(std::chrono::seconds(0));
  EXPECT_TRUE(done) << done.error().reason;
}

void TestNode::restart(const std::map<std::string, std::string>& params) {
  unconfigure();
  {
    const std::lock_guard lock(mutex_);
    params_ = params;
  }
  const auto done = slot_.configure({});
  EXPECT_TRUE(done) << done.error().reason;
}

void TestNode::reload_with(node::control::Reload reload) { context_->reload = std::move(reload); }

Tree TestNode::get(const std::string& path) {
  node::control::Reply reply = node::control::answer(*context_, request_for(path));
  EXPECT_EQ(reply.status, 200) << path << ": " << reply.body;
  return Tree::parse(reply.make ? node::control::whole(reply.make) : reply.body);
}

Tree TestNode::nets() {
  Tree all = get("/v1/net")["net"];
  all.erase(all.begin());
  return all;
}

void TestNode::wait_until(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void TestNode::wait_for_silent(const std::string& gateway) {
  wait_until([&] {
    const Tree all = routes();
    return std::any_of(all.begin(), all.end(), [&](const Tree& route) {
      return route["gateway"] == gateway && route["state"] == "down";
    });
  });
}

void TestNode::wait_for_routing() {
  wait_until([this] { return get("/v1/routing")["routing"].back()["enable"] == 1; });
}

void TestNode::answer_as_recorded(const std::string& request, const Tree& answer, int status) {
  const std::lock_guard lock(mutex_);
  recorded_.insert_or_assign(request, http::Reply{.status = status, .body = answer.dump()});
}

std::vector<std::string> TestNode::requests() {
  const std::lock_guard lock(mutex_);
  return requests_;
}

std::string TestNode::last_request() {
  const std::lock_guard lock(mutex_);
  return requests_.empty() ? "" : requests_.back();
}

int TestNode::batches() {
  const std::lock_guard lock(mutex_);
  return batches_;
}

void TestNode::record(const http::Request& request) {
  if (request.path == "/v1/batch") {
    ++batches_;
    const Tree body = Tree::parse(request.body);
    for (const Tree& one : body.at("requests"))
      requests_.push_back(one.at("method").get<std::string>() + " " +
                          one.at("path").get<std::string>() + " " + one.at("body").dump());
    return;
  }
  std::string target = request.path;
  for (const auto& [key, value] : request.query)
    target += (target.size() == request.path.size() ? "?" : "&") + key + "=" + value;
  requests_.push_back(request.method + " " + target + " " + request.body);
}

http::Reply TestNode::answer(const http::Request& request) {
  {
    const std::lock_guard lock(mutex_);
    record(request);
    const auto found = recorded_.find(request.method + " " + request.path);
    if (found != recorded_.end()) return found->second;
  }
  return node::control::answer(*context_, request);
}

}  // namespace ulnet::ctl::test
