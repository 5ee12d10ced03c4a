haichi_test(mapper_tests
            LINKS haichi::mapper
            SOURCES unit/anneal.cc unit/start.cc unit/start_bisection.cc differential/anneal_exhaustive.cc determinism/threads.cc)
