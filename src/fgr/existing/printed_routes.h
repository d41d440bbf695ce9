// The section `route:` of lnetctl's YAML as export and `ulnet-fgr plan` print it, a key on each
// line. Most of the text of many files is of this kind, and takes the YAML library long.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/yaml_node.h"

namespace ulnet::tools::fgr {

struct PrintedRoutes {
  std::string rest;     ///< the text with empty lines in the place of the items
  int line = 0;         ///< of the word "route:", from 1
  conf::YamlNode list;  ///< the items, as conf::load_yaml() gives them
};
/// Nothing when there is no such section, or when a line of it is not "key: word" with letters,
/// digits and @._- only. It is up to the caller to see that "route:" stands there as the key of an
/// empty section in `rest`.
std::optional<PrintedRoutes> cut_printed_routes(std::string_view text);

}  // namespace ulnet::tools::fgr
