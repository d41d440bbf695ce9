// new.
#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "fgr/commands.h"
#include "fgr/site/new_site.h"
#include "fgr/site/site_file.h"

namespace ulnet::tools::fgr {
namespace {

struct NewOptions {
  NewSite facts;
  std::string net, client_net = "gni1", net_among_servers;
};

int write_new(NewOptions& options) {
  const auto net = NetId::parse(options.net), client_net = NetId::parse(options.client_net);
  if (!net) return complain("new", net.error().reason);
  if (!client_net) return complain("new", client_net.error().reason);
  options.facts.net = *net;
  options.facts.client_net = *client_net;
  if (!options.net_among_servers.empty()) {
    const auto among = NetId::parse(options.net_among_servers);
    if (!among) return complain("new", among.error().reason);
    options.facts.net_among_servers = *among;
  }
  const auto text = new_site(options.facts);
  if (!text) return complain("new", text.error().reason);
  // YAML may read a name as another type, so the text is read back.
  const auto site = read_site(*text);
  if (!site) return complain("new", site.error().front().reason);
  if (const auto errors = errors_of(plan::make_plan(*site)); !errors.empty())
    return complain("new", sentence_of(errors.front()));
  fmt::print("{}", *text);
  return kExitDone;
}

}  // namespace

void add_new_command(CLI::App& app, int& code) {
  CLI::App& command = *app.add_subcommand(
      "new", "print a site file for a Sonexion-1600, from its key facts; then check it by eye");
  NewOptions& options = run_with<NewOptions>(command, code, write_new);
  NewSite& facts = options.facts;
  const auto word = [&](const char* name, std::string& value, const char* help) {
    return add_value(command, name, value, "", help)->capture_default_str();
  };
  add_number(command, "--ssu", facts.ssus, 1, 2000, "number of SSUs, with two OSSs each")
      ->required();
  word("--cluster", facts.cluster, "the beginning of the servers' host names: snx11001")
      ->required();
  word("--net", options.net, "the net of MGS and MDS, from which the others count: o2ib6000")
      ->required();
  word("--net-among-servers", options.net_among_servers,
       "a net on which all servers are as well, to talk to each other: o2ib6500");
  word("--name", facts.file_system, "name of the file system");
  word("--first-address", facts.first_server,
       "address of the MGS; those of the other servers follow");
  word("--clients", facts.clients, "name of the clients' system");
  word("--client-net", options.client_net, "net of the clients");
  word("--client-addresses", facts.client_addresses,
       "addresses of the clients, as ip2nets writes them");
  word("--router-kind", facts.router_kind, "xe, xc30-single-hca or xc30-dual-hca");
  word("--first-router-address", facts.first_router,
       "address on the servers' fabric; the others follow");
  word("--first-router-nid", facts.first_nid, "NID on the clients' net; the others follow");
  add_number(command, "--metadata-routers", facts.metadata_routers, 1, 100,
             "number of routers for MGS and MDS")
      ->capture_default_str();
}

}  // namespace ulnet::tools::fgr
