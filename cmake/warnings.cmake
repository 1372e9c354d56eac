# Warnings are errors in both compilers, from the first commit on.
add_library(rk_warnings INTERFACE)
target_compile_options(rk_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Werror $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>
  # GCC 12 sees overlapping copies inside std::string's own code when it inlines `"text" + string`
  # at -O2 and above (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
