// Reads lnetctl's YAML: a text becomes the list of its items, in document order, each with its
// place. A wrong item is replaced by its problem, so that the caller can go on with the others.
// Source: spec/cli-lnetctl.md 5.
//
// The reader bounds the size and nesting of the text before the YAML library sees it
// (lnet/base/limits.h), and refuses a text that is not UTF-8. ulnetd reads its configuration file
// with it, and ulnetctl the input of `import`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "admin/conf/daemon_settings.h"
#include "lnet/config/interfaces.h"
#include "lnet/config/ip2nets.h"
#include "lnet/config/model.h"
#include "lnet/config/problem.h"
#include "lnet/config/selection.h"
#include "ulnet/result.hpp"

namespace ulnet::conf {

/// A setting of a section, with the place of its value.
template <class T>
struct Setting {
  std::string name;
  T value{};
  Place place;
};
using NumberSettings = std::vector<Setting<std::int64_t>>;

/// An item of `net:`. An NI in it may name both its interface and its NID
/// (lnet/config/interfaces.h, settle()).
struct NetEntry {
  NetItem item;  ///< no NIs: the net as a whole, which can be deleted but not added
  std::optional<std::int64_t> detail = {};  ///< the verbosity with which to show it
};
/// All rules of an `ip2nets:` section, because they are judged together.
struct Ip2NetsEntry {
  std::vector<Ip2NetsRule> rules;
};
/// An item of `route:`; admin/conf/route_entry.h says which routes it stands for.
struct RouteEntry {
  std::string net, gateway;                   ///< words, which may be patterns; `gateway` is a list
  std::optional<std::int64_t> hop, priority;  ///< the reader has checked them
  std::optional<std::int64_t> detail = {};    ///< the verbosity with which to show it
};
/// `routing:` and `buffers:`; the names of the values are enable, tiny, small and large.
struct RoutingEntry {
  bool buffers = false;
  NumberSettings values;
};
struct PeerEntry {
  std::string primary;
  bool multi_rail = true;
  std::vector<std::string> nids;
  bool lock_primary = false;  ///< ulnet's own key `lock_prim`
  /// False if traffic or discovery made the peer that an export shows. Traffic or discovery will
  /// make such a peer again.
  bool configured = true;
};
/// An item of `peers:`, the design document's form: all the NIDs of a peer. They replace the NIDs
/// that the peer has. Each of them can identify the peer; the primary NID of a new peer is the
/// first.
struct PeersEntry {
  std::vector<std::string> nids;
};
/// The named settings of `global:` and `numa:` (as numa_range), in order. Keys that only inform
/// (lnd_timeout) are left out.
struct GlobalEntry {
  NumberSettings values;
};
/// An item of `udsp:`. The reader has not checked its combination of criteria. An item without
/// criteria can only be deleted or shown by its index.
struct UdspEntry {
  std::optional<std::int64_t> idx;
  core::udsp::Rule rule;
};
/// An item of `selection:`, the design document's form of selection policies.
struct SelectionEntry {
  std::optional<std::int64_t> id;  ///< used only to delete or show the selection
  Selection selection;
};
/// `param:`, ulnet's own: module parameters by name (lnet/config/params.h).
struct ParamEntry {
  std::vector<Setting<std::string>> values;
};
/// `daemon:`, ulnet's own: how ulnetd serves its node.
struct DaemonEntry {
  DaemonSettings settings;
};
/// `statistics:`; only `import --show` uses it.
struct StatisticsEntry {};
/// `ping:` or `discover:`; only `import --exec` uses it.
struct ExecEntry {
  bool discover = false;
  std::vector<std::string> nids;
  std::optional<std::int64_t> timeout_s;
  std::optional<std::string> source;
  bool force = false;
};

struct Item {
  Place place;
  std::string section;  ///< the top-level key
  std::variant<Problem, NetEntry, Ip2NetsEntry, RouteEntry, RoutingEntry, PeerEntry, PeersEntry,
               GlobalEntry, UdspEntry, SelectionEntry, ParamEntry, DaemonEntry, StatisticsEntry,
               ExecEntry>
      what;
  /// The caller's number of the item, which errors repeat.
  std::optional<std::int64_t> seq_no = {};
};

struct Document {
  std::vector<Item> items;
  Problems notes;
};

/// Reads a text. -EINVAL: the text is not a YAML mapping, not UTF-8 or nested too deep; -E2BIG: it
/// is too long. An empty text is an empty document. Only the keys with which exports show a node's
/// state are ignored without a note. An unknown key is a problem, or a note if it cannot change the
/// meaning of an item. A key that occurs twice in a mapping is a problem; a section that occurs
/// twice is a note.
Parsed<Document> read_yaml(std::string_view text);

}  // namespace ulnet::conf
