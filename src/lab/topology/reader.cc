#include "lab/topology/reader.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "lab/topology/names.h"
#include "lab/topology/reading.h"
#include "lnet/base/limits.h"

namespace ulnet::tools::lab {
namespace {

void read_root(const conf::YamlNode& root, std::string_view name, Reading& reading) {
  text::Fields fields(root, "a topology", reading.mistakes);
  reading.read_names(fields, name);
  if (const auto* settings = fields.take("settings")) reading.read_settings(*settings);
  if (const auto* switches = fields.take("switches")) reading.read_switches(*switches);
  if (const auto* links = fields.take("switch links")) reading.read_switch_links(*links);
  if (const auto* nets = fields.take("nets")) reading.read_nets(*nets);
  if (const auto* texts = fields.take("module parameters")) reading.read_module_parameters(*texts);
  const auto* routes = fields.take("routes");
  const auto* nodes = fields.need("nodes");
  if (nodes == nullptr) return;
  reading.read_nodes(*nodes);
  if (!reading.mistakes.empty()) return;
  reading.check_nodes();
  if (reading.mistakes.empty()) reading.read_routes(routes);
}

}  // namespace

conf::Parsed<std::string> file_text(const std::filesystem::path& file) {
  const auto failed = [&] {
    return tl::unexpected(
        conf::Problem{.reason = std::strerror(errno), .code = -errno, .file = file.string()});
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "re"),
                                                               std::fclose);
  if (stream == nullptr) return failed();
  std::string text;
  char piece[16384];
  while (const std::size_t read = std::fread(piece, 1, sizeof piece, stream.get())) {
    text.append(piece, read);
    if (text.size() > limits::kConfigTextMax) break;  // the reader refuses such a text
  }
  if (std::ferror(stream.get()) != 0) return failed();
  return text;
}

tl::expected<Topology, conf::Problems> read_topology(std::string_view text, std::string_view name) {
  Reading reading;
  text::read_document(text, "topology", reading.mistakes,
                      [&](const conf::YamlNode& root) { read_root(root, name, reading); });
  if (reading.mistakes.empty()) return std::move(reading.topology);
  return tl::unexpected(std::move(reading.mistakes));
}

tl::expected<Topology, conf::Problems> read_topology_file(const std::filesystem::path& file,
                                                          std::string* text) {
  auto read = file_text(file);
  if (!read) return tl::unexpected(conf::Problems{std::move(read.error())});
  std::string name = file.filename().string();
  if (name.ends_with(".yaml")) name.resize(name.size() - 5);
  auto topology = read_topology(*read, name);
  if (text != nullptr) *text = std::move(*read);
  if (!topology) return tl::unexpected(conf::in_file(std::move(topology.error()), file.string()));
  return topology;
}

}  // namespace ulnet::tools::lab
