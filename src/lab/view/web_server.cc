#include "lab/view/web_server.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "admin/client/control_client.h"
#include "admin/http/listener.h"
#include "lab/view/layout_tree.h"
#include "lab/view/page.h"
#include "lab/view/path_finder.h"

namespace ulnet::tools::lab {
namespace {

using ctl::Tree;

constexpr std::size_t kThreads = 48;
/// Each stream occupies a thread; the other threads are for short requests.
constexpr int kStreams = 24;
constexpr std::size_t kBodyBytes = 4096;
/// The most peers that the details of a node list.
constexpr std::size_t kPeersShown = 200;
constexpr Duration kBetweenStates = std::chrono::milliseconds(400);
constexpr Duration kHeartbeat = std::chrono::seconds(5);

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

Tree tree_of_happening(const Happening& happening) {
  return {{"number", happening.number}, {"node", happening.node}, {"event", happening.event}};
}

std::string text_of(const Tree& tree) {
  return tree.dump(-1, ' ', false, Tree::error_handler_t::replace);
}

std::string event_text(const char* type, const Tree& data) {
  return fmt::format("event: {}\ndata: {}\n\n", type, text_of(data));
}

http::Reply answer_with(const Tree& tree, int status = 200) {
  return {.status = status, .body = text_of(tree)};
}

http::Reply refuse(int status, const std::string& why) {
  return answer_with({{"error", why}}, status);
}

/// The state that one browser has received.
struct BrowserState {
  std::uint64_t version = 0, happening = 0, layout = 0;
  std::vector<std::string> nodes;  ///< their JSON, by node
  Instant at{};

  /// Returns the changes since the last call: another layout, nodes that differ, and happenings.
  std::string news(const WebPage& page, const std::vector<std::string>& cut) {
    const Observer::Look look = page.observer.look(happening);
    version = look.version;
    std::string out;
    if (page.seen != nullptr) {
      page.seen->see(look.nodes);
      if (const std::uint64_t now = page.seen->version(); now != std::exchange(layout, now))
        out += event_text("layout", Tree::object());
    }
    nodes.resize(look.nodes.size());
    Tree changed = Tree::array();
    for (std::size_t i = 0; i < look.nodes.size(); ++i) {
      Tree node = lab::tree_of(look.nodes[i]);
      std::string text = text_of(node);
      if (text == nodes[i]) continue;
      nodes[i] = std::move(text);
      changed.push_back(std::move(node));
    }
    out += event_text("state", {{"nodes", std::move(changed)}, {"cut", cut}});
    for (const Happening& each : look.happenings)
      out += event_text("happened", tree_of_happening(each));
    happening = look.last;
    return out;
  }
};

class Pages final : public WebServer {
 public:
  explicit Pages(const WebPage& page) : page_(page), token_(random_token()) {}

  ~Pages() override { over_ = true; }

  Result<void> listen() {
    if (token_.empty()) return fail(-EIO, "the system gives no random numbers");
    auto opened = http::Listener::open(page_.port, {}, service());
    if (!opened)
      return fail(-EADDRINUSE,
                  fmt::format("another program uses port {} of 127.0.0.1: choose one with --port",
                              page_.port));
    listener_ = std::move(*opened);
    port_ = listener_->port();
    return {};
  }

  std::string address() const override {
    return fmt::format("http://127.0.0.1:{}/?token={}", port_.load(), token_);
  }

 private:
  http::Service service() {
    return {.name = "the page",
            .counters = counters_,
            .threads = kThreads,
            .times = {.idle = std::chrono::seconds(5), .write = std::chrono::seconds(10)},
            .headers = {{"Cache-Control", "no-store"},
                        {"X-Content-Type-Options", "nosniff"},
                        {"X-Frame-Options", "DENY"},
                        {"Content-Security-Policy",
                         "default-src 'none'; script-src 'unsafe-inline'; style-src "
                         "'unsafe-inline'; connect-src 'self'; form-action 'none'; "
                         "base-uri 'none'"}},
            .answer = [this](const http::Request& request) { return answer(request); },
            .refuse = [](int status, const Error& why) { return refuse(status, why.reason); },
            .no_memory = [](std::string_view) { return refuse(503, "there is no memory for it"); },
            .body_limit = [](const http::Request&) { return kBodyBytes; }};
  }

  /// Answers a request if it may proceed. The address with the token sets a cookie, which then is
  /// enough. The check of the Host header refuses pages of other names that resolve to 127.0.0.1.
  http::Reply answer(const http::Request& request) {
    const std::string port = std::to_string(port_);
    const std::string_view host = request.header("Host");
    const bool mine = host == "127.0.0.1:" + port || host == "localhost:" + port;
    const bool by_address = request.path == "/" && request.param("token") == token_;
    const std::string cookie = "ulnet_lab" + port + "=" + token_;
    const bool by_cookie = request.header("Cookie").find(cookie) != std::string_view::npos;
    if (!mine || !(by_address || by_cookie))
      return {.status = 403,
              .body =
                  "Only the user who started this page may open it: use the address that "
                  "'ulnet-lab view' printed, with its token.\n",
              .content_type = "text/plain"};
    http::Reply reply = answer_user(request);
    if (by_address)
      reply.headers = {{"Set-Cookie", cookie + "; SameSite=Strict; HttpOnly; Path=/"}};
    return reply;
  }

  http::Reply answer_user(const http::Request& request) {
    const auto param = [&](const char* key) { return std::string(request.param(key)); };
    const std::string what = request.method + " " + request.path;
    if (what == "GET /")
      return {.body = std::string(page_html()), .content_type = "text/html; charset=utf-8"};
    if (what == "GET /api/layout") return layout();
    if (what == "GET /api/state") return state();
    if (what == "GET /api/way")
      return answer_with(lab::tree_of(
          find_way(page_.observer.look(~std::uint64_t{0}).nodes, param("from"), param("to"),
                   [this](const auto& node, const auto& path) { return ask(node, path); })));
    if (what == "GET /api/node") return answer_with(details(param("name")));
    if (what == "GET /api/stream") return stream();
    if (what == "POST /api/change") return change(request);
    return refuse(404, "there is no such path");
  }

  http::Reply layout() const {
    Tree tree = layout_tree(page_.seen == nullptr ? page_.topology : page_.seen->topology());
    tree["title"] = page_.title;
    tree["changes"] = page_.change != nullptr;
    return answer_with(tree);
  }

  http::Reply state() const {
    const Observer::Look look = page_.observer.look(0);
    Tree tree = {{"nodes", Tree::array()}, {"cut", cuts()}, {"happenings", Tree::array()}};
    for (const ObservedNode& node : look.nodes) tree["nodes"].push_back(lab::tree_of(node));
    for (const Happening& each : look.happenings)
      tree["happenings"].push_back(tree_of_happening(each));
    return answer_with(tree);
  }

  std::vector<std::string> cuts() const {
    return page_.cut == nullptr ? std::vector<std::string>() : page_.cut();
  }

  Result<Tree> ask(const std::string& node, const std::string& path) const {
    const auto found = std::ranges::find(page_.watched, node, &WatchedNode::name);
    if (found == page_.watched.end()) return fail(-ENOENT, "there is no node '" + node + "'");
    auto opened = ctl::ControlClient::open(found->socket, Observer::kTimeout);
    if (!opened) return tl::unexpected(opened.error());
    return (*opened)->get(path);
  }

  Tree details(const std::string& node) const {
    Tree tree = Tree::object();
    for (const char* path : {"/v1/net", "/v1/peer", "/v1/route", "/v1/routing", "/v1/recovery"}) {
      auto said = ask(node, path);
      if (!said) {
        tree["error"] = said.error().reason;
        break;
      }
      tree.update(*said);
    }
    if (const auto peers = tree.find("peer"); peers != tree.end() && peers->size() > kPeersShown) {
      tree["peers in all"] = peers->size();
      peers->erase(peers->begin() + kPeersShown, peers->end());
    }
    return tree;
  }

  http::Reply stream() {
    // Frees the place of a stream, also of one that is not sent.
    const std::shared_ptr<void> place(nullptr, [this](void*) { --streams_; });
    if (streams_.fetch_add(1) >= kStreams)
      return refuse(503, fmt::format("this page is open {} times already: close one", kStreams));
    return {.make = [this, place](http::Pieces& to) { send_news(to); },
            .content_type = "text/event-stream"};
  }

  void send_news(http::Pieces& to) const {
    BrowserState browser;
    do {
      const Duration passed = steady_now() - browser.at;
      if (passed < kBetweenStates) std::this_thread::sleep_for(kBetweenStates - passed);
      const bool any = page_.observer.wait(browser.version, kHeartbeat);
      if (over_) return;
      browser.at = steady_now();
      to.add(any ? browser.news(page_, cuts()) : ": still here\n\n");
    } while (to.flush());
  }

  http::Reply change(const http::Request& request) {
    if (page_.change == nullptr) return refuse(403, "this page is read only");
    // A form of another page cannot set this header.
    if (request.header("X-Ulnet-Lab").empty()) return refuse(403, "not from this page");
    const Tree body = Tree::parse(request.body, nullptr, false);
    const auto text = [&](const char* key) {
      return body.is_object() && body.contains(key) && body[key].is_string()
                 ? body[key].get<std::string>()
                 : std::string();
    };
    const std::string what = text("what");
    Change requested{what == "node" ? Change::What::kNode : Change::What::kLink, text("name"),
                     text("do")};
    static const std::set<std::string> kLink = {"down", "up"};
    static const std::set<std::string> kNode = {"kill", "pause", "resume", "restart"};
    const bool known = what == "link"   ? kLink.contains(requested.act)
                       : what == "node" ? kNode.contains(requested.act)
                                        : false;
    if (!known || requested.name.empty())
      return refuse(400, R"(expected {"what": "link"|"node", "name": …, "do": …})");
    const std::unique_lock held(changing_, std::try_to_lock);
    if (!held.owns_lock()) return refuse(409, "another change is being made: wait for it");
    if (const auto made = page_.change(requested); !made) return refuse(409, made.error().reason);
    return answer_with(Tree::object());
  }

  const WebPage& page_;
  const std::string token_;
  http::Counters counters_;
  std::atomic<std::uint16_t> port_{0};  // 0: not known yet
  std::atomic<bool> over_{false};
  std::atomic<int> streams_{0};
  std::mutex changing_;
  // Its threads use all members above.
  std::unique_ptr<http::Listener> listener_;
};

}  // namespace

Result<std::unique_ptr<WebServer>> WebServer::start(const WebPage& page) {
  auto server = std::make_unique<Pages>(page);
  if (auto listens = server->listen(); !listens) return tl::unexpected(listens.error());
  return server;
}

}  // namespace ulnet::tools::lab
