#include "text/shell/lines.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <optional>

#include "text/shell/speak.h"

namespace ulnet::tools {

namespace {

/// Splits the line into words; returns nothing when a quote stays open. Quotes of both kinds keep
/// words together.
std::optional<Words> words_of(const std::string& line) {
  Words words;
  std::string word;
  bool begun = false;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      begun = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      if (begun) words.push_back(std::move(word));
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (quote != 0) return std::nullopt;
  if (begun) words.push_back(std::move(word));
  return words;
}

}  // namespace

int run_lines(const std::string& program, int open_quote,
              const std::function<int(Words words)>& run) {
  const bool prompt = ::isatty(STDIN_FILENO) != 0;
  int code = 0;
  for (std::string line;;) {
    if (prompt) {
      out(program + " > ");
      std::fflush(stdout);
    }
    if (!std::getline(std::cin, line)) break;
    auto words = words_of(line);
    if (!words) {
      err("a quote is not closed\n");
      code = open_quote;
      continue;
    }
    if (words->empty() || words->front().starts_with('#')) continue;
    if (words->front() == "quit" || words->front() == "exit") return code;
    if (words->front() == program) words->erase(words->begin());
    if (!words->empty()) code = run(std::move(*words));
    std::fflush(stdout);
  }
  if (prompt) out("\n");
  return code;
}

}  // namespace ulnet::tools
