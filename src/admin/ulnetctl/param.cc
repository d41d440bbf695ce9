// param show, set: the module parameters of a running node. ulnet's own commands; the registry is
// lnet/config/params.h.
#include <nlohmann/json.hpp>

#include "admin/client/tree_fields.h"
#include "admin/ulnetctl/command.h"
#include "lnet/config/params.h"

namespace ulnet::tools {

namespace {

/// Prints a hint that names the parameters with less effect than their name suggests.
void hint_of_warnings(Session& session, const Words& names) {
  std::string warned;
  for (const std::string& name : names) {
    const conf::Param* param = conf::find_param(name);
    if (param != nullptr && !param->warning.empty()) warned += (warned.empty() ? "" : ", ") + name;
  }
  if (!warned.empty())
    session.hint("without effect, or with part of it only ('param show -v' says why): " + warned);
}

int param_show(Session& session, const Command& self, Words words) {
  const Arguments args = arguments_of(session, self, words,
                                      {{"verbose", 'v', Option::kLevelLoose}, kJson}, Rest::kWords);
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kShow);
  const auto all = lnet.show_params();
  if (!all) return session.failed("show", "param", all.error());
  const bool json = args.has("json") || session.json();
  const bool everything = json || args.level("verbose") > 0;
  Words names = args.rest();
  if (names.empty()) {
    for (const auto& [name, info] : ctl::field_in(*all, "param").items()) names.push_back(name);
  }
  ctl::Tree shown = ctl::Tree::object();
  for (const std::string& name : names) {
    const ctl::Tree& info = ctl::field_in(ctl::field_in(*all, "param"), name);
    if (info.is_null())
      return session.failed("show", "param", {-ENOENT, "no parameter '" + name + "'"});
    if (everything)
      shown[name] = info;
    else
      shown[name] = ctl::text_in(info, "value");
  }
  session.show({{"param", std::move(shown)}}, json);
  if (!everything) hint_of_warnings(session, names);
  return 0;
}

int set_one(Session& session, const std::string& name, const std::string& value) {
  const auto checked = conf::check_param(name, value);
  if (!checked) return session.failed("set", "param", checked.error());
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  if (auto set = lnet.change(conf::change::SetParams{{{name, *checked}}}); !set)
    return session.failed("set", "param", set.error());
  const conf::Param* param = conf::find_param(name);
  if (!param->warning.empty() && *checked != param->initial)
    session.hint(name + " " + std::string(param->warning));
  return 0;
}

/// Takes NAME VALUE, or any number of NAME=VALUE.
int param_set(Session& session, const Command& self, Words words) {
  words.erase(words.begin());
  if (words.empty()) return print_help(session, self), -EINVAL;
  if (words.size() == 2 && words[0].find('=') == std::string::npos)
    return set_one(session, words[0], words[1]);
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return print_help(session, self), -EINVAL;
    if (const int code = set_one(session, word.substr(0, equals), word.substr(equals + 1));
        code != 0)
      return code;
  }
  return 0;
}

constexpr Command kOfParams[] = {
    {"show",
     "param show: show module parameters\n"
     "\tNAME ...: only these\n"
     "\t--verbose: also defaults, what they mean, which count only at start, and which have no\n"
     "\t           effect, or not yet\n"
     "\t--json: as JSON\n",
     &param_show, kUlnetOnly},
    {"set",
     "param set: change module parameters of the running node\n"
     "\tNAME VALUE: one parameter\n"
     "\tNAME=VALUE ...: several\n",
     &param_set, kUlnetOnly},
};

}  // namespace

const std::span<const Command> kParamCommands = kOfParams;

}  // namespace ulnet::tools
