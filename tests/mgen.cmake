haichi_test(mgen_tests
            LINKS haichi::mgen
            SOURCES unit/mgen_protocols.cc unit/mgen_replay.cc unit/call_replay.cc unit/mgen_partitions.cc unit/mgen_order.cc
                    property/mgen_matching.cc property/mgen_replay.cc)
