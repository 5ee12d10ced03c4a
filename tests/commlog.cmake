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
