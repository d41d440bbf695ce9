// Prints YAML in the indentation styles of lnetctl, identical to the byte, because scripts
// read its output by column. A tree is a JSON value whose objects keep their order. Source:
// spec/cli-lnetctl.md 4, 7 and the recorded outputs in tests/data/text.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ulnet::conf {

enum class YamlStyle {
  kWide,     ///< net, peer and route: six columns a level, dashes at the parent's column
  kNarrow,   ///< ping, discover, cpt-of-nid: two columns
  kClassic,  ///< global, statistics, routing, udsp: four columns, dashes indented too
  /// documents for import: as kClassic, but dashes below an item are indented by two columns
  kDocument,
};

/// Formats the tree as one YAML document without `---` and `...`; it ends in a newline. An empty
/// object gives an empty text.
std::string to_yaml(const nlohmann::ordered_json& tree, YamlStyle style);

/// Formats a scalar: plain if YAML reads that back as the same text, else in double quotes.
std::string yaml_scalar(std::string_view text);

// Error documents (spec/cli-lnetctl.md 7). `operation`: add, del, show, set, manage, configure;
// `entity`: net, ping, ...

/// Formats an error in the current shape, between --- and ..., with errno and descr beside the
/// entity. `seq_no` is the caller's number of the item, which the error repeats.
std::string error_framed(std::string_view operation, std::string_view entity, int code,
                         std::string_view descr, std::optional<std::int64_t> seq_no = {});
/// Formats an error in the older shape, with errno and descr below the entity. `descr` is printed
/// unchanged: the caller quotes it where lnetctl does.
std::string error_nested(std::string_view operation, std::string_view entity, int code,
                         std::string_view descr);
/// Formats one failed target of ping or discover; "manage:" precedes the first target.
std::string error_target(std::string_view entity, int code, std::string_view descr, bool first);

/// Returns lnetctl's text for an errno without a reason ("Object not found", "Unspecific failure",
/// ...).
std::string errno_text(int code);

}  // namespace ulnet::conf
