// The items of a YAML text, for tests of its readers.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "admin/conf/yaml_in.h"

namespace ulnet::conf {

/// Returns the only item of a text.
template <class What>
What only(std::string_view text) {
  auto document = read_yaml(text);
  EXPECT_TRUE(document.has_value()) << document.error().reason;
  if (!document || document->items.size() != 1) {
    ADD_FAILURE() << "one item expected";
    return What{};
  }
  const What* what = std::get_if<What>(&document->items[0].what);
  if (what == nullptr) {
    const Problem* problem = std::get_if<Problem>(&document->items[0].what);
    ADD_FAILURE() << "another kind of item: " << (problem == nullptr ? "" : problem->reason);
    return What{};
  }
  return *what;
}

inline std::string problem_of(std::string_view text) { return only<Problem>(text).reason; }

}  // namespace ulnet::conf
