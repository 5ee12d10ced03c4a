haichi_test(objectives_tests
            LINKS haichi::mapper
            SOURCES unit/objectives.cc unit/sliced_collisions.cc unit/tac3_overlap.cc contract/objectives.cc
                    differential/graph_machines.cc)
# The same contract over 10^8 moves on problems drawn anew.
add_executable(contract_soak contract/soak.cc)
target_link_libraries(contract_soak PRIVATE haichi_flags haichi::mapper GTest::gtest)
add_test(NAME contract.soak COMMAND contract_soak --moves 1e8)
set_tests_properties(contract.soak PROPERTIES LABELS slow TIMEOUT 3600)
