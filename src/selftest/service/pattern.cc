#include "selftest/service/pattern.h"

#include <algorithm>

namespace ulnet::svc::selftest {
namespace {

using wire::LstCheck;

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kBlock = 4096;  // stays in the first-level cache

/// Returns the byte at `offset` of a sequence of the word `word`.
std::byte byte_of(std::uint64_t word, std::size_t offset) {
  return static_cast<std::byte>(word >> offset % kWord * 8);
}

/// Fills `length` bytes with `word`; the last word is cut where the data end.
void fill(std::byte* at, std::size_t length, std::uint64_t word) {
  std::size_t i = 0;
  for (; i + kWord <= length; i += kWord) store_le(at + i, word);
  for (; i < length; ++i) at[i] = byte_of(word, i);
}

std::size_t first_word(std::size_t length) { return std::min(length, kWord); }
/// Returns the offset of the last word, which may be cut.
std::size_t last_word(std::size_t length) { return (length - 1) / kWord * kWord; }

void note(Bulk& bulk, std::size_t offset, std::size_t length, std::uint64_t word) {
  bulk.word = word;
  bulk.filled = offset == 0 ? length : 0;
}

void fill(Bulk& bulk, std::size_t offset, std::size_t length, std::uint64_t word) {
  if (offset == 0 && bulk.word == word && bulk.filled >= length) return;
  fill(bulk.memory.get() + offset, length, word);
  note(bulk, offset, length, word);
}

bool every_word_is(ByteView data, std::uint64_t word) {
  std::uint64_t differ = 0;
  std::size_t i = 0;
  for (; i + kWord <= data.size(); i += kWord)
    differ |= load_le<std::uint64_t>(data.data() + i) ^ word;
  for (; i < data.size(); ++i) differ |= std::to_integer<std::uint64_t>(data[i] ^ byte_of(word, i));
  return differ == 0;
}

}  // namespace

void fill_source(Bulk& bulk, std::size_t offset, std::size_t length, LstCheck check, bool wrong) {
  if (check != LstCheck::kSimple && check != LstCheck::kFull) return;
  fill(bulk, offset, length, kMagic);
  if (!wrong) return;
  fill(bulk.memory.get() + offset, first_word(length), kMagic + 1);
  bulk.filled = 0;
}

void poison_sink(Bulk& bulk, std::size_t offset, std::size_t length, LstCheck check) {
  if (check == LstCheck::kFull) fill(bulk, offset, length, kPoison);
  bulk.filled = 0;  // unknown until the data have come
  if (check != LstCheck::kSimple) return;
  std::byte* data = bulk.memory.get() + offset;
  fill(data, first_word(length), kPoison);
  fill(data + last_word(length), length - last_word(length), kPoison);
}

bool check_sink(Bulk& bulk, std::size_t offset, std::size_t length, LstCheck check, bool swapped) {
  std::byte* data = bulk.memory.get() + offset;
  if (check != LstCheck::kFull) return looks_right({data, length}, check, swapped);
  bool right = true;
  for (std::size_t at = 0; at < length; at += kBlock) {
    const std::size_t bytes = std::min(kBlock, length - at);
    right = looks_right({data + at, bytes}, check, swapped) && right;
    fill(data + at, bytes, kPoison);
  }
  note(bulk, offset, length, kPoison);
  return right;
}

bool looks_right(ByteView data, LstCheck check, bool swapped) {
  const std::uint64_t word = swapped ? swap_bytes(kMagic) : kMagic;
  if (check == LstCheck::kFull) return every_word_is(data, word);
  if (check != LstCheck::kSimple) return true;
  return every_word_is(data.first(first_word(data.size())), word) &&
         every_word_is(data.subspan(last_word(data.size())), word);
}

}  // namespace ulnet::svc::selftest
