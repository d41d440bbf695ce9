#include "conf/module_params.h"

#include <algorithm>
#include <array>

#include "base/limits.h"
#include "conf/modparams.h"
#include "conf/modprobe.h"
#include "conf/param_words.h"
#include "conf/params.h"
#include "conf/routes.h"
#include "conf/yaml_in.h"

namespace ulnet::conf {

namespace {

constexpr auto kModules =
    std::to_array<std::string_view>({"lnet", "ksocklnd", "libcfs", "lnet_selftest"});

bool is_lnets(std::string_view module) {
  return std::ranges::any_of(kModules,
                             [&](std::string_view name) { return is_module(module, name); });
}

/// The value with one blank for each stretch of them, but line ends as they are: what it was
/// written over several lines, or commented with, does not count against its length.
std::string without_stretches(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

/// What is wrong with the text of a parameter that has a form of its own.
Parsed<void> check_form(const PlainText& in, const ModuleParam& param) {
  std::optional<Problem> wrong;
  const auto note = [&](const auto& read) {
    if (!read) wrong = read.error();
  };
  if (param.value.find_first_not_of(kBlanks) == std::string_view::npos) return {};
  if (param.name == "networks") note(read_networks(in, param.value));
  if (param.name == "ip2nets") note(read_ip2nets(in, param.value));
  if (param.name == "routes") {
    const auto rules = read_routes(in, param.value);
    note(rules);
    if (rules) note(routes_of(in, *rules));
  }
  if (wrong) return tl::unexpected(std::move(*wrong));
  return {};
}

}  // namespace

tl::expected<std::map<std::string, std::string>, std::vector<Problem>> module_params(
    std::string_view text) {
  std::vector<Problem> problems;
  if (text.size() > limits::kConfigTextMax)
    problems.push_back({{}, -E2BIG, "the text is longer than 16 MiB"});
  else if (!is_utf8(text))
    problems.push_back({{}, -EINVAL, "the text is not UTF-8"});
  if (!problems.empty()) return tl::unexpected(std::move(problems));
  const PlainText in(text);
  const auto given = read_modprobe(in);
  if (!given) return tl::unexpected(std::vector{given.error()});
  std::map<std::string, std::string> params;
  for (const ModuleParam& param : *given) {
    if (!is_lnets(param.module)) continue;
    const Param* const known = find_param(param.name);
    if (known == nullptr) {
      problems.push_back(
          {in.place_of(param.name), -ENOENT, "no parameter " + quoted_word(param.name)});
      continue;
    }
    const auto value = check_param(*known, without_stretches(param.value));
    const auto form = check_form(in, param);
    if (!value)
      problems.push_back({in.place_of(param.value), value.error().code, value.error().reason});
    else if (!form)
      problems.push_back(form.error());
    else
      params.insert_or_assign(std::string(known->name), *value);
  }
  if (!problems.empty()) return tl::unexpected(std::move(problems));
  return params;
}

}  // namespace ulnet::conf
