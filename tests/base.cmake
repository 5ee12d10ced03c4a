haichi_test(base_tests
            LINKS haichi::base
            SOURCES unit/base_quantity.cc unit/base_random.cc unit/base_outputs.cc unit/base_located_json.cc
                    unit/base_errors.cc unit/base_log.cc unit/base_table.cc)
