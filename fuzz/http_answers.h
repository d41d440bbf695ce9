// Reads the answers of an HTTP/1.1 server from the bytes that it sent on a connection, strictly:
// RFC 9112 6.3 decides where each answer ends, and nothing malformed is passed over.
#pragma once

#include <string_view>

namespace ulnet::fuzz {

/// The facts about the requests that are needed to find the end of their answers.
struct AnswersTo {
  bool head = false;  ///< one of them may be a HEAD, whose answer promises a body and has none
};

/// Removes one answer from the front of `heard`. False when `heard` does not begin with a whole and
/// well-formed answer.
bool take_answer(std::string_view& heard, AnswersTo requests);

}  // namespace ulnet::fuzz
