#include "admin/conf/module_params.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "admin/conf/modprobe.h"
#include "admin/conf/yaml_in.h"
#include "lnet/base/limits.h"
#include "lnet/base/nearest_word.h"
#include "lnet/base/text.h"
#include "lnet/config/modparams.h"
#include "lnet/config/param_words.h"
#include "lnet/config/params.h"
#include "lnet/config/routes.h"

namespace ulnet::conf {

namespace {

/// Parameters that Lustre's modules have or had, and that have no effect on ulnet.
constexpr auto kWithoutEffect = std::to_array<std::string_view>(
    {"backoff_init", "backoff_max", "config_on_load", "enable_sysctl_setup", "irq_affinity",
     "libcfs_console_backoff", "libcfs_console_max_delay", "libcfs_console_min_delay",
     "libcfs_console_ratelimit", "libcfs_debug", "libcfs_debug_file_path", "libcfs_debug_mb",
     "libcfs_panic_in_progress", "libcfs_panic_on_lbug", "libcfs_printk", "libcfs_subsystem_debug",
     "libcfs_watchdog_ratelimit"});

/// Returns a name as modprobe compares it: '-' is the same as '_'.
std::string with_underscores(std::string_view name) {
  std::string made(name);
  std::ranges::replace(made, '-', '_');
  return made;
}

/// Returns a number as the kernel reads it, in decimal: 0x10 and 020 are 16.
std::string decimal(std::string_view value) {
  std::string_view digits = value;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits.starts_with('0')) {
    base = 8;
    digits.remove_prefix(1);
  }
  std::int64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, number, base);
  if (base == 10 || error != std::errc{} || rest != end || number < 0) return std::string(value);
  return (negative ? "-" : "") + std::to_string(number);
}

/// Returns the value with each sequence of blanks replaced by one blank; line ends stay.
/// Indentation and comments in the file then do not count towards the value's length.
std::string collapse_blanks(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

/// Makes the note about a parameter that does not exist in ulnet.
std::string passed_over(const std::string& name) {
  const std::string said = "parameter " + quoted_word(name);
  if (std::ranges::find(kWithoutEffect, name) != kWithoutEffect.end())
    return said + " has no effect in ulnet";
  std::vector<std::string_view> known;
  for (const Param& param : all_params()) known.push_back(param.name);
  return said + " is unknown and ignored" + text::did_you_mean(name, known);
}

/// Checks the text of a parameter that has its own syntax.
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

tl::expected<ModuleParams, Problems> module_params(std::string_view text) {
  Problems problems;
  if (text.size() > limits::kConfigTextMax)
    problems.push_back({{}, "the text is longer than 16 MiB", -E2BIG});
  else if (!text::is_utf8(text))
    problems.push_back({{}, "the text is not UTF-8"});
  if (!problems.empty()) return tl::unexpected(std::move(problems));
  const PlainText in(text);
  ModuleParams read;
  const auto given = read_modprobe(in, read.notes);
  if (!given) return tl::unexpected(Problems{given.error()});
  for (const ModuleParam& param : *given) {
    const std::string name = with_underscores(param.name);
    const Param* const known = find_param(name);
    if (known == nullptr) {
      read.notes.push_back(note(in.place_of(param.name), passed_over(name)));
      continue;
    }
    if (param.flag && known->type != ParamType::kBool) {
      problems.push_back(
          {in.place_of(param.name), "parameter " + quoted_word(name) + " has no value"});
      continue;
    }
    const std::string stretched = param.flag ? "1" : collapse_blanks(param.value);
    const auto value =
        check_param(*known, known->type == ParamType::kInt ? decimal(stretched) : stretched);
    const auto form = check_form(in, param);
    if (!value) {
      problems.push_back({in.place_of(param.value), value.error().reason, value.error().code});
    } else if (!form) {
      problems.push_back(form.error());
    } else {
      read.values.insert_or_assign(std::string(known->name), *value);
      read.places.insert_or_assign(std::string(known->name),
                                   in.place_of(param.flag ? param.name : param.value));
    }
  }
  if (!problems.empty()) return tl::unexpected(std::move(problems));
  return read;
}

}  // namespace ulnet::conf
