#include "admin/conf/yaml_out.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "lnet/base/printable.h"

namespace ulnet::conf {

namespace {

using Tree = nlohmann::ordered_json;

/// How a YamlStyle indents, in columns: a level, a dash, and what follows the dash.
struct Indents {
  int level;    // a mapping in a mapping
  int dash;     // a dash, from its parent's column
  int content;  // from the dash to its content
  int inner;    // a dash of a list inside an item, from the column of the list's parent
};
constexpr Indents kIndents[] = {{6, 0, 6, 0}, {2, 0, 2, 0}, {4, 4, 2, 4}, {4, 4, 2, 2}};

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

class Printer {
 public:
  explicit Printer(YamlStyle style) : indents_(kIndents[static_cast<std::size_t>(style)]) {}

  std::string print(const Tree& tree) {
    if (tree.is_array())
      sequence(tree, 0);
    else if (tree.is_object())
      mapping(tree, 0, false);
    else
      out_ += scalar(tree) + "\n";
    return std::move(out_);
  }

 private:
  static std::string scalar(const Tree& value) {
    if (value.is_string()) return yaml_scalar(value.get_ref<const std::string&>());
    if (value.is_null()) return "~";
    return value.dump();
  }
  void indent(int columns) { out_.append(static_cast<std::size_t>(columns), ' '); }

  /// Prints a mapping. `continued`: the first entry is on a line that already has a dash.
  void mapping(const Tree& map, int column, bool continued) {
    for (const auto& [key, value] : map.items()) {
      if (!continued) indent(column);
      continued = false;
      out_ += yaml_scalar(key) + ":";
      if (value.is_object() && !value.empty()) {
        out_ += "\n";
        mapping(value, column + indents_.level, false);
      } else if (value.is_array() && !value.empty()) {
        out_ += "\n";
        sequence(value, column + (column == 0 ? indents_.dash : indents_.inner));
      } else if (value.is_object() || value.is_array()) {
        out_ += value.is_object() ? " {}\n" : " []\n";
      } else if (key == "descr" && value.is_string()) {
        // An error's words are always in quotes (spec/cli-lnetctl.md 7).
        out_ += " " + double_quoted(value.get_ref<const std::string&>()) + "\n";
      } else {
        out_ += " " + scalar(value) + "\n";
      }
    }
  }

  void sequence(const Tree& list, int column) {
    for (const Tree& item : list) {
      indent(column);
      out_ += "-";
      indent(indents_.content - 1);
      if (item.is_object() && !item.empty()) {
        mapping(item, column + indents_.content, true);
      } else {
        out_ += scalar(item) + "\n";
      }
    }
  }

  Indents indents_;
  std::string out_;
};

bool reads_back_plain(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return false;
  constexpr std::string_view kNotFirst = "-?:,[]{}#&*!|>'\"%@` ";
  // "-1" and "::1" are plain; a lone dash or one before a blank is not.
  const bool special_first = kNotFirst.find(text.front()) != std::string_view::npos;
  const bool dash_word = (text.front() == '-' || text.front() == ':') && text.size() > 1 &&
                         text[1] != ' ' && text[1] != '\t';
  if (special_first && !dash_word) return false;
  if (text.front() == '-' && text.substr(0, 3) == "---") return false;
  if (text.back() == ' ' || text.back() == ':') return false;
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos)
    return false;
  return !text::has_control_characters(text);
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

}  // namespace

std::string yaml_scalar(std::string_view text) {
  // CPT lists are always in quotes: scripts expect them.
  return reads_back_plain(text) ? std::string(text) : double_quoted(text);
}

std::string to_yaml(const nlohmann::ordered_json& tree, YamlStyle style) {
  return Printer(style).print(tree);
}

std::string error_framed(std::string_view operation, std::string_view entity, int code,
                         std::string_view descr, std::optional<std::int64_t> seq_no) {
  const std::string number = seq_no ? "\n      seq_no: " + std::to_string(*seq_no) : "";
  return fmt::format("---\n{}:\n-     {}:{}\n      errno: {}\n      descr: ! {}\n...\n", operation,
                     entity, number, code, double_quoted(descr));
}

std::string error_nested(std::string_view operation, std::string_view entity, int code,
                         std::string_view descr) {
  return fmt::format("{}:\n    - {}:\n          errno: {}\n          descr: {}\n", operation,
                     entity, code, descr);
}

std::string error_target(std::string_view entity, int code, std::string_view descr, bool first) {
  return (first ? "manage:\n- " : "- ") + std::string(entity) +
         ":\n  errno: " + std::to_string(code) + "\n  descr: ! " +
         (text::has_control_characters(descr) ? double_quoted(descr) : single_quoted(descr)) + "\n";
}

std::string errno_text(int code) {
  switch (code) {
    case -ENOENT:
      return "Object not found";
    case -ESRCH:
      return "Network is down";
    case -EBUSY:
      return "Object busy";
    case -EEXIST:
      return "Object exists";
    case -ENETDOWN:
      return "Unspecific failure";
    default:
      return std::strerror(code < 0 ? -code : code);
  }
}

}  // namespace ulnet::conf
