// The registry of module parameters: their names, valid values and meanings. One table serves
// `param show|set`, `ulnetd --set`, YAML `param:` and the node. Source: spec/cli-lnetctl.md 11.3,
// 11.4, spec/wire-socklnd.md 11, DESIGN.md 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lnet/core/contract/config.h"
#include "ulnet/result.hpp"

namespace ulnet::conf {

enum class ParamType : std::uint8_t {
  kInt,
  kBool,
  kChoice,
  kName,  ///< a choice that may be abbreviated, in upper or lower case
  kText,
  kNids  ///< a list of patterns of NIDs
};

struct Param {
  std::string_view name;
  ParamType type = ParamType::kInt;
  std::string_view initial;       ///< the default, as text
  std::int64_t min = 0, max = 0;  ///< kInt
  std::string_view choices;       ///< kChoice, kName: "secure|all|none|trust"
  bool start_only = false;        ///< read when the node starts; cannot be changed later
  std::string_view global;        ///< the `global` setting that it initialises, else empty
  /// The limitation of the parameter ("is accepted but has no effect"), or that it is deprecated;
  /// else empty. Shown when it is set to another value than its default, and in help.
  std::string_view warning;
  std::string_view help;  ///< one line
};

/// All parameters, in the order shown.
std::span<const Param> all_params();
/// The parameter with this name; null: unknown name. The SMP design's names `npartitions` and
/// `cpu_patterns` are accepted too.
const Param* find_param(std::string_view name);

/// The index of a canonical value among the choices of a kChoice or kName.
std::size_t choice_of(const Param& param, std::string_view value);
/// The value in its canonical text ("7", "1", "secure"). -EINVAL with the reason; booleans take
/// 0/1, y/n, yes/no, true/false, on/off.
Result<std::string> check_param(const Param& param, std::string_view value);
/// The same by name; -ENOENT "no parameter 'x'".
Result<std::string> check_param(std::string_view name, std::string_view value);

/// The parameter values with which a node starts: those given, else the defaults. set() refuses
/// values that check_param() refuses.
class ParamValues {
 public:
  Result<void> set(std::string_view name, std::string_view value);
  /// The value of a parameter as text, number or bool. Asserts that the parameter exists.
  std::string text(std::string_view name) const;
  std::int64_t number(std::string_view name) const;
  bool flag(std::string_view name) const { return number(name) != 0; }
  /// The values that were set.
  const std::map<std::string, std::string, std::less<>>& given() const { return given_; }

 private:
  std::map<std::string, std::string, std::less<>> given_;
};

/// A setting of the `global` section (spec/cli-lnetctl.md 11.1).
struct GlobalSetting {
  std::string_view name;
  std::int32_t core::Globals::*field = nullptr;
  std::string_view initial_text;  ///< `initial` in digits
  std::int64_t initial = 0, min = 0, max = 0;
  bool has(std::int64_t value) const { return value >= min && value <= max; }
};
/// In the order of `global show`, without lnd_timeout, which is read-only.
std::span<const GlobalSetting> all_globals();
const GlobalSetting* find_global(std::string_view name);
/// The number of a named mode of the setting: "verify" of discovery is 2. Nothing: unknown mode.
std::optional<std::int64_t> mode_of_global(std::string_view name, std::string_view mode);
/// The warning of the parameter that initialises this setting, because the setting has the same
/// limitation. Empty: no warning.
std::string_view warning_of_global(std::string_view name);

}  // namespace ulnet::conf
