haichi_test(netmodel_tests
            LINKS haichi::netmodel
            SOURCES unit/netmodel_topology.cc unit/netmodel_network.cc unit/netmodel_fold.cc unit/netmodel_machine.cc
                    unit/netmodel_allocation.cc unit/netmodel_graph.cc unit/netmodel_spread.cc unit/netmodel_faults.cc
                    unit/netmodel_presets.cc
                    property/netmodel_routes.cc property/netmodel_faults.cc property/netmodel_folds.cc
                    malformed/machine_file.cc malformed/machine_lists.cc malformed/machine_options.cc malformed/graphml.cc)

haichi_test(packetsim_tests
            LINKS haichi::netmodel
            SOURCES unit/packetsim_timing.cc unit/packetsim_engine.cc unit/packetsim_nodes.cc unit/packetsim_channels.cc unit/packetsim_statistics.cc unit/packetsim_layers.cc unit/packetsim_mail.cc
                    unit/packetsim_machine_timing.cc unit/packetsim_clusters.cc property/packetsim_reference.cc)

# Every row of the table of topologies, and one that exists only in these files.
haichi_test(topology_contract_tests
            LINKS haichi::netmodel
            SOURCES contract/topologies.cc contract/ring_of_stars.cc contract/more_topologies.cc
                    unit/netmodel_hyperx.cc unit/netmodel_dragonfly_plus.cc)

# The packet simulator flooded, with buffers of one packet: 10^8 packet-hops.
add_executable(packetsim_soak EXCLUDE_FROM_ALL property/packetsim_soak.cc)
target_link_libraries(packetsim_soak PRIVATE haichi_flags haichi::netmodel CLI11::CLI11)
haichi_soak(packetsim.soak packetsim_soak --hops 1e8)
