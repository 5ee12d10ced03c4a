haichi_test(objectives_tests
            LINKS haichi::mapper
            SOURCES unit/objectives.cc contract/objectives.cc)
