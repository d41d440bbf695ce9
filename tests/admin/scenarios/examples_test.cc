// `import` and ulnetd accept every configuration in examples/. Other tests cover the scenarios in
// examples/sim, the laboratories in examples/lab, and examples/monitoring, whose files are for
// other programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "admin/conf/diff.h"
#include "admin/conf/yaml_in.h"

namespace ulnet::conf {
namespace {

TEST(Examples, AreTakenWithoutANote) {
  const Nid rack = Nid::parse("10.1.3.7@tcp").value();
  const LocalInterface eth0{.name = "eth0", .addresses = {rack}};
  int read = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(ULNET_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string path = entry.path().string();
    if (std::ranges::any_of(std::array{"/examples/sim/", "/examples/lab/", "/examples/monitoring/",
                                       "/examples/fgr"},
                            [&](const char* folder) { return path.find(folder) != path.npos; }))
      continue;
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
