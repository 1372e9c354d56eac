# Warnings are errors in both compilers, from the first commit on.
add_library(rk_warnings INTERFACE)
target_compile_options(rk_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  -Werror $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
