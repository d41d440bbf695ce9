// Each header of the C++ interface includes this file, so that a compiler with an older C++ prints
// one clear error.
#pragma once

#if __cplusplus < 202002L
#error "ulnet's C++ interface needs C++20 (-std=c++20); ulnet/lnet.h is for C99 and any C++"
#endif
