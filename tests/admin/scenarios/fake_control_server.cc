#include "fake_control_server.h"

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <thread>

#include "admin/conf/policy_trees.h"
#include "fake_peers.h"
#include "fake_policies.h"
#include "lnet/config/params.h"
#include "ulnet/nid.hpp"

namespace ulnet::ctl::test {

struct FakeControlServer::Server {
  struct Refusal {
    int code;
    std::string descr;
    std::string hint = {};
  };
  explicit Server(FakeControlServer& owner) : node(owner) {
    routes();
    empty_routes();
    policy_routes();
    changes();
    routing();
  }

  using Handle = std::function<std::optional<Refusal>(const httplib::Request&, const Tree& body,
                                                      Tree& answer)>;

  void answer_with(const httplib::Request& request, httplib::Response& response,
                   const Handle& handle) {
    const std::lock_guard lock(node.mutex);
    node.requests.push_back(request.method + " " + request.path + " " + request.body);
    Tree answer = Tree::object();
    const Tree body =
        request.body.empty() ? Tree::object() : Tree::parse(request.body, nullptr, false);
    std::optional<Refusal> refusal;
    if (const auto fixed = node.recorded.find(request.path);
        request.method == "GET" && fixed != node.recorded.end()) {
      answer = fixed->second;
    } else if (!node.configured && request.path != "/v1/version" && request.path != "/v1/lnet") {
      refusal = {-ENETDOWN, "Unspecific failure", "LNet is not configured"};
    } else {
      refusal = handle(request, body, answer);
    }
    if (refusal) {
      response.status = 400;
      answer = {{"errno", refusal->code}, {"descr", refusal->descr}};
      if (!refusal->hint.empty()) answer["hint"] = refusal->hint;
    }
    response.set_content(answer.dump(), "application/json");
  }

  /// POST /v1/batch: answers each request of the batch by the handler of its path.
  void batch(const httplib::Request& request, httplib::Response& response) {
    {
      const std::lock_guard lock(node.mutex);
      ++node.batches;
    }
    Tree list = Tree::array();
    const Tree body = Tree::parse(request.body);
    for (const Tree& item : body.at("requests")) {
      httplib::Request one;
      one.method = item.at("method").get<std::string>();
      one.path = item.at("path").get<std::string>();
      one.body = item.at("body").dump();
      httplib::Response answer;
      answer_with(one, answer, handlers.at(one.method + " " + one.path));
      list.push_back(Tree::parse(answer.body));
    }
    response.set_content(Tree{{"answers", std::move(list)}}.dump(), "application/json");
  }

  /// Registers a change, which may be part of a batch.
  void change(const char* method, const char* where, const Handle& handle) {
    const std::string_view word = method;
    handlers[std::string(method) + " " + where] = handle;
    if (word == "POST") http.Post(where, on(handle));
    if (word == "PATCH") http.Patch(where, on(handle));
    if (word == "DELETE") http.Delete(where, on(handle));
  }

  std::function<void(const httplib::Request&, httplib::Response&)> on(Handle handle) {
    return [this, handle = std::move(handle)](const httplib::Request& q, httplib::Response& s) {
      answer_with(q, s, handle);
    };
  }

  void changes() {
    using httplib::Request;
    const Handle nothing = [](const Request&, const Tree&, Tree&) { return std::nullopt; };
    peer_change("POST", add_peer);
    peer_change("DELETE", del_peer);
    peer_change("PATCH", set_peer);
    change("POST", "/v1/peer/debug", nothing);
    change("POST", "/v1/log/mark", nothing);
    change("DELETE", "/v1/stats", nothing);
    change("POST", "/v1/net",
           [this](const Request&, const Tree& body, Tree&) { return add(body); });
    change("DELETE", "/v1/net",
           [this](const Request&, const Tree& body, Tree&) { return del(body); });
    change("PATCH", "/v1/net", nothing);
    change("PATCH", "/v1/global",
           [this](const Request&, const Tree& body, Tree&) { return set_globals(body); });
    change("PATCH", "/v1/param",
           [this](const Request&, const Tree& body, Tree&) { return set_params(body); });
  }

  /// Routes, and this node as a router.
  void routing() {
    using httplib::Request;
    http.Get("/v1/rout(e|ing)", on([this](const Request& q, const Tree&, Tree& out) {
               out = show_routes(node.routes, q.path);
               return std::optional<Refusal>();
             }));
    for (const auto& [method, where] : {std::pair("POST", "/v1/route"),
                                        {"DELETE", "/v1/route"},
                                        {"PATCH", "/v1/routing"},
                                        {"PATCH", "/v1/buffers"}})
      change(method, where, [this](const Request& q, const Tree& body, Tree&) {
        return refusal_of(change_routes(node.routes, node.nets, q.method, body));
      });
  }

  /// Empty lists of things that this node never has.
  void empty_routes() {
    const auto empty = [this](const char* where, const Tree& tree) {
      http.Get(where, on([tree](const httplib::Request&, const Tree&, Tree& out) {
                 out = tree;
                 return std::optional<Refusal>();
               }));
    };
    empty("/v1/discovery", {{"discovery", Tree::array()}});
    empty("/v1/recovery",
          {{"Local NI recovery", Tree::object()}, {"Peer NI recovery", Tree::object()}});
  }

  static std::optional<Refusal> refusal_of(const Result<void>& done) {
    return done ? std::nullopt : std::optional(Refusal{done.error().code, done.error().reason});
  }

  /// Selection policies, in the list that a real node uses.
  void policy_routes() {
    http.Get("/v1/udsp", on([this](const auto&, const Tree&, Tree& out) {
               out = conf::udsp_tree(node.udsp);
               return std::optional<Refusal>();
             }));
    http.Get("/v1/selection", on([this](const auto&, const Tree&, Tree& out) {
               out = conf::selection_tree(node.udsp);
               return std::optional<Refusal>();
             }));
    policies("POST", "/v1/udsp", add_udsp);
    policies("DELETE", "/v1/udsp", del_udsp);
    policies("POST", "/v1/selection", add_selection);
    policies("DELETE", "/v1/selection", del_selection);
    for (const char* method : {"POST", "DELETE", "PATCH"})
      change(method, "/v1/fault", [this](const auto& q, const Tree& body, Tree&) {
        return refusal_of(change_faults(node.faults, q.method, body));
      });
  }

  void peer_change(const char* method, Result<void> (*work)(Tree& peers, const Tree& body)) {
    change(
        method, "/v1/peer",
        [this, work](const httplib::Request&, const Tree& body, Tree&) -> std::optional<Refusal> {
          const auto result = work(node.peers, body);
          if (result) return {};
          return Refusal{result.error().code, result.error().reason};
        });
  }

  void policies(const char* method, const char* where,
                Result<void> (*work)(core::udsp::RuleList&, const Tree&)) {
    change(method, where, [this, work](const httplib::Request&, const Tree& body, Tree&) {
      return refusal_of(work(node.udsp, body));
    });
  }

  void routes() {
    using httplib::Request, httplib::Response;
    const auto plain = [&](const char* key, Tree FakeControlServer::*what) {
      return on(
          [this, key, what](const Request&, const Tree&, Tree& out) -> std::optional<Refusal> {
            out[key] = node.*what;
            return {};
          });
    };
    http.Get("/v1/version",
             on([](const Request&, const Tree&, Tree& out) -> std::optional<Refusal> {
               out = {{"ulnet", "0"}, {"door", 1}, {"name", "fake"}, {"pid", 1}};
               return {};
             }));
    http.Post("/v1/batch", [this](const Request& q, Response& s) { batch(q, s); });
    http.Get("/v1/global", plain("global", &FakeControlServer::globals));
    http.Get("/v1/stats", plain("statistics", &FakeControlServer::statistics));
    http.Get("/v1/fault", plain("fault", &FakeControlServer::faults));
    http.Get("/v1/param", plain("param", &FakeControlServer::params));
    http.Get("/v1/peer",
             on([this](const Request& q, const Tree&, Tree& out) { return show_peers(q, out); }));
    http.Get("/v1/net",
             on([this](const Request& q, const Tree&, Tree& out) { return show_nets(q, out); }));
    http.Post("/v1/lnet",
              on([this](const Request&, const Tree& body, Tree&) { return lnet(body); }));
    http.Post("/v1/ping", on([this](const Request&, const Tree& body, Tree& out) {
                return ping("ping", body, out);
              }));
    http.Post("/v1/discover", on([this](const Request&, const Tree& body, Tree& out) {
                return ping("discover", body, out);
              }));
    const auto whole = [&](Tree FakeControlServer::*what) {
      return on([this, what](const Request&, const Tree&, Tree& out) -> std::optional<Refusal> {
        out = node.*what;
        return {};
      });
    };
    http.Get("/v1/counters", whole(&FakeControlServer::counters));
    http.Get("/v1/events", [this](const Request& q, Response& s) { events(q, s); });
    http.Post("/v1/reload", whole(&FakeControlServer::reload));
    http.Get("/v1/cpt",
             on([this](const Request& q, const Tree&, Tree& out) -> std::optional<Refusal> {
               const std::string nid = q.get_param_value("nid");
               const auto at = node.cpts.find(nid);
               const int cpt = at == node.cpts.end() ? 0 : at->second;
               out["cpt-of-nid"] = Tree::array({{{"nid", nid}, {"cpt", cpt}}});
               return {};
             }));
    http.Get("/v1/path", on([this](const Request& q, const Tree&, Tree& out) {
               out["path"] = node.path;
               for (const auto& [key, value] : q.params) out["path"][key] = value;
               return std::optional<Refusal>();
             }));
    http.Get("/v1/file/.*", [this](const Request& q, Response& s) {
      const std::lock_guard lock(node.mutex);
      const auto at = node.files.find(q.path.substr(std::string("/v1/file/").size()));
      if (at != node.files.end()) return s.set_content(at->second, "text/plain");
      s.status = 404;
      s.set_content(Tree({{"errno", -ENOENT}, {"descr", "unknown file"}}).dump(),
                    "application/json");
    });
    http.Get("/v1/nids",
             on([this](const Request&, const Tree&, Tree& out) -> std::optional<Refusal> {
               out["nids"] = {"0@lo"};
               for (const Tree& net : node.nets) {
                 for (const Tree& ni : net["local NI(s)"]) out["nids"].push_back(ni["nid"]);
               }
               return {};
             }));
  }

  void events(const httplib::Request& request, httplib::Response& response) {
    const std::lock_guard lock(node.mutex);
    const bool list = request.get_param_value("wait") == "0";
    node.requests.push_back(request.target);
    response.set_content(list ? node.events.dump() : node.event_stream,
                         list ? "application/json" : "text/event-stream");
  }

  std::optional<Refusal> show_nets(const httplib::Request& q, Tree& out) {
    Tree all = Tree::array();
    all.push_back({{"net type", "lo"}, {"local NI(s)", Tree::array({fresh_lo()})}});
    for (const Tree& net : node.nets) all.push_back(net);
    out["net"] = Tree::array();
    for (const Tree& net : all) {
      if (!q.has_param("net") || net["net type"] == q.get_param_value("net"))
        out["net"].push_back(net);
    }
    if (out["net"].empty()) return Refusal{-ESRCH, "Network is down"};
    return {};
  }

  Tree* find_net(const std::string& name) {
    for (Tree& net : node.nets) {
      if (net["net type"] == name) return &net;
    }
    return nullptr;
  }

  std::optional<Refusal> add(const Tree& body) {
    const std::string name = body.contains("net") ? body["net"].get<std::string>() : "";
    const auto id = NetId::parse(name);
    if (!id) return Refusal{-ENOENT, "cannot parse net"};
    if (id->type != NetType::kTcp) return Refusal{-EINVAL, "LND type not supported"};
    std::string interface = body.value("interface", std::string());
    std::string nid = body.value("nid", std::string());
    if (nid.empty()) {
      const auto here = node.interfaces.find(interface);
      const bool is_address = interface.find_first_of(".:") != std::string::npos;
      if (here == node.interfaces.end() && !is_address)
        return Refusal{-ENETDOWN, "cannot add LNet NI",
                       "there is no interface '" + interface + "'"};
      nid = (here == node.interfaces.end() ? interface : here->second) + "@" + id->to_string();
    } else {
      interface = nid.substr(0, nid.find('@'));
      for (const auto& [device, address] : node.interfaces) {
        if (address == interface) interface = device;
      }
    }
    for (const Tree& cpt : body.value("CPT", Tree::array())) {
      if (cpt.get<int>() > 3) return Refusal{-ERANGE, "invalid CPT value"};
    }
    Tree ni = fresh_ni(nid, interface);
    Tree* net = find_net(id->to_string());
    if (net != nullptr) {
      for (const Tree& other : (*net)["local NI(s)"]) {
        if (other["nid"] == nid) return Refusal{-EEXIST, "cannot add LNet NI"};
      }
      // The net's values are those of its first NI.
      ni["tunables"] = (*net)["local NI(s)"][0]["tunables"];
    } else {
      ni["tunables"].update(body.value("tunables", Tree::object()));
      if (ni["tunables"]["peer_timeout"] == -1) ni["tunables"]["peer_timeout"] = 180;
    }
    ni["lnd tunables"].update(body.value("lnd tunables", Tree::object()));
    if (body.contains("CPT") && !body["CPT"].empty()) {
      std::string list;
      for (const Tree& cpt : body["CPT"]) list += (list.empty() ? "" : ",") + cpt.dump();
      ni["CPT"] = "[" + list + "]";
    }
    if (net == nullptr) {
      node.nets.push_back({{"net type", id->to_string()}, {"local NI(s)", Tree::array()}});
      net = &node.nets.back();
    }
    (*net)["local NI(s)"].push_back(std::move(ni));
    return {};
  }

  std::optional<Refusal> del(const Tree& body) {
    const std::string nid = body.value("nid", std::string());
    const std::string name =
        nid.empty() ? body.value("net", std::string()) : Nid::parse(nid)->net().to_string();
    if (name == "lo") return Refusal{-ENODEV, "setting @lo not allowed"};
    Tree* net = find_net(name);
    if (net == nullptr) return Refusal{-EINVAL, "cannot del network"};
    if (nid.empty() && !body.contains("interface")) {
      node.nets.erase(static_cast<std::size_t>(net - &node.nets[0]));
      return {};
    }
    Tree& nis = (*net)["local NI(s)"];
    for (std::size_t i = 0; i < nis.size(); ++i) {
      if (nid.empty() ? nis[i]["interfaces"]["0"] != body["interface"] : nis[i]["nid"] != nid)
        continue;
      nis.erase(i);
      if (nis.empty()) node.nets.erase(static_cast<std::size_t>(net - &node.nets[0]));
      return {};
    }
    return Refusal{-ENODEV, "cannot del LNet NI"};
  }

  std::optional<Refusal> set_globals(const Tree& body) {
    for (const auto& [name, value] : body.items()) {
      const conf::GlobalSetting* setting = conf::find_global(name);
      const bool lax = name == "numa_range" || name == "max_interfaces";  // as in production nodes
      const auto wanted = value.get<std::int64_t>();
      if (setting == nullptr) return Refusal{-ENOENT, "no global setting '" + name + "'"};
      if (!lax && !setting->has(wanted)) return Refusal{-EINVAL, "Invalid argument"};
      if (name == "retry_count" && wanted >= node.globals["transaction_timeout"])
        return Refusal{-EINVAL, "Invalid argument"};
      if (name == "transaction_timeout" && wanted <= node.globals["retry_count"])
        return Refusal{-EINVAL, "Invalid argument"};
      node.globals[name] = wanted;
    }
    return {};
  }

  std::optional<Refusal> set_params(const Tree& body) {
    for (const auto& [name, value] : body.items()) {
      const auto checked = conf::check_param(name, value.get<std::string>());
      if (!checked) return Refusal{checked.error().code, checked.error().reason};
      if (conf::find_param(name)->start_only)
        return Refusal{-EBUSY, name + " counts only when the node starts"};
      node.params[name]["value"] = *checked;
    }
    return {};
  }

  std::optional<Refusal> lnet(const Tree& body) {
    const bool up = body.value("op", std::string()) == "configure";
    if (!up && node.busy) return Refusal{-EBUSY, "LNet busy"};
    if (!up && node.configured) node.restart();
    node.configured = up;
    return {};
  }

  std::optional<Refusal> show_peers(const httplib::Request& q, Tree& out) {
    out["peer"] = Tree::array();
    const std::string nid = q.get_param_value("nid");
    for (const Tree& peer : node.peers) {
      const Tree nis = peer.value("peer ni", Tree::array());
      if (nid.empty() ||
          std::any_of(nis.begin(), nis.end(), [&](const Tree& ni) { return ni["nid"] == nid; }))
        out["peer"].push_back(peer);
    }
    if (!nid.empty() && out["peer"].empty()) return Refusal{-ENOENT, "cannot find peer " + nid};
    return {};
  }

  /// Pings or discovers. Discovered peers have Multi-Rail, and their first NID as primary NID.
  std::optional<Refusal> ping(const char* what, const Tree& body, Tree& out) {
    out = {{what, Tree::array()}, {"failed", Tree::array()}};
    const bool discovers = std::string_view(what) == "discover";
    for (const Tree& target : body["nids"]) {
      const auto at = node.answers.find(target.get<std::string>());
      if (at == node.answers.end()) {
        out["failed"].push_back({{"nid", target}, {"errno", -EHOSTUNREACH}});
      } else if (at->second.code != 0) {
        out["failed"].push_back(
            {{"nid", target}, {"errno", at->second.code}, {"hint", at->second.hint}});
      } else {
        Tree nids = Tree::array();
        for (const std::string& nid : at->second.nids) nids.push_back({{"nid", nid}});
        const Tree primary = discovers ? Tree(at->second.nids.at(0)) : target;
        out[what].push_back(
            {{"primary nid", primary}, {"Multi-Rail", discovers}, {"peer_ni", std::move(nids)}});
        if (body.contains("rtt")) out[what].back()["rtt_us"] = 250;
      }
    }
    return {};
  }

  FakeControlServer& node;
  std::map<std::string, Handle> handlers;  // handlers of changes, by method and path
  httplib::Server http;
  std::thread thread;
};

FakeControlServer::FakeControlServer(std::string socket)
    : socket_(std::move(socket)), server_(std::make_unique<Server>(*this)) {
  restart();
  ::unlink(socket_.c_str());
  server_->http.set_address_family(AF_UNIX);
  server_->http.set_keep_alive_max_count(1 << 20);
  server_->http.bind_to_port(socket_, 80);
  server_->thread = std::thread([this] { server_->http.listen_after_bind(); });
  while (!server_->http.is_running()) std::this_thread::yield();
}

FakeControlServer::~FakeControlServer() {
  server_->http.stop();
  server_->thread.join();
  ::unlink(socket_.c_str());
}

void FakeControlServer::restart() {
  nets = Tree::array();
  peers = Tree::array();
  globals = Tree::object();
  for (const conf::GlobalSetting& setting : conf::all_globals()) {
    if (setting.name == "response_tracking") globals["lnd_timeout"] = 49;
    globals[std::string(setting.name)] = setting.initial;
  }
  statistics = Tree::object();
  udsp.clear();
  params = Tree::object();
  for (const conf::Param& param : conf::all_params()) {
    params[std::string(param.name)] = {{"value", param.initial},
                                       {"default", param.initial},
                                       {"start_only", param.start_only},
                                       {"help", param.help}};
    if (!param.warning.empty()) params[std::string(param.name)]["note"] = param.warning;
  }
}

}  // namespace ulnet::ctl::test
