// Module parameters as modprobe's files and command lines give them: `options lnet networks="tcp"`.
// Source: spec/cli-lnetctl.md 10.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "lnet/config/plain_text.h"

namespace ulnet::conf {

/// A parameter `name=value`. Its fields are views into a text.
struct ModuleParam {
  std::string_view module;  ///< "lnet"; empty if the text names none
  std::string_view name;
  std::string_view value;  ///< without its quotes
  bool flag = false;       ///< the name alone, which turns a boolean parameter on
};

/// The modules of Lustre whose parameters a node has.
inline constexpr auto kLnetModules =
    std::to_array<std::string_view>({"lnet", "ksocklnd", "libcfs", "lnet_selftest"});

/// Reads the parameters of the `options` lines for kLnetModules. Everything else in modprobe's
/// files (alias, install, options of other modules, however they are written) is ignored; a line
/// without a module is ignored with a note. A value ends at a blank or is in quotes of either kind;
/// quotes may also enclose several parameters. A quoted value may continue on the next line. Any
/// value may continue there after a backslash at the line's end. A name without a value is a flag.
/// Problems: a quote that is not closed, text behind a closing quote, a word that is not a
/// parameter.
Parsed<std::vector<ModuleParam>> read_modprobe(const PlainText& in, Problems& notes);
/// Reads the parameters of a text without `options`. A value without quotes continues to the next
/// "name=", because a shell removes the quotes of ip2nets='tcp 10.0.*.*'.
Parsed<std::vector<ModuleParam>> read_assignments(const PlainText& in, std::string_view part);

/// Whether a line of the text begins with the word `options`.
bool has_options(const PlainText& in);
/// Whether the text begins with "name=".
bool begins_with_assignment(std::string_view text);
/// Whether `written` is the name of the module. As in modprobe, '-' is the same as '_'.
bool is_module(std::string_view written, std::string_view name);

}  // namespace ulnet::conf
