#include "fgr/existing/printed_routes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fgr/existing/read_actual.h"
#include "lnet/base/rng.h"

namespace ulnet::tools::fgr {
namespace {

/// Everything that is read from a text, or the problem.
std::string all_of(const std::string& text) {
  const auto actual = read_actual("x.yaml", text, FileKind::kLnetctl);
  if (!actual)
    return fmt::format("{}:{}: {}", actual.error().place.line, actual.error().place.column,
                       actual.error().reason);
  std::string all = fmt::format("{} {} {}", actual->has_nets, actual->has_routes,
                                actual->routing ? int{*actual->routing} : -1);
  for (const plan::ActualNet& net : actual->nets)
    all += fmt::format("\n{}:{} {}", net.place.line, net.place.column, net.net.to_string());
  for (const plan::ActualRoute& route : actual->routes)
    all +=
        fmt::format("\n{}:{} {} {} {} {}", route.place.line, route.place.column,
                    route.net.to_string(), route.gateway.to_string(), route.hops, route.priority);
  return all;
}
/// The same text; the added blank keeps its routes from being cut out.
std::string uncut(std::string text) {
  for (std::size_t at = 0; (at = text.find("route:\n", at)) != std::string::npos; at += 8)
    text.insert(at + 6, " ");
  return text;
}

TEST(PrintedRoutes, AreCutOut) {
  const std::string text =
      "net:\n  - net type: tcp\nroute:\n  - net: gni1\n    gateway: 10.0.0.1@tcp\n    hop: 1\n"
      "  - net: gni2\n    gateway: 10.0.0.2@tcp\nrouting:\n    enable: 1\n";
  const auto routes = cut_printed_routes(text);
  ASSERT_TRUE(routes);
  EXPECT_EQ(routes->rest, "net:\n  - net type: tcp\nroute:\n\n\n\n\n\nrouting:\n    enable: 1\n");
  EXPECT_EQ(routes->line, 3);
  EXPECT_EQ(routes->list.items.size(), 2U);
  EXPECT_FALSE(cut_printed_routes(uncut(text)));
  EXPECT_EQ(all_of(text),
            "true true 1\n2:5 tcp\n4:5 gni1 10.0.0.1@tcp 1 0\n7:5 gni2 10.0.0.2@tcp -1 0");
}

TEST(PrintedRoutes, AreLeftToTheLibraryWhereTheyAreNotPlain) {
  for (const char* item : {"  - net: \"gni1\"\n", "  - {net: gni1}\n", "  - net: gni1 # x\n",
                           "  - net: tcp[1-3]\n", "  - net: gni1\n   gateway: 1@gni\n",
                           "  - net:\n", "  - net: null\n", "  - net: gni1\n- net: gni2\n",
                           "    net: gni1\n", "  - gni1\n", "  - net: gni1\r\n", "---\n", ""})
    EXPECT_FALSE(cut_printed_routes(std::string("route:\n") + item)) << item;
}

/// Whatever the text around them, the result is the same as if the library had read the whole text.
TEST(PrintedRoutes, AreReadAsTheLibraryReadsThem) {
  constexpr std::string_view kPieces[] = {"route:\n",
                                          "route:\n",
                                          "  - net: gni1\n",
                                          "  - net: o2ib6002\n    gateway: 7@gni1\n    hop: 2\n",
                                          "- net: tcp\n  gateway: 10.0.0.1@tcp1\n",
                                          "    gateway: 8@gni1\n",
                                          "    priority: 3\n",
                                          "    hop: 300\n",
                                          "    state: up\n",
                                          "    nets: x\n",
                                          "  -   net: tcp3\n      gateway: 9@gni\n",
                                          "net:\n",
                                          "  - net type: tcp\n",
                                          "a: \"\n",
                                          "\"\n",
                                          "b: [\n",
                                          "c: |\n",
                                          "c: x\n",
                                          "--- |\n",
                                          "---\n",
                                          "...\n",
                                          "# x\n",
                                          "\n",
                                          "]\n",
                                          "routing:\n    enable: 0\n"};
  std::size_t cut = 0;
  for (std::uint64_t seed = 1; seed <= 20'000 && !HasFailure(); ++seed) {
    Rng rng(seed);
    std::string text;
    for (std::uint64_t i = 1 + rng.below(9); i > 0; --i)
      text += kPieces[rng.below(std::size(kPieces))];
    cut += cut_printed_routes(text) ? 1 : 0;
    EXPECT_EQ(all_of(text), all_of(uncut(text))) << "seed " << seed << "\n" << text;
  }
  EXPECT_GT(cut, 500U);
}

}  // namespace
}  // namespace ulnet::tools::fgr
