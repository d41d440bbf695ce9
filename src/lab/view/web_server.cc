#include "lab/view/web_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "admin/client/control_client.h"
#include "lab/view/layout_tree.h"
#include "lab/view/page.h"
#include "lab/view/path_finder.h"

namespace ulnet::tools::lab {
namespace {

using ctl::Tree;

constexpr const char* kJson = "application/json";
constexpr const char* kCookie = "ulnet_lab";
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

std::string event_text(const char* type, const Tree& data) {
  return fmt::format("event: {}\ndata: {}\n\n", type,
                     data.dump(-1, ' ', false, Tree::error_handler_t::replace));
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
      std::string text = node.dump(-1, ' ', false, Tree::error_handler_t::replace);
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
  explicit Pages(const WebPage& page) : page_(page), token_(random_token()) {
    http_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    // The library's default lets two servers share a port (SO_REUSEPORT).
    http_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    http_.set_payload_max_length(kBodyBytes);
    http_.set_read_timeout(5);
    http_.set_write_timeout(10);
    http_.set_keep_alive_timeout(5);
    http_.set_default_headers(
        {{"Cache-Control", "no-store"},
         {"X-Content-Type-Options", "nosniff"},
         {"X-Frame-Options", "DENY"},
         {"Content-Security-Policy",
          "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
          "connect-src 'self'; form-action 'none'; base-uri 'none'"}});
    http_.set_pre_routing_handler([this](const auto& request, auto& response) {
      return may(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                    : httplib::Server::HandlerResponse::Handled;
    });
    routes();
  }

  ~Pages() override {
    over_ = true;
    http_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Result<void> listen() {
    if (token_.empty()) return fail(-EIO, "the system gives no random numbers");
    const int port = page_.port != 0
                         ? (http_.bind_to_port("127.0.0.1", page_.port) ? page_.port : 0)
                         : std::max(http_.bind_to_any_port("127.0.0.1"), 0);
    if (port == 0)
      return fail(-EADDRINUSE,
                  fmt::format("another program uses port {} of 127.0.0.1: choose one with --port",
                              page_.port));
    port_ = port;
    thread_ = std::thread([this] { http_.listen_after_bind(); });
    // Waits until the server has begun: before that, stop() would have no effect.
    while (!http_.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
  }

  std::string address() const override {
    return fmt::format("http://127.0.0.1:{}/?token={}", port_, token_);
  }

 private:
  /// Whether a request may proceed. The address with the token sets a cookie, which then is enough.
  /// The check of the Host header refuses pages of other names that resolve to 127.0.0.1.
  bool may(const httplib::Request& request, httplib::Response& response) const {
    const std::string host = request.get_header_value("Host");
    const bool mine =
        host == fmt::format("127.0.0.1:{}", port_) || host == fmt::format("localhost:{}", port_);
    const bool by_address = request.path == "/" && request.get_param_value("token") == token_;
    const std::string cookie = std::string(kCookie) + std::to_string(port_) + "=" + token_;
    const std::string cookies = request.get_header_value("Cookie");
    const bool by_cookie = cookies.find(cookie) != std::string::npos;
    if (mine && by_address)
      response.set_header("Set-Cookie", cookie + "; SameSite=Strict; HttpOnly; Path=/");
    if (mine && (by_address || by_cookie)) return true;
    response.status = 403;
    response.set_content(
        "Only the user who started this page may open it: use the address that 'ulnet-lab view' "
        "printed, with its token.\n",
        "text/plain");
    return false;
  }

  void routes() {
    http_.Get("/", [](const auto&, auto& response) {
      response.set_content(std::string(page_html()), "text/html; charset=utf-8");
    });
    http_.Get("/api/layout", [this](const auto&, auto& response) {
      Tree tree = layout_tree(page_.seen == nullptr ? page_.topology : page_.seen->topology());
      tree["title"] = page_.title;
      tree["changes"] = page_.change != nullptr;
      answer(response, tree);
    });
    http_.Get("/api/state", [this](const auto&, auto& response) {
      const Observer::Look look = page_.observer.look(0);
      Tree tree = {{"nodes", Tree::array()}, {"cut", cuts()}, {"happenings", Tree::array()}};
      for (const ObservedNode& node : look.nodes) tree["nodes"].push_back(lab::tree_of(node));
      for (const Happening& each : look.happenings)
        tree["happenings"].push_back(tree_of_happening(each));
      answer(response, tree);
    });
    http_.Get("/api/way", [this](const auto& request, auto& response) {
      answer(response,
             lab::tree_of(
                 find_way(page_.observer.look(~std::uint64_t{0}).nodes,
                          request.get_param_value("from"), request.get_param_value("to"),
                          [this](const auto& node, const auto& path) { return ask(node, path); })));
    });
    http_.Get("/api/node", [this](const auto& request, auto& response) {
      answer(response, details(request.get_param_value("name")));
    });
    http_.Get("/api/stream", [this](const auto&, auto& response) { stream(response); });
    http_.Post("/api/change",
               [this](const auto& request, auto& response) { change(request, response); });
  }

  std::vector<std::string> cuts() const {
    return page_.cut == nullptr ? std::vector<std::string>() : page_.cut();
  }

  static void answer(httplib::Response& response, const Tree& tree) {
    response.set_content(tree.dump(-1, ' ', false, Tree::error_handler_t::replace), kJson);
  }
  static void refuse(httplib::Response& response, int status, const std::string& why) {
    response.status = status;
    answer(response, {{"error", why}});
  }

  Result<Tree> ask(const std::string& node, const std::string& path) const {
    const auto found = std::find_if(page_.watched.begin(), page_.watched.end(),
                                    [&](const WatchedNode& each) { return each.name == node; });
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

  void stream(httplib::Response& response) {
    if (streams_.fetch_add(1) >= kStreams) {
      --streams_;
      return refuse(response, 503,
                    fmt::format("this page is open {} times already: close one", kStreams));
    }
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, browser = BrowserState()](std::size_t, httplib::DataSink& sink) mutable {
          return send_news(browser, sink);
        },
        [this](bool) { --streams_; });
  }

  bool send_news(BrowserState& browser, httplib::DataSink& sink) const {
    const Duration passed = steady_now() - browser.at;
    if (passed < kBetweenStates) std::this_thread::sleep_for(kBetweenStates - passed);
    const bool any = page_.observer.wait(browser.version, kHeartbeat);
    if (over_) return false;
    browser.at = steady_now();
    const std::string text = any ? browser.news(page_, cuts()) : ": still here\n\n";
    return sink.write(text.data(), text.size());
  }

  void change(const httplib::Request& request, httplib::Response& response) {
    if (page_.change == nullptr) return refuse(response, 403, "this page is read only");
    // A form of another page cannot set this header.
    if (!request.has_header("X-Ulnet-Lab")) return refuse(response, 403, "not from this page");
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
      return refuse(response, 400, R"(expected {"what": "link"|"node", "name": …, "do": …})");
    const std::unique_lock held(changing_, std::try_to_lock);
    if (!held.owns_lock())
      return refuse(response, 409, "another change is being made: wait for it");
    if (const auto made = page_.change(requested); !made)
      return refuse(response, 409, made.error().reason);
    answer(response, Tree::object());
  }

  const WebPage& page_;
  const std::string token_;
  httplib::Server http_;
  int port_ = 0;
  std::atomic<bool> over_{false};
  std::atomic<int> streams_{0};
  std::mutex changing_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<WebServer>> WebServer::start(const WebPage& page) {
  auto server = std::make_unique<Pages>(page);
  if (auto listens = server->listen(); !listens) return tl::unexpected(listens.error());
  return server;
}

}  // namespace ulnet::tools::lab
