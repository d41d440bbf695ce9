#include <nlohmann/json.hpp>

#include "fgr/log/log_explanation.h"

namespace ulnet::plan {
namespace {

using Json = nlohmann::ordered_json;

Json troubles_json(const std::array<std::uint64_t, kTroubles>& counts) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kTroubles; ++i)
    if (counts[i] > 0) json[name_of(static_cast<Trouble>(i))] = counts[i];
  return json;
}

void add_mentions(Json& json, const Mentions& mentions) {
  json["mentions"] = mentions.all;
  json["trouble"] = mentions.troubled;
  json["what"] = troubles_json(mentions.by_trouble);
}

Json nid_json(const NidCount& count) {
  Json json = {{"nid", count.nid.to_string()}};
  add_mentions(json, count);
  return json;
}

std::string_view word_of(Suspect::Kind kind) {
  constexpr std::string_view kWords[] = {"server", "router", "client",
                                         "group",  "switch", "file system"};
  return kWords[static_cast<std::size_t>(kind)];
}

Json suspect_json(const Suspect& suspect) {
  Json json = {{"kind", word_of(suspect.kind)},
               {"name", suspect.name},
               {"where", suspect.where},
               {"mentions", suspect.mentions},
               {"of", suspect.of},
               {"expected", suspect.expected},
               {"what", troubles_json(suspect.what.by_trouble)},
               {"look_at", suspect.look},
               {"hosts", Json::array()}};
  for (const auto& [name, mentions] : suspect.hosts)
    json["hosts"].push_back({{"host", name}, {"mentions", mentions}});
  return json;
}

Json group_json(const Plan& plan, const MentionedGroup& row) {
  Json json = {{"group", plan.name_of(plan.groups[row.group])},
               {"net", plan.groups[row.group].net.to_string()},
               {"switch", plan.groups[row.group].at_switch}};
  add_mentions(json, row.mentions);
  json["expected"] = row.expected;
  return json;
}

Json host_json(const Plan& plan, const MentionedHost& host) {
  Json json = {{"host", host.name}, {"kind", to_string(host.kind)}, {"where", host.where}};
  if (host.group) json["group"] = plan.name_of(plan.groups[*host.group]);
  add_mentions(json, host.mentions);
  json["nids"] = Json::array();
  for (const NidCount& count : host.nids) json["nids"].push_back(nid_json(count));
  return json;
}

template <class Rows, class Write>
void add_list(Json& json, const char* key, const Rows& rows, std::size_t top, Write&& write) {
  Json& list = json[key] = Json::array();
  for (const auto& row : rows) {
    if (list.size() == top) {
      json["left_out"][key] = rows.size() - top;
      return;
    }
    list.push_back(write(row));
  }
}

}  // namespace

Json explanation_json(const Plan& plan, const LogExplanation& explanation, std::size_t top) {
  const LogCounts& counts = explanation.counts;
  Json json = {{"bytes", counts.bytes},
               {"lines", counts.lines},
               {"trouble", counts.troubled},
               {"what", troubles_json(counts.by_trouble)},
               {"uncounted_mentions", counts.uncounted},
               {"weighed", explanation.only_troubled ? "trouble" : "mentions"}};
  add_list(json, "look_first", explanation.suspects, top, suspect_json);
  add_list(json, "groups", explanation.groups, top,
           [&](const auto& row) { return group_json(plan, row); });
  add_list(json, "hosts", explanation.hosts, top,
           [&](const auto& host) { return host_json(plan, host); });
  add_list(json, "clients", explanation.clients, top, [&](const MentionedClients& clients) {
    Json row = {{"system", plan.site.clients[clients.system].name}, {"nids", clients.nids}};
    add_mentions(row, clients.mentions);
    return row;
  });
  add_list(json, "strays", explanation.strays, top, nid_json);
  add_list(json, "unknown", explanation.unknown, top, nid_json);
  return json;
}

}  // namespace ulnet::plan
