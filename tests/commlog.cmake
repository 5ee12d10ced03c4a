haichi_test(commlog_tests
            LINKS haichi::commlog
            SOURCES unit/commlog_workload.cc
                    unit/job_totals.cc
                    unit/commlog_workload_json.cc
                    unit/commlog_readers.cc
                    unit/commlog_collectives.cc
                    unit/commlog_patterns.cc
                    unit/commlog_ccs.cc unit/commlog_log.cc
                    malformed/workload_json.cc
                    malformed/workload_matrices.cc
                    property/commlog_workload.cc
                    property/commlog_readers.cc
                    property/commlog_patterns.cc)
haichi_test(commlog_log_tests
            LINKS haichi::commlog
            SOURCES unit/commlog_log_readers.cc
                    unit/commlog_log_otf2.cc
                    malformed/log_readers.cc)
target_compile_definitions(commlog_log_tests PRIVATE HAICHI_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/data")
if(OTF2_INCLUDE_DIR AND OTF2_LIBRARY)
  target_include_directories(commlog_log_tests SYSTEM PRIVATE ${OTF2_INCLUDE_DIR})
  target_link_libraries(commlog_log_tests PRIVATE ${OTF2_LIBRARY})
  target_compile_definitions(commlog_log_tests PRIVATE HAICHI_HAS_OTF2)
endif()
