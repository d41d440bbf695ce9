#include "fgr/existing/existing_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "fgr/existing/read_actual.h"
#include "lab/topology/reader.h"

namespace ulnet::tools::fgr {
namespace {

namespace fs = std::filesystem;
using plan::Actual;
using plan::HostConfig;
using plan::Planned;

constexpr std::size_t kMaxFiles = 200'000;

/// Returns the hosts that a word names; nothing when it names no host.
std::optional<std::vector<std::size_t>> hosts_named(const Planned& planned,
                                                    const std::string& name) {
  if (const auto host = planned.find(name)) return std::vector{*host};
  const plan::Site& site = planned.plan().site;
  const auto of = [&](std::string_view prefix, HostConfig::Kind kind,
                      const auto& systems) -> std::optional<std::vector<std::size_t>> {
    if (!name.starts_with(prefix)) return std::nullopt;
    for (std::size_t i = 0; i < systems.size(); ++i)
      if (name.substr(prefix.size()) == systems[i].name) return planned.of_kind(kind, i);
    return std::nullopt;
  };
  if (auto clients = of("clients-", HostConfig::Kind::kClients, site.clients)) return clients;
  if (auto routers = of("routers-", HostConfig::Kind::kRouter, site.clients)) return routers;
  return of("servers-", HostConfig::Kind::kServer, site.file_systems);
}

std::optional<std::vector<std::size_t>> hosts_by_name(const Planned& planned,
                                                      const fs::path& file) {
  std::string name = file.filename().string();
  if (auto hosts = hosts_named(planned, name)) return hosts;
  // A host name may contain dots, so extensions are removed one by one from the end until the name
  // is a host's.
  for (std::size_t end = name.rfind('.'); end != std::string::npos && end != 0;
       end = name.rfind('.', end - 1))
    if (auto hosts = hosts_named(planned, name.substr(0, end))) return hosts;
  return hosts_named(planned, file.parent_path().filename().string());
}

/// Returns the host that owns most of the NIDs. If no host owns any, the clients on whose net a NID
/// is.
std::vector<std::size_t> hosts_by_nids(const Planned& planned, const Actual& actual) {
  std::map<std::size_t, std::size_t> counts;
  std::optional<std::size_t> clients;
  for (const plan::ActualNet& net : actual.nets)
    for (const Nid& nid : net.nids) {
      if (const auto owner = planned.owner(nid))
        ++counts[*owner];
      else if (const auto system = planned.client_system_of(nid.net()))
        clients = system;
    }
  if (!counts.empty())
    return {
        std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; })->first};
  return clients ? planned.of_kind(HostConfig::Kind::kClients, *clients)
                 : std::vector<std::size_t>{};
}

class Reading {
 public:
  Reading(const Planned& planned, const ExistingFilesOptions& options)
      : planned_(planned), options_(options) {}

  ExistingFiles run() {
    for (const std::string& given : options_.hosts) take_host(given);
    for (const std::string& path : options_.paths) {
      std::error_code error;
      if (fs::is_directory(path, error))
        read_folder(path);
      else
        read(path, true);
    }
    settle_parameters();
    return std::move(found_);
  }

 private:
  void wrong(const std::string& file, std::string reason) {
    found_.mistakes.push_back({.reason = std::move(reason), .file = file});
  }

  void take_host(const std::string& given) {
    const std::size_t at = given.find('=');
    const auto hosts = hosts_named(planned_, given.substr(0, at));
    if (at == std::string::npos || at + 1 == given.size())
      wrong(fmt::format("--host {}", given), "expected HOST=FILE");
    else if (!hosts)
      wrong(fmt::format("--host {}", given), "the site has no host " + given.substr(0, at));
    else
      overrides_[fs::path(given.substr(at + 1)).lexically_normal()] = *hosts;
    if (at != std::string::npos && at + 1 < given.size()) read(given.substr(at + 1), true);
  }

  void read_folder(const fs::path& folder) {
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error)) {
      if (at->path().filename().string().starts_with('.')) {
        if (at->is_directory(error)) at.disable_recursion_pending();
        continue;
      }
      if (at->is_regular_file(error)) paths.push_back(at->path());
      if (paths.size() > kMaxFiles)
        return wrong(folder.string(), fmt::format("more than {} files", kMaxFiles));
    }
    if (error) wrong(folder.string(), error.message());
    std::ranges::sort(paths);
    for (const fs::path& path : paths) read(path, false);
  }

  void read(const fs::path& path, bool by_name) {
    if (!read_.insert(path.lexically_normal()).second) return;
    const auto text = lab::file_text(path);
    if (!text) return found_.mistakes.push_back(text.error());
    const auto override_at = overrides_.find(path.lexically_normal());
    const bool overridden = override_at != overrides_.end();
    const auto hosts =
        overridden ? std::optional(override_at->second) : hosts_by_name(planned_, path);
    if (options_.trust_identical && hosts && hosts->size() == 1 &&
        take_identical(path, *text, hosts->front()))
      return;
    take(path, *text, overridden ? hosts : std::nullopt, by_name);
  }

  bool take_identical(const fs::path& path, const std::string& text, std::size_t number) {
    const HostConfig& config = planned_.host(number).config;
    const bool routes = path.extension() == ".routes";
    if (options_.only_lnetctl && routes) return false;
    if (text.empty() || text != (routes ? plan::routes_text(config) : plan::lnetctl_yaml(config)))
      return false;
    Actual actual;
    actual.file = path.string();
    actual.hosts = {number};
    actual.as_planned = actual.has_routes = true;
    actual.has_nets = !routes;
    found_.files.push_back(std::move(actual));
    return true;
  }

  void take(const fs::path& path, const std::string& text,
            const std::optional<std::vector<std::size_t>>& hosts, bool by_name) {
    const std::string name = path.string();
    const FileKind kind = kind_of(name, text);
    if (kind == FileKind::kOther || (options_.only_lnetctl && kind != FileKind::kLnetctl)) {
      if (by_name)
        wrong(name, "the file is neither lnetctl's YAML nor options of modprobe nor routes");
      else
        ++found_.others;
      return;
    }
    auto actual = read_actual(name, text, kind);
    if (!actual) {
      actual.error().file = name;
      return found_.mistakes.push_back(std::move(actual.error()));
    }
    // the file has no LNet configuration
    if (!actual->has_nets && !actual->has_routes && !actual->routing) {
      ++found_.others;
      return;
    }
    actual->hosts = hosts ? *hosts : hosts_of(planned_, path, *actual);
    actual->shared = actual->shared || actual->hosts.size() > 1;
    found_.files.push_back(std::move(*actual));
  }

  /// A file with nets and without routes covers routes as well, unless another file for the same
  /// hosts has them.
  void settle_parameters() {
    std::map<std::vector<std::size_t>, bool> routes;
    for (const Actual& file : found_.files)
      if (!file.parameters.empty()) routes[file.hosts] |= file.has_routes;
    for (Actual& file : found_.files)
      if (!file.parameters.empty() && file.has_nets && !routes[file.hosts]) file.has_routes = true;
  }

  const Planned& planned_;
  const ExistingFilesOptions& options_;
  ExistingFiles found_;
  std::map<fs::path, std::vector<std::size_t>> overrides_;
  std::set<fs::path> read_;
};

}  // namespace

std::vector<std::size_t> hosts_of(const Planned& planned, const fs::path& file,
                                  const Actual& actual) {
  if (auto hosts = hosts_by_name(planned, file)) return std::move(*hosts);
  return hosts_by_nids(planned, actual);
}

ExistingFiles read_existing(const Planned& planned, const ExistingFilesOptions& options) {
  return Reading(planned, options).run();
}

}  // namespace ulnet::tools::fgr
