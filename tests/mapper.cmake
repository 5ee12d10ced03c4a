haichi_test(mapper_tests
            LINKS haichi::mapper
            SOURCES unit/anneal.cc unit/start.cc unit/start_bisection.cc differential/anneal_exhaustive.cc determinism/threads.cc
                    unit/qaplib_hop_bytes.cc)
target_compile_definitions(mapper_tests PRIVATE HAICHI_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/data")
