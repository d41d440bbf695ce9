// Reads the answers of an HTTP/1.1 server from what it has said on a connection, strictly: where
// each ends is decided as RFC 9112 6.3 does, and nothing malformed is passed over.
#pragma once

#include <string_view>

namespace ulnet::fuzz {

/// What is to be known of the requests to find the end of their answers.
struct AnswersTo {
  bool head = false;  ///< one of them may be a HEAD, whose answer promises a body and has none
};

/// Removes one answer from the front of `heard`. False when that does not begin with a whole and
/// well-formed one.
bool take_answer(std::string_view& heard, AnswersTo requests);

}  // namespace ulnet::fuzz
