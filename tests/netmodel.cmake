haichi_test(netmodel_tests
            LINKS haichi::netmodel
            SOURCES unit/netmodel_topology.cc unit/netmodel_network.cc unit/netmodel_fold.cc unit/netmodel_machine.cc
                    unit/netmodel_allocation.cc unit/netmodel_graph.cc unit/netmodel_faults.cc
                    property/netmodel_routes.cc property/netmodel_faults.cc property/netmodel_folds.cc
                    malformed/machine_file.cc malformed/machine_lists.cc malformed/machine_options.cc malformed/graphml.cc)

haichi_test(packetsim_tests
            LINKS haichi::netmodel
            SOURCES unit/packetsim_timing.cc unit/packetsim_engine.cc unit/packetsim_nodes.cc unit/packetsim_channels.cc
                    property/packetsim_reference.cc)
