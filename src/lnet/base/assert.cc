#include "lnet/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace ulnet {

void assertion_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: broken: %s\n", file, line, condition);
  std::abort();
}

}  // namespace ulnet
