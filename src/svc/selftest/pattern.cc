#include "svc/selftest/pattern.h"

#include <algorithm>

namespace ulnet::svc::selftest {
namespace {

using wire::LstCheck;

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kBlock = 4096;  // stays in the nearest cache

void fill(std::byte* at, std::size_t length, std::uint64_t word) {
  for (std::size_t i = 0; i < length; i += kWord) store_le(at + i, word);
}

void note(Bulk& bulk, std::size_t offset, std::size_t length, std::uint64_t word) {
  bulk.word = word;
  bulk.filled = offset == 0 ? length : 0;
}

void fill(Bulk& bulk, std::size_t offset, std::size_t length, std::uint64_t word) {
  if (offset == 0 && bulk.word == word && bulk.filled >= length) return;
  fill(bulk.memory.get() + offset, length, word);
  note(bulk, offset, length, word);
}

// Whole words; a length that is none is not asked for (4.2).
bool every_word_is(ByteView data, std::uint64_t word) {
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < data.size(); i += kWord)
    differ |= load_le<std::uint64_t>(data.data() + i) ^ word;
  return differ == 0;
}

}  // namespace

void fill_source(Bulk& bulk, std::size_t offset, std::size_t length, LstCheck check, bool wrong) {
  if (check != LstCheck::kSimple && check != LstCheck::kFull) return;
  fill(bulk, offset, length, kMagic);
  if (!wrong) return;
  fill(bulk.memory.get() + offset, kWord, kMagic + 1);
  bulk.filled = 0;
}

void poison_sink(Bulk& bulk, std::size_t offset, std::size_t length, LstCheck check) {
  if (check == LstCheck::kFull) fill(bulk, offset, length, kPoison);
  bulk.filled = 0;  // whatever comes
  if (check != LstCheck::kSimple) return;
  std::byte* data = bulk.memory.get() + offset;
  fill(data, kWord, kPoison);
  fill(data + length - kWord, kWord, kPoison);
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
  return every_word_is(data.first(kWord), word) && every_word_is(data.last(kWord), word);
}

}  // namespace ulnet::svc::selftest
