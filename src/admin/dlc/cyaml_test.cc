// Trees of YAML: nodes, text, errors. Source: spec/cli-lnetctl.md 4, 7, 13.
#include "ulnet/cyaml.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "admin/dlc/tree.h"

// Defined in cyaml_from_c_test.c, which is compiled as C99. Returns the text of the tree that it
// makes.
extern "C" char* text_of_a_tree_made_in_c(void);
// Defined in lnetconfig_from_c_test.c.
extern "C" int dlc_inline_functions_from_c(void);

namespace ulnet::dlc {
namespace {

struct FreeTree {
  void operator()(cYAML* root) const { cYAML_free_tree(root); }
};
using Root = std::unique_ptr<cYAML, FreeTree>;

std::string taken(char* text) {
  std::string copy = text;
  std::free(text);
  return copy;
}
std::string text_of(const cYAML* root) { return taken(cYAML_print_tree2text(root)); }
Root read(const std::string& text) {
  return Root(cYAML_build_tree(text.data(), text.size(), nullptr));
}
std::string error_of(const std::string& text) {
  cYAML* err = nullptr;
  const Root tree(cYAML_build_tree(text.data(), text.size(), &err));
  EXPECT_EQ(tree, nullptr) << text;
  const Root error(err);
  return text_of(error.get());
}

TEST(CYaml, ATreeIsMadeAndWalked) {  // spec/cli-lnetctl.md 13
  const Root root(cYAML_create_object(nullptr, nullptr));
  cYAML* const seq = cYAML_create_seq(root.get(), "route");
  for (const char* net : {"tcp1", "tcp2"}) {
    cYAML* const item = cYAML_create_object(seq, nullptr);
    cYAML_create_string(item, "net", net);
    cYAML_create_number(item, "hop", -1);
    cYAML_create_bool(item, "up", true);
  }
  EXPECT_EQ(cYAML_get_object_item(root.get(), "route"), seq);
  EXPECT_EQ(cYAML_get_object_item(root.get(), "net"), nullptr);
  cYAML* item = nullptr;
  ASSERT_NE(cYAML_get_next_seq_item(seq, &item), nullptr);
  EXPECT_STREQ(cYAML_get_object_item(item, "net")->string, "tcp1");
  EXPECT_EQ(cYAML_get_object_item(item, "hop")->number, -1);
  EXPECT_EQ(item->prev, nullptr);
  cYAML* const first = item;
  ASSERT_NE(cYAML_get_next_seq_item(seq, &item), nullptr);
  EXPECT_STREQ(cYAML_get_object_item(item, "net")->string, "tcp2");
  EXPECT_EQ(item->prev, first);
  EXPECT_EQ(first->next, item);
  EXPECT_EQ(cYAML_get_next_seq_item(seq, &item), nullptr);
  EXPECT_EQ(item, nullptr);
}

TEST(CYaml, AParentHasOnlyTheChildrenThatItCanHave) {  // spec/cli-lnetctl.md 13
  const Root root(cYAML_create_object(nullptr, nullptr));
  cYAML* const seq = cYAML_create_seq(root.get(), "net");
  cYAML* const text = cYAML_create_string(root.get(), "nid", "0@lo");
  EXPECT_EQ(cYAML_create_number(root.get(), nullptr, 1), nullptr) << "below an object: a key";
  EXPECT_EQ(cYAML_create_number(seq, "key", 1), nullptr) << "below a sequence: none";
  EXPECT_EQ(cYAML_create_number(text, "key", 1), nullptr) << "below a text: nothing";
  cYAML* const other = cYAML_create_string(nullptr, nullptr, "x");
  EXPECT_EQ(cYAML_insert_child(root.get(), other), -EINVAL);
  EXPECT_EQ(cYAML_insert_child(nullptr, other), -EINVAL);
  EXPECT_EQ(cYAML_insert_child(seq, other), 0);
  cYAML* const behind = cYAML_create_string(nullptr, nullptr, "y");
  EXPECT_EQ(cYAML_insert_sibling(other, behind), 0);
  EXPECT_EQ(behind->prev, other);
  EXPECT_EQ(cYAML_insert_sibling(other, nullptr), -EINVAL);
  EXPECT_EQ(cYAML_get_object_item(seq, "net"), nullptr) << "a sequence has no keys";
  cYAML* item = nullptr;
  EXPECT_EQ(cYAML_get_next_seq_item(root.get(), &item), nullptr) << "an object is no sequence";
}

TEST(CYaml, ATreeOfAnyDepthIsFreed) {
  cYAML* const root = cYAML_create_seq(nullptr, nullptr);
  cYAML* deepest = root;
  for (int level = 0; level < 1'000'000; ++level) deepest = cYAML_create_seq(deepest, nullptr);
  EXPECT_EQ(text_of(root).find("1"), std::string::npos) << "printing ends at its own depth";
  cYAML_free_tree(root);
  cYAML_free_tree(nullptr);
}

TEST(CYaml, TextAndTreeAreTheSame) {  // spec/cli-lnetctl.md 13
  const std::string text =
      "global:\n"
      "    numa_range: 0\n"
      "    discovery: 1\n"
      "    word: some text\n"
      "    nothing: ~\n"
      "    \"yes: no\": true\n"
      "    list:\n"
      "        - -22\n"
      "        - a: 007\n"
      "          b: {}\n"
      "        - []\n";
  const Root root = read(text);
  ASSERT_NE(root, nullptr);
  const cYAML* const global = cYAML_get_object_item(root.get(), "global");
  EXPECT_EQ(cYAML_get_object_item(global, "discovery")->type, CYAML_NUMBER);
  EXPECT_EQ(cYAML_get_object_item(global, "word")->type, CYAML_STRING);
  EXPECT_EQ(cYAML_get_object_item(global, "nothing")->type, CYAML_NULL);
  EXPECT_EQ(cYAML_get_object_item(global, "yes: no")->type, CYAML_BOOL);
  const cYAML* const list = cYAML_get_object_item(global, "list");
  EXPECT_STREQ(cYAML_get_object_item(list->child->next, "a")->string, "007")
      << "a number that would be printed otherwise stays text";
  EXPECT_EQ(text_of(root.get()), text);
}

TEST(CYaml, SectionsArePrintedAsUlnetctlPrintsThem) {
  const Root root = read("net: [{net type: lo}]\nglobal: {discovery: 1}\n");
  EXPECT_EQ(text_of(root.get()), "net:\n-     net type: lo\nglobal:\n    discovery: 1\n");
}

TEST(CYaml, AnEmptyTextIsAnEmptyObject) {
  for (const char* text : {"", "\n", "# nothing\n", "---\n...\n"}) {
    const Root root = read(text);
    ASSERT_NE(root, nullptr) << text;
    EXPECT_EQ(root->type, CYAML_OBJECT);
    EXPECT_EQ(root->child, nullptr);
    EXPECT_EQ(text_of(root.get()), "") << text;
  }
}

TEST(CYaml, MistakesInATextAreReportedWithTheirPlaces) {  // spec/cli-lnetctl.md 13
  EXPECT_EQ(error_of("a: 1\nb: 2\na: 3\n"),
            "yaml:\n    - builder:\n          errno: -22\n"
            "          descr: \"line 3, column 1: this key is there twice\"\n");
  EXPECT_NE(error_of("a: &b 1\n").find("aliases and anchors are not allowed"), std::string::npos);
  EXPECT_NE(error_of("a: 1\n---\nb: 2\n").find("a second document"), std::string::npos);
  EXPECT_NE(error_of("a: [1\n").find("line "), std::string::npos);
  EXPECT_NE(error_of(std::string(100, '[')).find("nested too deep"), std::string::npos);
  EXPECT_NE(error_of("a: \xff\n").find("not UTF-8"), std::string::npos);
  EXPECT_NE(error_of(std::string((16 << 20) + 1, ' ')).find("longer than 16 MiB"),
            std::string::npos);
}

TEST(CYaml, AWideTextCostsNoMoreThanItsLength) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  const Root root = read(text);
  ASSERT_NE(root, nullptr);
  EXPECT_NE(cYAML_get_object_item(root.get(), "key99999"), nullptr);
}

TEST(CYaml, ErrorsOfOneOperationAreOneSequence) {  // spec/cli-lnetctl.md 13
  cYAML* err = nullptr;
  EXPECT_EQ(cYAML_build_error(-17, 0, "add", "route", "a \"route\" like it exists", &err), -17);
  EXPECT_EQ(cYAML_build_error(-2, -1, "add", "net", "no", &err), -2);
  EXPECT_EQ(cYAML_build_error(-22, -1, "show", "peer", nullptr, &err), -22);
  EXPECT_EQ(cYAML_build_error(-5, -1, "show", "peer", "nobody wants it", nullptr), -5);
  const Root error(err);
  EXPECT_EQ(text_of(error.get()),
            "add:\n"
            "    - route:\n"
            "          seq_no: 0\n"
            "          errno: -17\n"
            "          descr: \"a \\\"route\\\" like it exists\"\n"
            "    - net:\n"
            "          errno: -2\n"
            "          descr: \"no\"\n"
            "show:\n"
            "    - peer:\n"
            "          errno: -22\n"
            "          descr: \"\"\n");
}

TEST(CYaml, SectionsOfSeveralShowsAreJoined) {
  cYAML* all = nullptr;
  const auto add = [&](const char* json) { return add_sections(ctl::Tree::parse(json), &all); };
  EXPECT_EQ(add(R"({"route": []})"), 0);
  EXPECT_EQ(all, nullptr) << "an empty section makes no tree";
  EXPECT_EQ(add(R"({"global": {"a": 1}, "udsp": [{"idx": 0}]})"), 0);
  EXPECT_EQ(add(R"({"global": {"b": 2}, "udsp": [{"idx": 1}]})"), 0);
  const Root root(all);
  EXPECT_EQ(tree_of(*root).dump(), R"({"global":{"a":1,"b":2},"udsp":[{"idx":0},{"idx":1}]})");
  EXPECT_EQ(add_sections({{"a", 1}}, nullptr), 0);
}

TEST(CYaml, TreesOfBothKindsAreTheSame) {
  const auto tree = ctl::Tree::parse(
      R"({"a": [1, -2, true, false, null, "x", {"b": {}}], "c": [[]], "d": 9223372036854775807})");
  cYAML* all = nullptr;
  ASSERT_EQ(add_sections(tree, &all), 0);
  const Root root(all);
  EXPECT_EQ(tree_of(*root), tree);
}

TEST(CYaml, AFileThatCannotBeWrittenIsAnError) {
  const Root root = read("a: 1\n");
  std::FILE* const full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  std::setvbuf(full, nullptr, _IONBF, 0);
  EXPECT_EQ(cYAML_print_tree2file(full, root.get()), -EIO);
  std::fclose(full);
  EXPECT_EQ(text_of(nullptr), "");
}

// spec/cli-lnetctl.md 13
TEST(DlcFromC, TheDesignsInlineFunctionsAreC) { EXPECT_EQ(dlc_inline_functions_from_c(), 0); }

TEST(CYaml, TheHeaderIsC) {
  EXPECT_EQ(taken(text_of_a_tree_made_in_c()),
            "peer list:\n-     nid: 10.0.0.1@tcp\n      count: 2\n");
}

}  // namespace
}  // namespace ulnet::dlc
