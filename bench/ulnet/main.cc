// ulnet_loop LOOP serve|drive [key=value ...]: one side of an ulnet run, the counterpart of
// raw_loop. Keys that the loop does not know are module parameters of the node
// (peer_credits=1024, wait=spin, ...).
#include <sched.h>

#include <cstdio>
#include <map>

#include "loop.h"

namespace {

void assign(bench::Options& options, const std::string& key, const std::string& value) {
  static const std::map<std::string, void (*)(bench::Options&, const std::string&)> kKeys{
      {"host", [](auto& o, auto& v) { o.host = v; }},
      {"peer", [](auto& o, auto& v) { o.peer = v; }},
      {"net", [](auto& o, auto& v) { o.net = v; }},
      {"peer_net", [](auto& o, auto& v) { o.peer_net = v; }},
      {"port", [](auto& o, auto& v) { o.port = v; }},
      {"size", [](auto& o, auto& v) { o.size = std::stoul(v); }},
      {"seconds", [](auto& o, auto& v) { o.seconds = std::stod(v); }},
      {"count", [](auto& o, auto& v) { o.count = std::stoull(v); }},
      {"cpu", [](auto& o, auto& v) { o.cpu = std::stoi(v); }},
      {"mode", [](auto& o, auto& v) { o.polled = v == "inline"; }},
      {"outstanding",
       [](auto& o, auto& v) { o.outstanding = static_cast<unsigned>(std::stoul(v)); }},
      {"buffers", [](auto& o, auto& v) { o.buffers = static_cast<unsigned>(std::stoul(v)); }},
      {"test", [](auto& o, auto& v) { o.test = v; }},
      {"check", [](auto& o, auto& v) { o.check = v; }},
      {"ack", [](auto& o, auto& v) { o.ack = v == "1"; }},
      {"nets", [](auto& o, auto& v) { o.nets = static_cast<unsigned>(std::stoul(v)); }}};
  const auto at = kKeys.find(key);
  if (at != kKeys.end())
    at->second(options, value);
  else
    options.params[key] = value;
}

bool pin(int cpu) {
  if (cpu < 0) return true;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, int (*)(const bench::Options&)> loops{
      {"bandwidth", bench::bandwidth}, {"latency", bench::latency}, {"rate", bench::rate},
      {"idle", bench::idle},           {"ping", bench::ping},       {"lst", bench::lst_test}};
  const auto loop = argc >= 3 ? loops.find(argv[1]) : loops.end();
  bench::Options options;
  bool ok = loop != loops.end();
  if (ok) options.serve = std::string(argv[2]) == "serve";
  for (int i = 3; ok && i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    ok = equals != std::string::npos;
    if (ok) assign(options, word.substr(0, equals), word.substr(equals + 1));
  }
  if (!ok) {
    std::fprintf(
        stderr,
        "usage: ulnet_loop bandwidth|latency|rate|idle|ping|lst serve|drive [host= peer= net= "
        "peer_net= port= size= seconds= "
        "count= cpu= mode=inline|shared outstanding= buffers= ack=0|1 "
        "nets= test=ping|read|write check=none|full PARAMETER=...]\n");
    return 2;
  }
  if (!pin(options.cpu)) return 1;
  return loop->second(options);
}
