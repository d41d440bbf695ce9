#include "admin/conf/yaml_out.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "admin/conf/yaml_in.h"
#include "text/yaml_node.h"

namespace ulnet::conf {
namespace {

using Tree = nlohmann::ordered_json;

Tree sample() {
  return {{"net",
           Tree::array(
               {Tree{{"net type", "lo"},
                     {"local NI(s)",
                      Tree::array({Tree{{"nid", "0@lo"}, {"CPT", "[0]"}, {"s", {{"a", 1}}}}})}}})}};
}

TEST(YamlOut, OutputStyles) {  // spec/cli-lnetctl.md 1
  EXPECT_EQ(to_yaml(sample(), YamlStyle::kWide),
            "net:\n-     net type: lo\n      local NI(s):\n      -     nid: 0@lo\n            CPT: "
            "\"[0]\"\n            s:\n"
            "                  a: 1\n");
  EXPECT_EQ(to_yaml(sample(), YamlStyle::kNarrow),
            "net:\n- net type: lo\n  local NI(s):\n  - nid: 0@lo\n    CPT: \"[0]\"\n    s:\n      "
            "a: 1\n");
  EXPECT_EQ(to_yaml(sample(), YamlStyle::kClassic),
            "net:\n    - net type: lo\n      local NI(s):\n          - nid: 0@lo\n            CPT: "
            "\"[0]\"\n            s:\n"
            "                a: 1\n");
  EXPECT_EQ(to_yaml(Tree::object(), YamlStyle::kWide), "");
}

TEST(YamlOut, Scalars) {  // spec/cli-lnetctl.md 1
  for (const char* plain : {"eth0", "fd99::1@tcp", "::1@tcp", "-1", "10.99.0.3@tcp", "up",
                            "spin|adaptive", "0@lo", "a#b"}) {
    EXPECT_EQ(yaml_scalar(plain), plain);
  }
  EXPECT_EQ(yaml_scalar("[0,1]"), "\"[0,1]\"");
  EXPECT_EQ(yaml_scalar("*@tcp"), "\"*@tcp\"");
  EXPECT_EQ(yaml_scalar(""), "\"\"");
  EXPECT_EQ(yaml_scalar("null"), "\"null\"");
  EXPECT_EQ(yaml_scalar("a: b"), "\"a: b\"");
  EXPECT_EQ(yaml_scalar("a \"b\"\n\t\\"), "\"a \\\"b\\\"\\n\\t\\\\\"")
      << "colons and hashes in it make no difference";
}

TEST(YamlOut, ErrorsInTheirShapes) {  // spec/cli-lnetctl.md 7
  EXPECT_EQ(
      error_framed("add", "net", -17, "cannot add LNet NI"),
      "---\nadd:\n-     net:\n      errno: -17\n      descr: ! \"cannot add LNet NI\"\n...\n");
  EXPECT_EQ(error_nested("add", "retry_count", -61, "\"x\""),
            "add:\n    - retry_count:\n          errno: -61\n          descr: \"x\"\n");
  EXPECT_EQ(error_target("ping", -113, "it's dead", true),
            "manage:\n- ping:\n  errno: -113\n  descr: ! 'it''s dead'\n");
}

/// Text that a user may choose as a name: printable, or any UTF-8.
rc::Gen<std::string> any_name() {
  return rc::gen::oneOf(rc::gen::container<std::string>(rc::gen::inRange<char>(0x01, 0x7f)),
                        rc::gen::container<std::string>(
                            rc::gen::elementOf(std::string("-:#*&![]{}\"' \n\t~?|>%@`,ax0"))),
                        rc::gen::just(std::string("gr\xc3\xbc\xc3\x9f"
                                                  "e")));
}

RC_GTEST_PROP(YamlOut, PrintedTreesReadBackTheSame, ()) {  // spec/cli-lnetctl.md 1
  const std::string value = *any_name();
  for (const YamlStyle style : {YamlStyle::kWide, YamlStyle::kNarrow, YamlStyle::kClassic}) {
    const std::string text =
        to_yaml({{"map", {{"key", value}, {"list", Tree::array({value, value})}}}}, style);
    const auto documents = load_yaml(text);
    RC_ASSERT(documents.has_value());
    const YamlNode* map = documents->at(0).find("map");
    RC_ASSERT(map != nullptr && map->find("key") != nullptr && map->find("list") != nullptr);
    RC_ASSERT(map->find("key")->is_scalar());
    RC_ASSERT(map->find("key")->text == value);
    RC_ASSERT(map->find("list")->items.size() == 2U);
    RC_ASSERT(map->find("list")->items[1].text == value);
  }
}

}  // namespace
}  // namespace ulnet::conf
