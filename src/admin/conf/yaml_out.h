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
  kWide,      ///< net, peer and route: six columns a level, dashes at the parent's column
  kNarrow,    ///< ping, discover, cpt-of-nid: two columns
  kClassic,   ///< global, statistics, routing, udsp: four columns, dashes indented too
  kDocument,  ///< documents for import: as kClassic, but dashes below an item are two columns in
};

/// The tree as one YAML document without frame; ends in a newline. An empty object prints nothing.
std::string to_yaml(const nlohmann::ordered_json& tree, YamlStyle style);

/// A scalar as YAML needs it: plain if that reads back as the same text, else in double quotes.
std::string yaml_scalar(std::string_view text);

// Error documents (spec/cli-lnetctl.md 7). `operation`: add, del, show, set, manage, configure;
// `entity`: net, ping, ...

/// The current shape, framed by --- and ..., errno and descr beside the entity.
/// `seq_no`: the caller's number of the item, which the error repeats.
std::string error_framed(std::string_view operation, std::string_view entity, int code,
                         std::string_view descr, std::optional<std::int64_t> seq_no = {});
/// The older shape, errno and descr below the entity. `descr` is printed unchanged: the caller
/// quotes it where lnetctl does.
std::string error_nested(std::string_view operation, std::string_view entity, int code,
                         std::string_view descr);
/// One failed target of ping or discover; the first one is preceded by "manage:".
std::string error_target(std::string_view entity, int code, std::string_view descr, bool first);

/// lnetctl's text for an errno when there is no reason ("Object not found", "Unspecific failure",
/// ...).
std::string errno_text(int code);

}  // namespace ulnet::conf
