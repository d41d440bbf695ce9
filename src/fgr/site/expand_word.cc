#include <algorithm>
#include <cerrno>
#include <charconv>

#include "fgr/site/site_file.h"
#include "lnet/base/expr_list.h"
#include "lnet/base/text.h"

namespace ulnet::tools::fgr {

Result<std::vector<std::string>> expand_word(std::string_view word, std::size_t limit) {
  const std::size_t open = word.find('[');
  if (open == std::string_view::npos) return std::vector{std::string(word)};
  const std::size_t close = word.find(']', open);
  if (close == std::string_view::npos || word.find('[', open + 1) != std::string_view::npos)
    return fail(-EINVAL, "'" + std::string(word) + "': one bracket of numbers, as in nid[1-4]");
  const std::string_view bracket = word.substr(open, close - open + 1);
  const auto list = ExprList::parse(bracket, 999'999'999);
  if (!list) return tl::unexpected(list.error());
  const auto numbers = list->expand(limit, ExprList::Repeats::kRefused);
  if (!numbers)
    return fail(numbers.error().code, text::quoted(word) + ": " + numbers.error().reason);
  const std::size_t digits = std::min(bracket.find_first_not_of("0123456789", 1), close) - 1;
  const std::size_t width = bracket[1] == '0' ? digits : 0;
  std::vector<std::string> words;
  for (const std::uint32_t number : *numbers) {
    std::string text = std::to_string(number);
    if (text.size() < width) text.insert(0, width - text.size(), '0');
    words.push_back(std::string(word.substr(0, open)) + text + std::string(word.substr(close + 1)));
  }
  return words;
}

}  // namespace ulnet::tools::fgr
