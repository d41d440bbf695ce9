// Reads the loads of a scenario file.
#include <algorithm>
#include <array>

#include "sim/scenario/reading.h"
#include "sim/scenario/traffic.h"

namespace ulnet::sim {
namespace {

using What = LoadSpec::What;

constexpr std::uint32_t kMaxBytes = limits::kMtu;

void read_size(text::Fields& fields, LoadSpec& load) {
  if (load.by_chance()) load.min_bytes = 0, load.max_bytes = kMaxBytes;
  std::string text;
  if (load.what == What::kPing || !fields.text("size", text)) return;
  const std::size_t dots = text.find("..");
  const auto least = text::parse_bytes(text.substr(0, dots));
  const auto most = dots == std::string::npos ? least : text::parse_bytes(text.substr(dots + 2));
  if (!least || !most || *least > *most || *most > kMaxBytes)
    return fields.wrong(*fields.map().find("size"),
                        "size: '" + text + "' is not from 0 to 1MiB (4KiB, 0..64KiB)");
  load.min_bytes = static_cast<std::uint32_t>(*least);
  load.max_bytes = static_cast<std::uint32_t>(*most);
}

/// Reads the nodes that send, and those to which they send.
void read_members(text::Fields& fields, LoadSpec& load, const Reading& reading) {
  const std::vector<NodeSetup>& nodes = reading.scenario.nodes;
  load.from = reading.names.in(fields, "from");
  load.to = reading.names.in(fields, "to");
  for (const NodeNumber from : load.from) {
    const bool meets = std::any_of(load.to.begin(), load.to.end(), [&](NodeNumber to) {
      return to != from && reaches(nodes[from], nodes[to]);
    });
    if (!meets && !load.to.empty())
      fields.wrong(fields.map(),
                   nodes[from].name + " shares no net with any of 'to', and has no route to one");
  }
}

void read_load(const conf::YamlNode& item, Reading& reading) {
  text::Fields fields(item, "a load", reading.mistakes);
  LoadSpec load;
  std::string what = "put";
  const conf::YamlNode* said = item.find("what");
  fields.text("what", what);
  constexpr std::array kWords = {"put", "get", "ping", "mix", "random"};
  const auto word = std::find(kWords.begin(), kWords.end(), what);
  if (word == kWords.end())
    fields.wrong(said == nullptr ? item : *said,
                 "what: '" + what + "' is not one of put, get, ping, mix, random");
  else
    load.what = static_cast<What>(word - kWords.begin());
  if (load.by_chance()) load.count = 0;
  const bool counted = fields.number("count", load.count, load.by_chance() ? 0 : 1, 1'000'000'000);
  if (!load.by_chance() && fields.duration("lasts", load.lasts)) {
    const conf::YamlNode& lasts = *item.find("lasts");
    if (counted) fields.wrong(lasts, "a load has a count, or it lasts a time, not both");
    if (load.lasts == Duration{}) fields.wrong(lasts, "lasts: must be more than 0");
  }
  if (load.what != What::kRandom) fields.number("window", load.window, 1U, 1024U);
  fields.duration("start", load.start);
  if (load.what == What::kPut || load.what == What::kGet)
    fields.duration("patience", load.patience);
  fields.duration("every", load.every);
  if (load.what == What::kPut) fields.truth("ack", load.ack);
  if (bool polls = true; load.what == What::kRandom && fields.truth("polls", polls))
    load.unpolled = !polls;
  read_size(fields, load);
  if (!load.by_chance()) read_members(fields, load, reading);
  if (reading.scenario.loads.size() == 10) return fields.wrong(item, "more than ten loads");
  reading.scenario.loads.push_back(std::move(load));
}

}  // namespace

void read_workload(const conf::YamlNode& section, Reading& reading) {
  if (!section.is_sequence()) return reading.wrong(section, "workload: expected a list");
  for (const conf::YamlNode& item : section.items) read_load(item, reading);
}

}  // namespace ulnet::sim
