haichi_test(mapper_tests
            LINKS haichi::mapper
            SOURCES unit/anneal.cc unit/lane_annealer.cc unit/move_window.cc unit/ordered.cc unit/map_auto.cc unit/start.cc unit/job.cc unit/start_bisection.cc unit/start_rank_groups.cc unit/structure.cc unit/map_shapes.cc unit/plugin_library.cc unit/tabu.cc property/tabu_swap_table.cc
                    differential/search_exhaustive.cc determinism/threads.cc
                    unit/qaplib_hop_bytes.cc unit/advise_rails.cc unit/advise_barrier.cc unit/advise_shape.cc unit/advise_spread.cc unit/map_clusters.cc unit/advice_runs.cc
                    unit/placement_view.cc unit/line_rate.cc)
target_compile_definitions(mapper_tests PRIVATE HAICHI_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/data")
# The plug-in of examples/ is the one that the tests load.
add_dependencies(mapper_tests set_diameter)
target_compile_definitions(mapper_tests PRIVATE HAICHI_TEST_PLUGIN="$<TARGET_FILE:set_diameter>")
