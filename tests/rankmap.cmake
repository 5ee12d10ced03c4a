haichi_test(rankmap_tests
            LINKS haichi::mapper
            SOURCES unit/rankmap_formats.cc
                    unit/rankmap_hosts.cc
                    unit/rankmap_launchers.cc
                    unit/rankmap_pjm.cc
                    unit/rankmap_check.cc
                    unit/report_json.cc
                    malformed/rankmap_text.cc
                    malformed/rankmap_launchers.cc
                    malformed/rankmap_json.cc
                    property/rankmap_roundtrip.cc)
