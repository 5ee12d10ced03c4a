haichi_test(objectives_tests
            LINKS haichi::mapper
            SOURCES unit/objectives.cc unit/sliced_collisions.cc contract/objectives.cc
                    differential/graph_machines.cc)
