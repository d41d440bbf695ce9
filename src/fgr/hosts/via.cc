#include "fgr/hosts/via.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

#include "fgr/site/site_file.h"
#include "lnet/base/nearest_word.h"
#include "lnet/base/text.h"

namespace ulnet::tools::fgr {
namespace {

constexpr std::string_view kHost = "{host}";
constexpr std::string_view kSsh = "ssh:", kControlSocket = "door:", kLocal = "local";
constexpr std::size_t kMaxClients = 100'000;

std::string with_host(std::string text, const std::string& name) {
  for (std::size_t at = text.find(kHost); at != std::string::npos;
       at = text.find(kHost, at + name.size()))
    text.replace(at, kHost.size(), name);
  return text;
}

/// Returns the host of the site whose name is a machine's name, with or without its domain.
std::optional<std::size_t> named(const plan::VerifyChecks& checks, std::string machine) {
  machine = machine.substr(machine.find('@') + 1);
  if (auto found = checks.find(machine)) return found;
  return checks.find(machine.substr(0, machine.find('.')));
}

std::string this_machine() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// "local", "ssh:[USER@]HOST", "door:PATH", each with or without "NAME=" before it, or with {host}
/// in it. -EINVAL with the reason.
struct ViaWord {
  std::string name;  ///< name of the host; empty: not given
  Via via;
  bool pattern = false;  ///< the word contains {host} and stands for all hosts
};

Result<ViaWord> parse_via(std::string_view word) {
  ViaWord via;
  const std::size_t equals = word.find('='), colon = word.find(':');
  std::string_view way = word;
  if (equals != std::string_view::npos && (colon == std::string_view::npos || equals < colon)) {
    via.name = word.substr(0, equals);
    way = word.substr(equals + 1);
    if (via.name.empty()) return fail(-EINVAL, "--via: a host's name is missing before '='");
  }
  if (way.starts_with(kSsh)) {
    via.via = {Via::Way::kSsh, std::string(way.substr(kSsh.size()))};
    // ssh would take a word that begins with '-' for an option.
    if (via.via.place.starts_with('-'))
      return fail(-EINVAL, fmt::format("--via: {} is not a machine", text::quoted(via.via.place)));
  } else if (way.starts_with(kControlSocket)) {
    via.via = {Via::Way::kControlSocket, std::string(way.substr(kControlSocket.size()))};
  } else if (way != kLocal) {
    return fail(-EINVAL, fmt::format("--via: {} is not local, ssh:[USER@]HOST or door:PATH",
                                     text::quoted(word)));
  }
  if (way != kLocal && via.via.place.empty())
    return fail(-EINVAL, fmt::format("--via: nothing behind the colon of {}", text::quoted(word)));
  via.pattern = via.via.place.find(kHost) != std::string::npos;
  if (via.pattern && !via.name.empty())
    return fail(-EINVAL, fmt::format("--via: {} names one host, and {{host}} means all hosts",
                                     text::quoted(word)));
  return via;
}

Result<void> add(const ViaWord& word, const plan::VerifyChecks& checks, std::vector<ViaHost>& hosts,
                 std::set<std::size_t>& taken) {
  ViaHost one{word.via, {}};
  if (!word.name.empty()) {
    one.host = checks.find(word.name);
    if (!one.host) {
      std::vector<std::string_view> names;
      for (const auto& host : checks.hosts) names.emplace_back(host.name);
      return fail(-ENOENT,
                  fmt::format("--via: the site has no host {}. {}", text::quoted(word.name),
                              text::did_you_mean(word.name, names)));
    }
  } else if (word.via.way != Via::Way::kControlSocket) {
    one.host = named(checks, word.via.way == Via::Way::kSsh ? word.via.place : this_machine());
  }
  if (one.host && !taken.insert(*one.host).second)
    return fail(-EEXIST, fmt::format("--via: {} is there twice", checks.hosts[*one.host].name));
  hosts.push_back(std::move(one));
  return {};
}

}  // namespace

Result<std::vector<ViaHost>> hosts_of(const std::vector<std::string>& words,
                                      const plan::VerifyChecks& checks) {
  std::vector<ViaHost> hosts;
  std::set<std::size_t> taken;
  std::vector<ViaWord> patterns;
  for (const std::string& text : words) {
    auto word = parse_via(text);
    if (!word) return tl::unexpected(word.error());
    if (word->pattern)
      patterns.push_back(std::move(*word));
    else if (auto added = add(*word, checks, hosts, taken); !added)
      return tl::unexpected(added.error());
  }
  if (patterns.size() > 1) return fail(-EINVAL, "--via: only one --via may contain {host}");
  for (const ViaWord& pattern : patterns)
    for (std::size_t i = 0; i < checks.hosts.size(); ++i)
      if (!taken.contains(i))
        hosts.push_back({{pattern.via.way, with_host(pattern.via.place, checks.hosts[i].name)}, i});
  if (hosts.empty()) return fail(-EINVAL, "--via is missing: it gives the way to the hosts");
  return hosts;
}

Result<std::vector<plan::NamedClient>> clients_of(const std::vector<std::string>& words,
                                                  const plan::Plan& plan) {
  std::vector<plan::NamedClient> clients;
  std::set<std::string> taken;
  for (const plan::HostConfig& config : plan::host_configs(plan)) taken.insert(config.host);
  for (const std::string& word : words) {
    const std::size_t slash = word.find('/');
    const std::string system = slash == std::string::npos ? "" : word.substr(0, slash);
    std::size_t number = 0;
    const auto& systems = plan.site.clients;
    if (slash != std::string::npos)
      number = static_cast<std::size_t>(
          std::ranges::find(systems, system, &plan::ClientSystem::name) - systems.begin());
    else if (systems.size() > 1)
      return fail(-ENOENT,
                  fmt::format("--client {}: the site has several client systems: write SYSTEM/NAME",
                              text::quoted(word)));
    if (number >= systems.size())
      return fail(-ENOENT, fmt::format("--client {}: the site has no clients {}",
                                       text::quoted(word), text::quoted(system)));
    const auto names = expand_word(std::string_view(word).substr(slash + 1), kMaxClients);
    if (!names) return fail(names.error().code, "--client: " + names.error().reason);
    for (const std::string& name : *names) {
      if (name.empty() || !taken.insert(name).second)
        return fail(-EEXIST,
                    fmt::format("--client: {} is already the name of a host", text::quoted(name)));
      clients.push_back({name, number});
    }
  }
  return clients;
}

}  // namespace ulnet::tools::fgr
