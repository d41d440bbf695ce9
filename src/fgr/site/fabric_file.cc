#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "fgr/fabric/fabric.h"
#include "fgr/site/child.h"
#include "fgr/site/site_file.h"
#include "lnet/base/text.h"

namespace ulnet::tools::fgr {
namespace {

constexpr std::size_t kLargestFabric = 64U << 20;  ///< more than a hundred thousand adapters
/// The first bytes of a file that ibnetdiscover --cache writes.
constexpr std::string_view kCacheBegins = "\x2b\x83\xe7\x8f";

Result<std::string> text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(-errno, std::strerror(errno));
  std::string text;
  char piece[65536];
  while (in.read(piece, sizeof piece) || in.gcount() > 0) {
    text.append(piece, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLargestFabric) return fail(-E2BIG, "it has more than 64 MiB");
  }
  if (in.bad()) return fail(-EIO, "it cannot be read");
  return text;
}

Result<std::string> text_of_cache(const std::string& file) {
  constexpr std::chrono::minutes kTime{1};
  const auto said = run_child({"ibnetdiscover", "--load-cache", file}, kTime);
  const std::string instead = fmt::format(
      "'ibnetdiscover --load-cache {} > FILE' makes a text of it, where that is installed", file);
  if (!said)
    return fail(said.error().code,
                fmt::format("it is a cached fabric: {}. {}", said.error().reason, instead));
  if (said->code != 0)
    return fail(-EINVAL, fmt::format("ibnetdiscover cannot read this cached fabric: {}",
                                     text::quoted(text::trim(said->err))));
  return said->out;
}

}  // namespace

conf::Parsed<plan::Fabric> fabric_of_file(const std::string& file) {
  auto text = text_of(file);
  if (text && text->starts_with(kCacheBegins)) text = text_of_cache(file);
  auto fabric = text ? plan::read_ibnetdiscover(*text) : tl::unexpected(text.error());
  if (fabric) return *std::move(fabric);
  return tl::unexpected(
      conf::Problem{.reason = fabric.error().reason, .code = fabric.error().code, .file = file});
}

}  // namespace ulnet::tools::fgr
