// Makes every value that has a to_string() an argument of fmt::format().
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>

namespace ulnet {

template <class T>
concept HasText = requires(const T& value) {
  { value.to_string() } -> std::same_as<std::string>;
};

}  // namespace ulnet

template <ulnet::HasText T>
struct fmt::formatter<T> : fmt::formatter<std::string_view> {
  auto format(const T& value, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(value.to_string(), context);
  }
};
