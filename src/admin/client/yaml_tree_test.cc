#include "admin/client/yaml_tree.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ulnet::ctl {
namespace {

TEST(YamlTree, HasNumbersTruthsTextsListsAndMaps) {
  const auto documents =
      conf::load_yaml("a: [1, -2, x, true, False, 12a, '3']\nb: {c: , d: 4, d: 5}\n");
  ASSERT_TRUE(documents);
  EXPECT_EQ(tree_of(documents->front()), Tree::parse(R"({"a": [1, -2, "x", true, "False", "12a", 3],
                            "b": {"c": null, "d": 5}})"));
}

}  // namespace
}  // namespace ulnet::ctl
