#include "lab/live/record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lab/topology/addresses.h"
#include "lab/topology/reader.h"

namespace ulnet::tools::lab {

namespace {
constexpr int kRecordVersion = 1;
using Json = nlohmann::ordered_json;
}  // namespace

std::string record_text(const Record& record) {
  Json processes = Json::object();
  for (const auto& [node, id] : record.processes)
    processes[node] = {{"pid", id.pid}, {"start", id.start}};
  const Json all = {{"record", kRecordVersion},
                    {"name", record.name},
                    {"mode", record.spaces ? "namespaces" : "loopback"},
                    {"number", record.number},
                    {"port", record.port},
                    {"version", record.version},
                    {"ready", record.ready},
                    {"netem", record.netem},
                    {"nodes", processes},
                    {"down", record.down},
                    {"rates", record.rates},
                    {"file", record.file},
                    {"topology", record.text}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Record> parse_record(std::string_view text) try {
  const Json all = Json::parse(text);
  if (all.at("record") != kRecordVersion)
    return fail(-EINVAL, "another version of ulnet-lab wrote this file");
  Record record;
  all.at("name").get_to(record.name);
  record.spaces = all.at("mode") == "namespaces";
  all.at("number").get_to(record.number);
  all.at("port").get_to(record.port);
  all.at("version").get_to(record.version);
  all.at("ready").get_to(record.ready);
  all.at("netem").get_to(record.netem);
  all.at("file").get_to(record.file);
  all.at("topology").get_to(record.text);
  all.at("down").get_to(record.down);
  all.at("rates").get_to(record.rates);
  for (const auto& [node, id] : all.at("nodes").items())
    record.processes[node] = {id.at("pid").get<pid_t>(), id.at("start").get<std::uint64_t>()};
  return record;
} catch (const Json::exception&) {
  return fail(-EINVAL, "this file is damaged");
}

Result<Record> load_record(const Home& home) {
  if (!home.exists())
    return fail(-ENOENT, "there is no laboratory " + home.name() +
                             ": 'ulnet-lab list' shows those that run");
  const std::string repair =
      "; 'ulnet-lab clean " + home.name() + "' removes the rest of the laboratory";
  const auto text = read_whole(home.record());
  if (!text && text.error().code == -ENOENT)
    return fail(-ENOENT, "laboratory " + home.name() + " was not started to its end" + repair);
  if (!text) return tl::unexpected(text.error());
  auto record = parse_record(*text);
  if (!record) return fail(-EINVAL, home.record() + ": " + record.error().reason + repair);
  return record;
}

Result<void> save_record(const Home& home, const Record& record) {
  return write_whole(home.record(), record_text(record));
}

Result<Topology> topology_of(const Record& record) {
  auto topology = read_topology(record.text, record.name);
  if (!topology) return fail(-EINVAL, conf::lines_of(conf::in_file(topology.error(), record.file)));
  topology->name = record.name;
  const auto given =
      give_addresses(*topology, record.spaces ? kNamespaceBase : loopback_base(record.number));
  if (!given) return tl::unexpected(given.error());
  return std::move(*topology);
}

std::string rail_name(const Topology& topology, NodeNumber node, std::uint32_t rail) {
  return fmt::format("{}:{}", topology.nodes[node].name, topology.nodes[node].wire_of(rail));
}
std::string link_name(const Topology& topology, const SwitchLink& link) {
  return topology.switches[link.a].name + "-" + topology.switches[link.b].name;
}

}  // namespace ulnet::tools::lab
