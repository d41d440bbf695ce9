// Values of a scenario file that several sections have, or that need nothing but their own keys.
// Mistakes go where those of `fields` go.
#pragma once

#include <optional>

#include "sim/scenario/scenario.h"
#include "text/fields.h"

namespace ulnet::sim {

/// Returns the value of a text, such as a Nid; any other text is a mistake.
template <class Value>
std::optional<Value> value_of(const conf::YamlNode& text, const text::Fields& fields) {
  const auto value = Value::parse(text.shown());
  if (value) return *value;
  fields.wrong(text, value.error().reason);
  return {};
}
/// Sets `out` to the value of the key. If the key is absent or its value wrong, `out` is unchanged.
template <class Value>
void read_value(text::Fields& fields, std::string_view key, Value& out) {
  if (const conf::YamlNode* text = fields.take(key))
    if (const auto value = value_of<Value>(*text, fields)) out = *value;
}

/// Reads a route: `net`, `gateway`, and where they are there `hops` and `priority`.
std::optional<core::Route> read_route(text::Fields& fields);
/// Reads only the route's `net` and `gateway`.
std::optional<core::Route> read_bare_route(text::Fields& fields);
/// Reads a change by an administrator: {name: retry_count, value: 0}. `word` is the index of its
/// word in kAdminWords. Source: spec/multirail.md 2.2, 5.1, 9.2, 10.1, 12.
std::optional<AdminChange> read_change(text::Fields& fields, std::size_t word);
/// Reads everything of a fault rule except its kind: {source: "*@tcp", rate: 2, messages: [GET],
/// errors: [local_error]}. Source: spec/multirail.md 11.
void read_rule(text::Fields& fields, core::FaultRule& rule);

/// Reads the name of a switch.
std::optional<SwitchId> read_switch(const conf::YamlNode& name, const SwitchesSpec& switches,
                                    const text::Fields& fields);
/// Reads `link: [A, B]`, the link that joins two switches.
std::optional<SwitchLinkId> read_switch_link(text::Fields& fields, const SwitchesSpec& switches);

}  // namespace ulnet::sim
