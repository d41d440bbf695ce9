// ulnet-demo: one traffic node of the demo. It starts an embedded node, offers a Target to the
// others, prints "ready NID", and obeys lines on its standard input until that ends, answering each
// with one line of JSON:
//   ping NID              {"ping": NID, "us": t}
//   move NID SIZE         {"size": n, "round_trip_us": ..., "put_mb_s": ..., "get_mb_s": ...,
//   "checked_bytes": ..., ...}
// What goes wrong is answered as {"error": text}; the exit code is 1 if anything did.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/demo/target.h"
#include "tools/demo/traffic.h"
#include "ulnet/node.hpp"

namespace {

using nlohmann::json;

constexpr int kErrorLevel = 3;

/// Counts what the node complains of.
struct Log {
  static void line(void* context, int level, const char* text) {
    if (level < kErrorLevel) return;
    ++static_cast<Log*>(context)->errors;
    fmt::print(stderr, "error: {}\n", text);
  }
  std::atomic<int> errors = 0;
};

json failed(const ulnet::Error& error) {
  return {{"error",
           fmt::format("{} ({})", error.reason.empty() ? "failed" : error.reason, error.code)}};
}

int refuse(const ulnet::Error& error) {
  fmt::print(stderr, "error: {}\n", error.reason);
  return 1;
}

json ping(ulnet::Lnet& node, const ulnet::Nid& nid) {
  ulnet::PingRequest request;
  request.target.nid = nid;
  request.timeout = std::chrono::seconds(10);
  const auto start = std::chrono::steady_clock::now();
  auto reply = node.ping(request);
  if (!reply) return failed(reply.error());
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
  return {{"ping", reply->primary.to_string()}, {"us", taken.count()}};
}

json move(ulnet::Lnet& node, const ulnet::Nid& nid, std::uint32_t size, double seconds) {
  auto figures = ulnet::demo::move(node, {nid, ulnet::Pid::lustre()}, size,
                                   std::chrono::duration<double>(seconds));
  if (!figures) return failed(figures.error());
  return {{"size", figures->size},
          {"round_trip_us", figures->round_trip_us},
          {"put_mb_s", figures->put_mb_s},
          {"get_mb_s", figures->get_mb_s},
          {"checked_messages", figures->checked_messages},
          {"checked_bytes", figures->checked_bytes},
          {"wrong_bytes", figures->wrong_bytes}};
}

json obey(ulnet::Lnet& node, const std::string& line, double seconds) {
  std::istringstream words(line);
  std::string verb, text;
  words >> verb >> text;
  auto nid = ulnet::Nid::parse(text);
  if (!nid) return failed(nid.error());
  if (verb == "ping") return ping(node, *nid);
  std::uint32_t size = 0;
  if (verb == "move" && words >> size && size > 0 && size <= ulnet::demo::kMaxSize) {
    return move(node, *nid, size, seconds);
  }
  return {{"error", "what is \"" + line + "\"?"}};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"One traffic node of the demo; see `make demo`."};
  std::string networks = "tcp(127.0.0.15)";
  std::vector<std::string> settings;
  double seconds = 0.5;
  bool spoil = false;
  app.add_option("--networks", networks, "the nets to start")->capture_default_str();
  app.add_option("--set", settings, "module parameters, name=value");
  app.add_option("--seconds", seconds, "length of each timed part")->capture_default_str();
  app.add_flag("--spoil", spoil, "let one byte of the source be wrong, to see that it is noticed");
  CLI11_PARSE(app, argc, argv);

  Log log;
  ulnet::NodeOptions options;
  options.name = "demo";
  options.networks = networks;
  options.log = &Log::line;
  options.log_context = &log;
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos) return app.exit(CLI::ValidationError("--set", "name=value"));
    options.params[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  std::unique_ptr<ulnet::demo::Target> target;  // outlives the node
  auto node = ulnet::Node::start(options);
  if (!node) return refuse(node.error());
  if (auto posted = ulnet::demo::Target::post(**node, spoil); posted) {
    target = std::move(*posted);
  } else {
    return refuse(posted.error());
  }
  const auto self = (*node)->get_id(1, true);
  if (!self) return refuse(self.error());
  fmt::print("ready {}\n", self->nid.to_string());
  std::fflush(stdout);

  bool ok = true;
  for (std::string line; std::getline(std::cin, line);) {
    const json answer = obey(**node, line, seconds);
    ok = ok && !answer.contains("error") && answer.value("wrong_bytes", 0) == 0;
    fmt::print("{}\n", answer.dump());
    std::fflush(stdout);
  }
  (*node)->stop(std::chrono::seconds(5));
  return ok && log.errors == 0 ? 0 : 1;
}
