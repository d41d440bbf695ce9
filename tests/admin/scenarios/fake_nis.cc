// The NIs of a fresh node as the fake control API shows them.
#include "fake_control_server.h"

namespace ulnet::ctl::test {

namespace {

Tree counts() { return {{"put", 0}, {"get", 0}, {"reply", 0}, {"ack", 0}, {"hello", 0}}; }

Tree totals() {
  Tree out = {{"send_count", 0}, {"recv_count", 0}, {"drop_count", 0}};
  for (const char* kind : {"put_egress", "get_rtt", "put_ack"}) {
    for (const char* what : {"_samples", "_min_nsec", "_max_nsec", "_avg_nsec"})
      out[std::string(kind) + what] = 0;
  }
  return out;
}

}  // namespace

Tree fresh_ni(const std::string& nid, const std::string& interface) {
  Tree health = {{"fatal_error", 0}, {"health value", 1000}, {"interrupts", 0}, {"dropped", 0},
                 {"aborted", 0},     {"no route", 0},        {"timeouts", 0},   {"error", 0},
                 {"ping_count", 0},  {"next_ping", 0}};
  return {
      {"nid", nid},
      {"status", "up"},
      {"interfaces", {{"0", interface}}},
      {"statistics", totals()},
      {"udsp info", {{"net priority", -1}, {"nid priority", -1}}},
      {"sent_stats", counts()},
      {"received_stats", counts()},
      {"dropped_stats", counts()},
      {"health stats", health},
      {"tunables",
       {{"peer_timeout", 180}, {"peer_credits", 8}, {"peer_buffer_credits", 0}, {"credits", 256}}},
      {"lnd tunables", {{"conns_per_peer", 1}, {"timeout", 50}, {"tos", -1}}},
      {"dev cpt", -1},
      {"CPT", "[0]"}};
}

Tree fresh_lo() {
  Tree ni = fresh_ni("0@lo", "");
  ni.erase("interfaces");
  ni.erase("lnd tunables");
  ni["health stats"]["health value"] = 0;
  for (auto& [key, value] : ni["tunables"].items()) value = 0;
  return ni;
}

}  // namespace ulnet::ctl::test
