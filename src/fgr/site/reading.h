// State that the parts of the site reader share.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fgr/plan/kinds.h"
#include "fgr/site/site_file.h"

namespace ulnet::tools::fgr {

inline constexpr std::uint32_t kMaxInGroup = 10'000;
inline constexpr double kSlowest = 0.001, kFastest = 100'000;  ///< gigabytes a second

class SiteReading {
 public:
  /// The arguments are those of read_site().
  SiteReading(conf::Problems& mistakes, SitePlaces* places, ForChecks for_checks)
      : mistakes_(mistakes), places_(places), lenient_(for_checks == ForChecks::kLeft) {}

  void read(const conf::YamlNode& root);
  plan::Site take() { return std::move(site_); }

 private:
  void wrong(const conf::YamlNode& at, std::string reason) {
    mistakes_.push_back({text::place_of(at), std::move(reason)});
  }
  void read_switches(const conf::YamlNode& switches);
  void read_file_system(const conf::YamlEntry& entry);
  void read_bandwidth(text::Fields& fields, const std::vector<plan::Kind>& kinds, double& out);
  void read_servers(text::Fields& fields, plan::FileSystem& system);
  void read_server(const conf::YamlNode& item, plan::FileSystem& system);
  void read_sonexion(text::Fields& fields, plan::FileSystem& system);
  void read_clients(const conf::YamlEntry& entry);
  void read_router(const conf::YamlNode& item, plan::ClientSystem& clients);
  void look_at_file_names(const conf::YamlNode& clients, const conf::YamlNode& systems);
  bool count(const conf::YamlNode& at, std::size_t hosts);
  void read_group_sizes(text::Fields& fields, plan::FileSystem& system);
  /// Reads {NAME: VALUE, ...} with names of client systems, which are looked up at the end.
  template <class Value, class Read>
  void read_by_client(const conf::YamlNode& map, std::map<std::string, Value>& out, Read&& read);
  void read_destinations(text::Fields& fields, plan::Router& router);
  std::optional<std::size_t> file_system(const conf::YamlNode& at, const std::string& name);
  void look_for_clients();
  void look_for_nids_on_fabric();
  void settle_groups();
  void note_place(const conf::YamlNode& at, const std::string& name);

  /// Reads `count` words; a list of one word means that all are equal. Returns nothing if the key
  /// is absent or wrong.
  std::vector<std::string> words(text::Fields& fields, std::string_view key, bool needed,
                                 std::size_t count);
  /// Reads `count` lists of addresses as words() reads words. Each value of a list, "[10.0.0.[1-4],
  /// 10.0.1.[1-4]]", is one word or several.
  std::vector<std::vector<plan::Address>> addresses(text::Fields& fields, std::size_t count);
  /// Parses a GUID. If the word is not a GUID, reports the mistake and returns 0.
  plan::Guid guid(const conf::YamlNode& at, std::string_view word);
  std::vector<plan::Guid> guids(text::Fields& fields, std::size_t count);
  std::optional<NetId> net(text::Fields& fields, bool of_servers);
  /// Parses a net. If the value is not a net, reports the mistake and returns nothing.
  std::optional<NetId> net_in(text::Fields& fields, const conf::YamlNode& value, bool of_servers);
  void read_net_among_servers(text::Fields& fields, plan::FileSystem& system);
  std::optional<double> bandwidth(const conf::YamlNode& value);
  /// Reads a number from `least` to `most`. Any other value is the mistake `wrong`: "no bandwidth".
  std::optional<double> number(const conf::YamlNode& value, double least, double most,
                               std::string_view wrong);
  void claim(std::set<std::string>& names, const conf::YamlNode& at, const std::string& name,
             std::string_view what);
  void claim_address(const conf::YamlNode& at, plan::Address address, const std::string& host);

  conf::Problems& mistakes_;
  SitePlaces* const places_;
  const bool lenient_;  ///< findings of the checks are not mistakes here
  plan::Site site_;
  std::size_t count_ = 0;  ///< routers and servers
  std::set<std::string> hosts_, client_nids_;
  std::map<plan::Address, std::string> address_owners_;
  std::set<plan::Guid> adapters_;
  std::map<std::string, conf::Place> router_places_;
  std::map<std::string, std::size_t, std::less<>> file_systems_;
  /// Client systems that the site names before it lists them.
  std::vector<std::pair<const conf::YamlNode*, std::string>> clients_named_;
};

}  // namespace ulnet::tools::fgr
