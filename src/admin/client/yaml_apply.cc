#include "admin/client/yaml_apply.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "admin/client/batch.h"
#include "admin/client/peer_lists.h"
#include "admin/client/tree_fields.h"
#include "admin/client/verbosity.h"
#include "admin/conf/route_entry.h"
#include "lnet/config/params.h"

namespace ulnet::ctl {

namespace change = conf::change;

namespace {

constexpr int kShowLevel = 4;
constexpr std::size_t kNidsMax = 1024;

const char* operation_of(ImportMode mode) {
  if (mode == ImportMode::kDel) return "del";
  return mode == ImportMode::kShow ? "show" : "add";
}

/// A requested change. Its result is known at once if it was refused; otherwise the batch has its
/// answer.
struct Asked {
  std::optional<Error> refused;
  std::size_t index = 0;
};

using Answers = std::span<const BatchAnswer>;
BatchAnswer answer_to(const Asked& asked, Answers answers) {
  if (asked.refused) return {tl::unexpected(*asked.refused), {}};
  return answers[asked.index];
}

/// Returns one answer for several changes that are reported as one: the first error, if any failed.
BatchAnswer answer_to(std::span<const Asked> all, Answers answers) {
  for (const Asked& asked : all)
    if (BatchAnswer one = answer_to(asked, answers); !one.result) return one;
  return {};
}

/// Finishes an item once the batch is answered. Returns whether the item succeeded.
using Finish = std::function<bool(Answers answers)>;

/// Takes items, with an overload for each kind, and puts their changes into a batch. An item that
/// only shows or executes something does so when it is finished, so that reports keep the order of
/// the document.
class Apply {
 public:
  Apply(LnetConfig& lnet, ImportMode mode, std::span<const conf::LocalInterface> interfaces,
        const HostResolver& resolve, const ImportSink& sink)
      : lnet_(lnet), mode_(mode), interfaces_(interfaces), resolve_(resolve), sink_(sink) {}

  Finish take(const conf::Item& item) {
    place_ = item.place;
    const bool runs = std::holds_alternative<conf::ExecEntry>(item.what) ||
                      std::holds_alternative<conf::Problem>(item.what);
    if (mode_ == ImportMode::kExec && !runs) return nothing();
    return std::visit([this](const auto& what) { return (*this)(what); }, item.what);
  }
  /// Finishes an item and reports its outcome. `finish` is the result of take().
  bool report(const conf::Item& item, const Finish& finish, Answers answers) {
    seq_no_ = item.seq_no;
    return finish(answers);
  }
  const Batch& batch() const { return batch_; }
  bool failed(std::string_view entity, const Error& error, conf::Place place = {},
              const std::string& hint = {}) const {
    sink_.error(operation_of(mode_), entity, {place, error.reason, error.code, seq_no_, {}, hint});
    return false;
  }

  Finish operator()(const conf::Problem& problem) {
    return [this, problem](Answers) {
      return failed("import", {problem.code, problem.reason}, problem.place);
    };
  }

  Finish operator()(const conf::NetEntry& entry) {
    const conf::NetItem& net = entry.item;
    if (mode_ == ImportMode::kShow)
      return [this, name = net.net.to_string(), detail = entry.detail](Answers) {
        return show("net", lnet_.show_net(name), detail);
      };
    // lo is always there; exports show it.
    if (net.net == NetId::loopback()) return nothing();
    return net_result(net, mode_ == ImportMode::kAdd ? add_net(net) : del_net(net));
  }

  Finish operator()(const conf::Ip2NetsEntry& entry) {
    if (mode_ == ImportMode::kDel)
      return note("Ignoring 'ip2nets': 'net' items delete NIs, by net or by interface");
    if (mode_ != ImportMode::kAdd) return nothing();
    const auto nets = conf::apply_ip2nets(entry.rules, interfaces_);
    if (!nets) return (*this)(conf::Problem{place_, nets.error().reason, nets.error().code});
    std::vector<Finish> all;
    for (const conf::NetItem& net : *nets) all.push_back(net_result(net, add_net(net)));
    return every(std::move(all));
  }

  Finish operator()(const conf::GlobalEntry& entry) {
    if (mode_ == ImportMode::kShow)
      return [this](Answers) { return show("global", lnet_.show_globals()); };
    std::vector<Finish> all;
    for (const auto& [name, wanted, place] : entry.values) {
      const conf::GlobalSetting* setting = conf::find_global(name);
      const std::int64_t value =
          mode_ == ImportMode::kDel && setting != nullptr ? setting->initial : wanted;
      all.push_back(
          result_of(name, ask(changes_.change(change::SetGlobals{{{name, value}}})), place));
    }
    return every(std::move(all));
  }

  Finish operator()(const conf::ParamEntry& entry) {
    if (mode_ == ImportMode::kShow)
      return [this](Answers) { return show("param", lnet_.show_params()); };
    const auto now = lnet_.show_params();
    if (!now) return [this, error = now.error()](Answers) { return failed("param", error); };
    std::vector<Finish> all;
    for (const auto& [name, wanted, place] : entry.values) {
      const conf::Param* param = conf::find_param(name);
      const auto value = mode_ == ImportMode::kDel && param != nullptr
                             ? Result<std::string>(std::string(param->initial))
                             : conf::check_param(name, wanted);
      if (!value) {
        all.push_back(result_of("param", {value.error()}, place));
        continue;
      }
      // Does not set a value that is already in force, because a file may repeat the parameters
      // with which the node was started. A global is always set: an earlier change of the batch may
      // change its value.
      const bool already = param->global.empty() &&
                           text_in(field_in(field_in(*now, "param"), name), "value") == *value;
      const bool leave = mode_ == ImportMode::kDel && param->start_only;
      if (already || leave) continue;
      all.push_back(
          result_of("param", ask(changes_.change(change::SetParams{{{name, *value}}})), place));
    }
    return every(std::move(all));
  }

  Finish operator()(const conf::PeerEntry& entry) {
    if (mode_ == ImportMode::kShow) return [this, entry](Answers) { return show_peer(entry); };
    if (mode_ == ImportMode::kDel) return del_peer(entry);
    return entry.configured ? add_peer(entry) : nothing();
  }
  Finish operator()(const conf::PeersEntry& entry) {
    const auto nids = listed_nids(entry.nids);
    if (!nids) return result_of("peer", {nids.error()}, place_);
    if (mode_ == ImportMode::kShow)
      return [this, nid = nids->front()](Answers) { return show("peer", lnet_.show_peer(nid)); };
    if (!known_peers_) known_peers_ = lnet_.show_peer(std::nullopt);
    const Result<Tree>& known = *known_peers_;
    if (!known) return result_of("peer", {known.error()}, place_);
    const bool add = mode_ == ImportMode::kAdd;
    return change_listed(add ? replacing(*known, *nids) : deleting(*known, *nids));
  }
  Finish operator()(const conf::RouteEntry& entry) {
    if (mode_ == ImportMode::kShow) return [this, entry](Answers) { return show_routes_of(entry); };
    const bool add = mode_ == ImportMode::kAdd;
    const auto request = add ? api::request_to_add(entry) : api::request_to_delete(entry);
    return result_of("import", ask(changes_.make(request)), place_);
  }
  /// Deletes the section: no routing, and the default numbers of buffers.
  Finish operator()(const conf::RoutingEntry& entry) {
    if (mode_ == ImportMode::kShow)
      return [this](Answers) { return show("routing", lnet_.show_routing()); };
    change::SetRouting set;
    for (const auto& [name, value, place] : entry.values) {
      const std::int64_t wanted = mode_ == ImportMode::kDel ? 0 : value;
      const auto pool =
          std::ranges::find(api::kPools, std::string_view(name)) - api::kPools.begin();
      // Exports show the state of a router that starts or stops as 2 and 3, and lnetctl takes any
      // number. Such values request nothing.
      if (name != "enable")
        set.buffers[static_cast<std::size_t>(pool)] = wanted;
      else if (value == 0 || value == 1)
        set.on = wanted == 1;
    }
    if (!set.on && std::ranges::none_of(set.buffers, [](auto& count) { return count.has_value(); }))
      return nothing();
    return result_of("import", ask(changes_.change(set)), place_);
  }
  Finish operator()(const conf::UdspEntry& entry) {
    if (mode_ == ImportMode::kShow)
      return [this, idx = entry.idx](Answers) { return show("udsp", lnet_.show_udsp(idx)); };
    if (mode_ == ImportMode::kAdd)  // at the end of the list, so in the order of the file
      return added_policy("udsp", ask(changes_.change(change::AddPolicy{entry.rule})));
    if (!entry.idx)
      return result_of("udsp", {Error{-EINVAL, "no value specified for key 'idx'"}}, place_);
    return del_udsp(*entry.idx);
  }

  Finish operator()(const conf::SelectionEntry& entry) {
    const conf::Selection& selection = entry.selection;
    if (mode_ == ImportMode::kShow)
      return [this, entry](Answers) {
        return show("selection", lnet_.show_selection(entry.selection, entry.id));
      };
    if (mode_ == ImportMode::kAdd)
      return added_policy("selection", ask(changes_.change(change::AddSelection{selection})));
    return result_of("selection", ask(changes_.change(change::DelSelection{selection, entry.id})),
                     place_);
  }

  /// Only ulnetd reads this section, when it starts; the running node does not use it.
  Finish operator()(const conf::DaemonEntry&) {
    if (mode_ != ImportMode::kAdd) return nothing();
    return note("Ignoring 'daemon': ulnetd reads it when it starts");
  }

  Finish operator()(const conf::StatisticsEntry&) {
    if (mode_ != ImportMode::kShow) return nothing();
    return [this](Answers) { return show("statistics", lnet_.show_stats()); };
  }

  Finish operator()(const conf::ExecEntry& entry) {
    if (mode_ != ImportMode::kExec) return nothing();
    return [this, entry](Answers) { return entry.discover ? discover(entry) : ping(entry); };
  }

 private:
  static Finish nothing() {
    return [](Answers) { return true; };
  }
  Finish note(const char* text) {
    return [this, note = conf::note(place_, text)](Answers) {
      sink_.note(note);
      return true;
    };
  }
  /// Finishes all of them, even after one has failed.
  static Finish every(std::vector<Finish> all) {
    return [all = std::move(all)](Answers answers) {
      bool good = true;
      for (const Finish& one : all) good &= one(answers);
      return good;
    };
  }
  /// The state of a change that was just requested on `changes_`.
  Asked ask(const Result<void>& made) const {
    if (!made) return {made.error()};
    return {std::nullopt, batch_.size() - 1};
  }
  Finish result_of(std::string entity, Asked asked, conf::Place place) {
    return [this, entity = std::move(entity), asked = std::move(asked), place](Answers answers) {
      const BatchAnswer answer = answer_to(asked, answers);
      return answer.result || failed(entity, answer.result.error(), place, answer.hint);
    };
  }
  Finish add_peer(const conf::PeerEntry& entry) {
    const auto primary = primary_nid(entry.primary);
    if (!primary) return result_of("peer", {primary.error()}, place_);
    auto nids =
        entry.nids.empty() ? Result<std::vector<Nid>>(std::vector<Nid>()) : peer_nids(entry.nids);
    if (!nids) return result_of("peer", {nids.error()}, place_);
    std::erase(*nids, *primary);
    return result_of("peer",
                     ask(changes_.change(change::AddPeer{.primary = *primary,
                                                         .nids = *std::move(nids),
                                                         .multi_rail = entry.multi_rail,
                                                         .lock_primary = entry.lock_primary})),
                     place_);
  }

  /// Reports each change that failed as an error with the number of its NID.
  Finish change_listed(const std::vector<PeerListChange>& changes) {
    std::vector<Finish> all;
    for (const PeerListChange& listed : changes) {
      Asked asked{listed.refused};
      if (!listed.refused)
        asked = ask(listed.del ? changes_.change(change::DelPeer{listed.primary, listed.nids})
                               : changes_.change(change::AddPeer{listed.primary, listed.nids}));
      all.push_back([this, number = listed.number, asked = std::move(asked),
                     place = place_](Answers answers) {
        const BatchAnswer answer = answer_to(asked, answers);
        return answer.result ||
               failed("peer", about_nid(number, answer.result.error()), place, answer.hint);
      });
    }
    return every(std::move(all));
  }

  /// Deletes a peer. The YAML may be an export, which also lists peers that traffic or discovery
  /// made. If such a peer no longer exists, the deletion succeeds.
  Finish del_peer(const conf::PeerEntry& entry) {
    const auto primary = primary_nid(entry.primary);
    if (!primary) return result_of("peer", {primary.error()}, place_);
    const auto nids =
        entry.nids.empty() ? Result<std::vector<Nid>>(std::vector<Nid>()) : peer_nids(entry.nids);
    if (!nids) return result_of("peer", {nids.error()}, place_);
    const Asked asked = ask(changes_.change(change::DelPeer{*primary, *nids}));
    return [this, asked, traffic = !entry.configured](Answers answers) {
      const BatchAnswer gone = answer_to(asked, answers);
      if (gone.result || (gone.result.error().code == -ENOENT && traffic)) return true;
      return failed("peer", gone.result.error(), {}, gone.hint);
    };
  }
  /// Finishes an added policy. Reports nothing if the list already had it (spec/multirail.md 10.2).
  Finish added_policy(std::string entity, Asked asked) {
    return
        [this, entity = std::move(entity), asked = std::move(asked), place = place_](Answers all) {
          const BatchAnswer added = answer_to(asked, all);
          if (added.result || added.result.error().code == -EALREADY) return true;
          return failed(entity, added.result.error(), place, added.hint);
        };
  }
  /// Deletes a rule by its index. The file numbers the rules as they were before this import, and
  /// each deleted rule moves the rules behind it. The length of the list is not needed: an index
  /// beyond its end remains beyond its end, even though smaller indices beyond the end count as
  /// deleted.
  Finish del_udsp(std::int64_t idx) {
    const Error none{-ENOENT, "there is no rule " + std::to_string(idx)};
    if (idx < 0 || std::ranges::count(gone_udsps_, idx) != 0)
      return result_of("udsp", {none}, place_);
    const auto moved = std::ranges::count_if(gone_udsps_, [&](auto gone) { return gone < idx; });
    gone_udsps_.push_back(idx);
    const Asked asked = ask(changes_.change(change::DelPolicy{idx - moved}));
    return [this, asked, none, place = place_](Answers answers) {
      const BatchAnswer gone = answer_to(asked, answers);
      if (gone.result) return true;
      // The node's error names the place to which the rule would have moved.
      const bool is_none = gone.result.error().code == none.code;
      return failed("udsp", is_none ? none : gone.result.error(), place, gone.hint);
    };
  }
  /// Shows the routes to the item's net by its gateways.
  bool show_routes_of(const conf::RouteEntry& entry) {
    const auto wanted = conf::routes_of(entry);
    if (!wanted) return failed("route", wanted.error());
    auto all = lnet_.show_route();
    if (!all) return failed("route", all.error());
    std::set<std::pair<std::string, std::string>> names;
    for (const conf::RouteItem& route : *wanted)
      names.emplace(route.net.to_string(), route.gateway.to_string());
    Tree routes = Tree::array();
    for (const Tree& route : list_in(*all, "route"))
      if (names.contains(std::pair(text_in(route, "net"), text_in(route, "gateway"))))
        routes.push_back(route);
    if (routes.empty()) return failed("route", {-ENOENT, "no such route"});
    return show("route", Tree{{"route", std::move(routes)}});
  }
  bool show_peer(const conf::PeerEntry& entry) {
    const auto nid = Nid::parse(entry.primary);
    if (!nid) return failed("peer", nid.error());
    return show("peer", lnet_.show_peer(*nid));
  }
  bool show(const char* section, const Result<Tree>& tree,
            std::optional<std::int64_t> detail = {}) {
    if (!tree) return failed(section, tree.error());
    const std::string_view name = section;
    const int level = static_cast<int>(std::clamp<std::int64_t>(detail.value_or(kShowLevel), 0, 5));
    sink_.shown(section, name == "net" || name == "peer" ? at_verbosity(*tree, level) : *tree);
    return true;
  }
  bool manage_failed(std::string_view what, const Error& error) const {
    sink_.error("manage", what, {{}, error.reason, error.code, seq_no_});
    return false;
  }
  bool discover(const conf::ExecEntry& entry) {
    const auto named = check_nets_named(entry.nids);
    if (!named) return manage_failed("discover", named.error());
    const auto nids = nids_of_words(entry.nids, kNidsMax, resolve_);
    if (!nids) return manage_failed("discover", nids.error());
    const auto result = lnet_.discover_nid(*nids, entry.force);
    if (!result) return manage_failed("discover", result.error());
    sink_.pinged(*result);
    return result->failed.empty();
  }
  bool ping(const conf::ExecEntry& entry) {
    const auto nids = nids_of_words(entry.nids, kNidsMax, resolve_);
    if (!nids) return manage_failed("ping", nids.error());
    std::optional<Nid> source;
    if (entry.source) {
      const auto parsed = Nid::parse(*entry.source);
      if (!parsed) return manage_failed("ping", parsed.error());
      source = *parsed;
    }
    const auto result =
        lnet_.ping_nid(*nids, source, entry.timeout_s ? ping_timeout_ms(*entry.timeout_s) : 1000);
    if (!result) return manage_failed("ping", result.error());
    sink_.pinged(*result);
    return result->failed.empty();
  }

  /// Finishes a net. lnetctl reports a failed net twice: once with the node's error, once with the
  /// item.
  Finish net_result(const conf::NetItem& net, std::vector<Asked> all) {
    return [this, all = std::move(all), name = net.net.to_string(), place = place_](Answers from) {
      const BatchAnswer answer = answer_to(all, from);
      if (answer.result) return true;
      failed("net", answer.result.error(), {}, answer.hint);
      return failed("import", {-EINVAL, "Failed to configure NI on net '" + name + "' rc = -22"},
                    place);
    };
  }

  /// Adds every NI, even after one has failed.
  std::vector<Asked> add_net(const conf::NetItem& net) {
    if (net.nis.empty())
      return {{Error{-EINVAL, "creating a local NI needs at least one interface"}}};
    std::vector<Asked> all;
    for (const conf::NiItem& ni : net.nis)
      all.push_back(ask(changes_.change(change::AddNi{net.net, conf::settle(ni, interfaces_)})));
    return all;
  }
  std::vector<Asked> del_net(const conf::NetItem& net) {
    if (net.nis.empty()) return {ask(changes_.change(change::DelNi{net.net}))};
    std::vector<Asked> all;
    for (const conf::NiItem& ni : net.nis)
      all.push_back(ask(changes_.change(ni.nid ? change::DelNi{.nid = ni.nid}
                                               : change::DelNi{net.net, ni.interface})));
    return all;
  }

  LnetConfig& lnet_;
  Batch batch_;
  LnetConfig changes_{batch_};  // calls on it are collected in the batch
  ImportMode mode_;
  std::span<const conf::LocalInterface> interfaces_;
  const HostResolver& resolve_;
  const ImportSink& sink_;
  conf::Place place_;                        // the place of the current item
  std::optional<std::int64_t> seq_no_;       // the number of the item that is being reported
  std::optional<Result<Tree>> known_peers_;  // the node's peers before this import
  std::vector<std::int64_t> gone_udsps_;     // the rules deleted so far, as the file numbers them
};

/// Whether the changes of this item are requested before those of other items. When rules are
/// deleted, an index names a rule, and deleting a `selection:` before it would move the rule.
/// Deleting the net of a route's gateway would delete the route. A peer must be added before it
/// becomes a gateway, because it cannot be added afterwards.
bool comes_first(const conf::Item& item, ImportMode mode) {
  if (mode == ImportMode::kAdd) return std::holds_alternative<conf::PeerEntry>(item.what);
  return mode == ImportMode::kDel && (std::holds_alternative<conf::UdspEntry>(item.what) ||
                                      std::holds_alternative<conf::RouteEntry>(item.what));
}

}  // namespace

bool yaml_apply(LnetConfig& lnet, const conf::Document& document, ImportMode mode,
                std::span<const conf::LocalInterface> interfaces, const HostResolver& resolve,
                const ImportSink& sink) {
  for (const conf::Problem& note : document.notes) sink.note(note);
  Apply apply(lnet, mode, interfaces, resolve, sink);
  std::vector<Finish> items(document.items.size());
  for (const bool first : {true, false})
    for (std::size_t i = 0; i < items.size(); ++i)
      if (comes_first(document.items[i], mode) == first) items[i] = apply.take(document.items[i]);
  const auto answers = apply.batch().send(lnet.api());
  if (!answers) return apply.failed("import", answers.error());
  bool good = true;
  for (std::size_t i = 0; i < items.size(); ++i)
    good &= apply.report(document.items[i], items[i], *answers);
  return good;
}

}  // namespace ulnet::ctl
