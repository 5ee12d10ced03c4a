haichi_test(objectives_tests
            LINKS haichi::mapper
            SOURCES unit/objectives.cc unit/max_hops.cc unit/limited_objectives.cc unit/sliced_collisions.cc unit/predicted_time.cc contract/objectives.cc
                    differential/graph_machines.cc)
# The same contract over 10^8 moves on problems drawn anew.
add_executable(contract_soak EXCLUDE_FROM_ALL contract/soak.cc)
target_link_libraries(contract_soak PRIVATE haichi_flags haichi::mapper GTest::gtest)
haichi_soak(contract.soak contract_soak --moves 1e8)
