#include "tools/lab/topology/reader.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <tuple>

#include "base/limits.h"
#include "tools/lab/topology/names.h"
#include "tools/lab/topology/reading.h"

namespace ulnet::tools::lab {
namespace {

void read_root(const conf::YamlNode& root, std::string_view name, Reading& reading) {
  sim::Fields fields(root, "a topology", reading.mistakes);
  reading.read_names(fields, name);
  if (const auto* settings = fields.take("settings")) reading.read_settings(*settings);
  if (const auto* switches = fields.take("switches")) reading.read_switches(*switches);
  if (const auto* links = fields.take("switch links")) reading.read_switch_links(*links);
  if (const auto* nets = fields.take("nets")) reading.read_nets(*nets);
  const auto* routes = fields.take("routes");
  const auto* nodes = fields.need("nodes");
  if (nodes == nullptr) return;
  reading.read_nodes(*nodes);
  if (!reading.mistakes.empty()) return;
  reading.check_nodes();
  if (reading.mistakes.empty()) reading.read_routes(routes);
}

/// The whole file, or nothing and errno.
std::optional<std::string> contents(const std::filesystem::path& file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "re"),
                                                               std::fclose);
  if (stream == nullptr) return {};
  std::string text;
  char piece[16384];
  while (const std::size_t read = std::fread(piece, 1, sizeof piece, stream.get())) {
    text.append(piece, read);
    if (text.size() > limits::kConfigTextMax) break;  // which the reader refuses
  }
  if (std::ferror(stream.get()) != 0) return {};
  return text;
}

}  // namespace

tl::expected<Topology, Mistakes> read_topology(std::string_view text, std::string_view name) {
  Reading reading;
  const auto documents = conf::load_yaml(text);
  if (!documents) {
    reading.mistakes.push_back({documents.error().place, documents.error().reason});
  } else if (documents->empty() || documents->front().is_null()) {
    reading.mistakes.push_back({{1, 1}, "the file is empty"});
  } else {
    read_root(documents->front(), name, reading);
    if (documents->size() > 1)
      reading.wrong((*documents)[1], "a second document: a file is one topology");
  }
  if (reading.mistakes.empty()) return std::move(reading.topology);
  std::ranges::sort(reading.mistakes, [](const Mistake& a, const Mistake& b) {
    return std::tie(a.place.line, a.place.column, a.reason) <
           std::tie(b.place.line, b.place.column, b.reason);
  });
  return tl::unexpected(std::move(reading.mistakes));
}

tl::expected<Topology, Mistakes> read_topology_file(const std::filesystem::path& file) {
  errno = 0;
  const auto text = contents(file);
  if (!text) return tl::unexpected(Mistakes{{{}, std::strerror(errno)}});
  std::string name = file.filename().string();
  if (name.ends_with(".yaml")) name.resize(name.size() - 5);
  return read_topology(*text, name);
}

std::string told(std::string_view file, const Mistakes& mistakes) {
  std::string text;
  for (const Mistake& mistake : mistakes) {
    text += file;
    if (mistake.place.line != 0)
      text += ":" + std::to_string(mistake.place.line) + ":" + std::to_string(mistake.place.column);
    text += ": " + mistake.reason + "\n";
  }
  return text;
}

}  // namespace ulnet::tools::lab
