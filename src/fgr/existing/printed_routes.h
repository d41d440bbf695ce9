// The section `route:` of lnetctl's YAML as export and `ulnet-fgr plan` print it, with a key on
// each line. This section is most of the text of many files, and the YAML library is slow on it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/yaml_node.h"

namespace ulnet::tools::fgr {

struct PrintedRoutes {
  std::string rest;     ///< the text with empty lines in place of the items
  int line = 0;         ///< line of the word "route:", from 1
  conf::YamlNode list;  ///< the items, as conf::load_yaml() gives them
};
/// Cuts the routes out of the text. Returns nothing if the text has no such section, or if a line
/// of the section is not "key: word" with letters, digits and @._- only. The caller has to check
/// that "route:" stands in `rest` as the key of an empty section.
std::optional<PrintedRoutes> cut_printed_routes(std::string_view text);

}  // namespace ulnet::tools::fgr
