// Reads the links and streams of a scenario file.
#include "sim/scenario/reading.h"

namespace ulnet::sim {
namespace {

void read_model(const conf::YamlNode& map, LinkModel& model, conf::Problems& mistakes) {
  text::Fields fields(map, "a link", mistakes);
  fields.duration("delay", model.delay);
  fields.duration("jitter", model.jitter);
  fields.rate("bandwidth", model.bytes_per_second);
  fields.chance("loss", model.loss_ppm);
  fields.chance("duplication", model.duplicate_ppm);
  fields.chance("reordering", model.reorder_ppm);
  fields.duration("late by", model.reorder);
  fields.duration("retransmit", model.retransmit);
  fields.duration("retransmit at most", model.retransmit_max);
}

}  // namespace

LinkModels read_links(const conf::YamlNode& section, Reading& reading) {
  LinkModels models;
  LinkModel& usual = reading.scenario.link;
  if (!section.is_map()) reading.wrong(section, "links: expected 'name: {delay: ...}' lines");
  // The default is read first: it supplies the values that the other links do not set.
  if (const auto* map = section.find("default")) read_model(*map, usual, reading.mistakes);
  for (const auto& [name, map] : section.entries) {
    if (models.contains(name)) reading.wrong(map, "link '" + name + "' twice");
    LinkModel& model = models[name] = usual;
    if (name != "default") read_model(map, model, reading.mistakes);
  }
  return models;
}

void read_streams(const conf::YamlNode& section, Reading& reading) {
  text::Fields fields(section, "streams", reading.mistakes);
  StreamModel& streams = reading.scenario.streams;
  const auto size = [&](std::string_view key, std::uint32_t& out) {
    std::string text;
    if (!fields.text(key, text)) return;
    const auto bytes = text::parse_bytes(text);
    if (!bytes || *bytes == 0 || *bytes > (1U << 30))
      return fields.wrong(section,
                          std::string(key) + ": '" + text + "' is not a size from 1 to 1GiB");
    out = static_cast<std::uint32_t>(*bytes);
  };
  size("window", streams.window);
  size("piece", streams.piece);
  fields.chance("split", streams.split_ppm);
  fields.chance("short", streams.short_ppm);
  fields.duration("dial retry", streams.dial_retry);
  fields.duration("dial limit", streams.dial_limit);
}

void read_between(const conf::YamlNode& section, const LinkModels& models, Reading& reading) {
  reading.each(section, "{from: A, to: B, link: NAME}", [&](const conf::YamlNode& item) {
    text::Fields fields(item, "between", reading.mistakes);
    const auto from = reading.names.in(fields, "from"), to = reading.names.in(fields, "to");
    bool both = true;
    fields.truth("both", both);
    const conf::YamlNode* link = fields.need("link");
    if (link == nullptr) return;
    const auto model = models.find(link->text);
    if (model == models.end()) return fields.wrong(*link, "unknown link '" + link->shown() + "'");
    bool any = from.empty() || to.empty();
    for (const NodeNumber a : from)
      for (const NodeNumber b : to) {
        if (a == b) continue;
        any = true;
        reading.scenario.links.push_back({a, b, model->second});
        if (both) reading.scenario.links.push_back({b, a, model->second});
      }
    if (!any) fields.wrong(item, "a link from a node to itself");
  });
}

}  // namespace ulnet::sim
