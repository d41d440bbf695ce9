// `import` and ulnetd accept every configuration in examples/. (Those in examples/sim are
// scenarios, which sim_tool_test runs.)
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "conf/diff.h"
#include "conf/yaml_in.h"

namespace ulnet::conf {
namespace {

TEST(Examples, AreTakenWithoutANote) {
  const Nid rack = Nid::parse("10.1.3.7@tcp").value();
  const LocalInterface eth0{.name = "eth0", .addresses = {rack}};
  int read = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(ULNET_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    if (entry.path().parent_path().filename() == "sim") continue;
    SCOPED_TRACE(entry.path().string());
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto document = read_yaml(text.str());
    ASSERT_TRUE(document.has_value()) << document.error().reason;
    EXPECT_TRUE(document->notes.empty());
    const auto config = to_config(*document, {&eth0, 1});
    ASSERT_TRUE(config.has_value()) << config.error().front().reason;
    EXPECT_FALSE(config->nets.empty());
    ++read;
  }
  EXPECT_GE(read, 3);
}

}  // namespace
}  // namespace ulnet::conf
