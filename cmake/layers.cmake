# The one table of layers. A layer may depend only on the layers named here; dependencies point one
# way. rk_layer() stops configuration on an edge that this table lacks.
#
#   rk_layer(NAME
#     SOURCES a.cc b.cc          private sources
#     HEADERS include/...        public headers (each is compiled alone by the verify target)
#     DEPS base os               layers used, a subset of the table's row
#     LIBS PkgConfig::lz4        third-party link targets, private unless listed in PUBLIC_LIBS
#     PUBLIC_LIBS fmt::fmt
#     TESTS a_test.cc            unit tests, label "unit", one binary per layer
#     PROP_TESTS a_prop_test.cc  RapidCheck property tests, label "prop"
#     EXCEPTIONS                 third-party code throws here; caught in the adapter
#     SIM)                       also built as <name>_sim with RK_SIM=1 (fault points, canaries)

set(RK_MAY_USE_base "")
set(RK_MAY_USE_os base)
set(RK_MAY_USE_store base os)
set(RK_MAY_USE_value base)
set(RK_MAY_USE_query base)
set(RK_MAY_USE_plan base value query)
set(RK_MAY_USE_search base os store)
set(RK_MAY_USE_doc base os store value)
set(RK_MAY_USE_script base value)
set(RK_MAY_USE_cluster base os store value)
set(RK_MAY_USE_index base os store value query plan search doc script)
set(RK_MAY_USE_db base os store value query plan search doc script cluster index)
set(RK_MAY_USE_api base os store value query plan search doc script cluster index db)
set(RK_MAY_USE_edge base os store value query plan search doc script cluster index db api)
set(RK_MAY_USE_shell base os value query api edge)
set(RK_MAY_USE_transfer base os value api edge)
set(RK_MAY_USE_cli base os store value query plan search doc script cluster index db api edge shell
                   transfer)
# Fakes for tests and simulation: the lying file system, the fiber scheduler, the virtual clock.
set(RK_MAY_USE_testing base os)

function(rk_check_edges name)
  if(NOT DEFINED RK_MAY_USE_${name})
    message(FATAL_ERROR "layer '${name}' is not in cmake/layers.cmake")
  endif()
  foreach(dep IN LISTS ARGN)
    if(NOT dep IN_LIST RK_MAY_USE_${name})
      message(FATAL_ERROR "layer '${name}' may not use '${dep}' (cmake/layers.cmake)")
    endif()
  endforeach()
endfunction()

function(rk_add_layer_library target suffix)
  cmake_parse_arguments(L "EXCEPTIONS" "BASE_DIR" "SOURCES;HEADERS;DEPS;LIBS;PUBLIC_LIBS" ${ARGN})
  add_library(${target} STATIC ${L_SOURCES})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS include FILES ${L_HEADERS})
  target_link_libraries(${target} PUBLIC rk_options ${L_PUBLIC_LIBS} PRIVATE rk_warnings ${L_LIBS})
  foreach(dep IN LISTS L_DEPS)
    if(suffix STREQUAL "_sim" AND TARGET rookery_${dep}_sim)
      target_link_libraries(${target} PUBLIC rookery_${dep}_sim)
    else()
      target_link_libraries(${target} PUBLIC rookery_${dep})
    endif()
  endforeach()
  if(NOT L_EXCEPTIONS)
    target_compile_options(${target} PRIVATE -fno-exceptions)
  endif()
  if(suffix STREQUAL "_sim")
    target_compile_definitions(${target} PUBLIC RK_SIM=1)
  endif()
endfunction()

function(rk_layer name)
  cmake_parse_arguments(L "EXCEPTIONS;SIM" ""
    "SOURCES;HEADERS;DEPS;LIBS;PUBLIC_LIBS;TESTS;PROP_TESTS;TEST_LIBS" ${ARGN})
  if(L_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "rk_layer(${name}): unknown arguments: ${L_UNPARSED_ARGUMENTS}")
  endif()
  rk_check_edges(${name} ${L_DEPS})
  set(forward SOURCES ${L_SOURCES} HEADERS ${L_HEADERS} DEPS ${L_DEPS} LIBS ${L_LIBS}
              PUBLIC_LIBS ${L_PUBLIC_LIBS})
  if(L_EXCEPTIONS)
    list(APPEND forward EXCEPTIONS)
  endif()
  rk_add_layer_library(rookery_${name} "" ${forward})
  set_target_properties(rookery_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  if(L_SIM)
    rk_add_layer_library(rookery_${name}_sim "_sim" ${forward})
    # File by file even where the rest is built in batches: most files are the same text with and
    # without RK_SIM, so the second of the two comes from ccache.
    set_target_properties(rookery_${name} rookery_${name}_sim PROPERTIES
      UNITY_BUILD OFF CXX_COMPILER_LAUNCHER "${RK_TWIN_LAUNCHER}")
    set_target_properties(rookery_${name}_sim PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()

  # The whole archive must link with the declared dependencies alone: a symbol that was declared by
  # hand, or that comes from a layer above, fails here.
  set(main_file "${CMAKE_BINARY_DIR}/linktest/${name}.cc")
  if(NOT EXISTS "${main_file}")
    file(WRITE "${main_file}" "int main() { return 0; }\n")
  endif()
  add_executable(linktest_${name} "${main_file}")
  target_link_libraries(linktest_${name} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,rookery_${name}>")

  if(RK_BUILD_TESTS AND L_TESTS)
    rk_test(${name}_unit SOURCES ${L_TESTS} LIBS rookery_${name} ${L_TEST_LIBS} LABEL unit)
  endif()
  if(RK_BUILD_TESTS AND L_PROP_TESTS)
    rk_test(${name}_prop SOURCES ${L_PROP_TESTS} LIBS rookery_${name} ${L_TEST_LIBS} rapidcheck
            LABEL prop)
  endif()
endfunction()

# rk_test(name SOURCES ... LIBS ... LABEL unit|prop|sim|api|slow [TIMEOUT seconds])
# One ctest entry a binary: gtest's own start-up would otherwise cost more than most tests.
function(rk_test name)
  cmake_parse_arguments(T "" "LABEL;TIMEOUT" "SOURCES;LIBS" ${ARGN})
  if(NOT RK_BUILD_TESTS)
    return()
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  add_executable(${name} ${T_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE rk_warnings ${T_LIBS} rookery_test_main GTest::gmock)
  # What is tested is built as it is shipped; the test around it is quicker built than run.
  # At -O1 GCC 12 sees uninitialized optionals where there are none.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>
    $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${T_LABEL}" TIMEOUT ${T_TIMEOUT})
endfunction()
