#include "tests/commlog/profiler/tracer/tracer.h"

/* Calls that move no message of the application. MPI_Init and MPI_Finalize, and calls before MPI_Init and after
 * MPI_Finalize, do not count. */

int MPI_Finalize(void) {
    write_trace();
    return PMPI_Finalize();
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
    trace_call("MPI_Comm_rank");
    return PMPI_Comm_rank(comm, rank);
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
    trace_call("MPI_Comm_size");
    return PMPI_Comm_size(comm, size);
}

int MPI_Comm_remote_size(MPI_Comm comm, int* size) {
    trace_call("MPI_Comm_remote_size");
    return PMPI_Comm_remote_size(comm, size);
}

int MPI_Comm_test_inter(MPI_Comm comm, int* flag) {
    trace_call("MPI_Comm_test_inter");
    return PMPI_Comm_test_inter(comm, flag);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* created) {
    trace_call("MPI_Comm_split");
    return PMPI_Comm_split(comm, color, key, created);
}

int MPI_Comm_split_type(MPI_Comm comm, int kind, int key, MPI_Info info, MPI_Comm* created) {
    trace_call("MPI_Comm_split_type");
    return PMPI_Comm_split_type(comm, kind, key, info, created);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* created) {
    trace_call("MPI_Comm_dup");
    return PMPI_Comm_dup(comm, created);
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* created, MPI_Request* request) {
    trace_call("MPI_Comm_idup");
    return PMPI_Comm_idup(comm, created, request);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* created) {
    trace_call("MPI_Comm_create");
    return PMPI_Comm_create(comm, group, created);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* created) {
    trace_call("MPI_Comm_create_group");
    return PMPI_Comm_create_group(comm, group, tag, created);
}

int MPI_Comm_free(MPI_Comm* comm) {
    trace_call("MPI_Comm_free");
    return PMPI_Comm_free(comm);
}

int MPI_Comm_compare(MPI_Comm left, MPI_Comm right, int* result) {
    trace_call("MPI_Comm_compare");
    return PMPI_Comm_compare(left, right, result);
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
    trace_call("MPI_Comm_group");
    return PMPI_Comm_group(comm, group);
}

int MPI_Comm_set_name(MPI_Comm comm, const char* name) {
    trace_call("MPI_Comm_set_name");
    return PMPI_Comm_set_name(comm, name);
}

int MPI_Comm_get_name(MPI_Comm comm, char* name, int* length) {
    trace_call("MPI_Comm_get_name");
    return PMPI_Comm_get_name(comm, name, length);
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
    trace_call("MPI_Comm_set_errhandler");
    return PMPI_Comm_set_errhandler(comm, handler);
}

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peers, int remote_leader, int tag, MPI_Comm* created) {
    trace_call("MPI_Intercomm_create");
    return PMPI_Intercomm_create(local, leader, peers, remote_leader, tag, created);
}

int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm* created) {
    trace_call("MPI_Intercomm_merge");
    return PMPI_Intercomm_merge(comm, high, created);
}

int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* created) {
    trace_call("MPI_Group_incl");
    return PMPI_Group_incl(group, n, ranks, created);
}

int MPI_Group_free(MPI_Group* group) {
    trace_call("MPI_Group_free");
    return PMPI_Group_free(group);
}

int MPI_Cart_create(MPI_Comm comm, int n, const int sizes[], const int periods[], int reorder, MPI_Comm* created) {
    trace_call("MPI_Cart_create");
    return PMPI_Cart_create(comm, n, sizes, periods, reorder, created);
}

int MPI_Cart_coords(MPI_Comm comm, int rank, int n, int coordinates[]) {
    trace_call("MPI_Cart_coords");
    return PMPI_Cart_coords(comm, rank, n, coordinates);
}

int MPI_Cart_shift(MPI_Comm comm, int direction, int displacement, int* from, int* to) {
    trace_call("MPI_Cart_shift");
    return PMPI_Cart_shift(comm, direction, displacement, from, to);
}

int MPI_Cart_sub(MPI_Comm comm, const int kept[], MPI_Comm* created) {
    trace_call("MPI_Cart_sub");
    return PMPI_Cart_sub(comm, kept, created);
}

int MPI_Dims_create(int nodes, int n, int sizes[]) {
    trace_call("MPI_Dims_create");
    return PMPI_Dims_create(nodes, n, sizes);
}

int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* created) {
    trace_call("MPI_Type_contiguous");
    return PMPI_Type_contiguous(count, type, created);
}

int MPI_Type_vector(int count, int length, int stride, MPI_Datatype type, MPI_Datatype* created) {
    trace_call("MPI_Type_vector");
    return PMPI_Type_vector(count, length, stride, type, created);
}

int MPI_Type_indexed(int count, const int lengths[], const int displacements[], MPI_Datatype type,
                     MPI_Datatype* created) {
    trace_call("MPI_Type_indexed");
    return PMPI_Type_indexed(count, lengths, displacements, type, created);
}

int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint displacements[], MPI_Datatype type,
                             MPI_Datatype* created) {
    trace_call("MPI_Type_create_hindexed");
    return PMPI_Type_create_hindexed(count, lengths, displacements, type, created);
}

int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint displacements[], const MPI_Datatype types[],
                           MPI_Datatype* created) {
    trace_call("MPI_Type_create_struct");
    return PMPI_Type_create_struct(count, lengths, displacements, types, created);
}

int MPI_Type_create_resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* created) {
    trace_call("MPI_Type_create_resized");
    return PMPI_Type_create_resized(type, lower, extent, created);
}

int MPI_Type_create_subarray(int n, const int sizes[], const int parts[], const int starts[], int order,
                             MPI_Datatype type, MPI_Datatype* created) {
    trace_call("MPI_Type_create_subarray");
    return PMPI_Type_create_subarray(n, sizes, parts, starts, order, type, created);
}

int MPI_Type_commit(MPI_Datatype* type) {
    trace_call("MPI_Type_commit");
    return PMPI_Type_commit(type);
}

int MPI_Type_free(MPI_Datatype* type) {
    trace_call("MPI_Type_free");
    return PMPI_Type_free(type);
}

int MPI_Type_size(MPI_Datatype type, int* size) {
    trace_call("MPI_Type_size");
    return PMPI_Type_size(type, size);
}

int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent) {
    trace_call("MPI_Type_get_extent");
    return PMPI_Type_get_extent(type, lower, extent);
}

int MPI_Get_address(const void* location, MPI_Aint* address) {
    trace_call("MPI_Get_address");
    return PMPI_Get_address(location, address);
}

int MPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
    trace_call("MPI_Get_count");
    return PMPI_Get_count(status, type, count);
}

int MPI_Get_elements(const MPI_Status* status, MPI_Datatype type, int* count) {
    trace_call("MPI_Get_elements");
    return PMPI_Get_elements(status, type, count);
}

int MPI_Test_cancelled(const MPI_Status* status, int* flag) {
    trace_call("MPI_Test_cancelled");
    return PMPI_Test_cancelled(status, flag);
}

int MPI_Buffer_attach(void* buffer, int size) {
    trace_call("MPI_Buffer_attach");
    return PMPI_Buffer_attach(buffer, size);
}

int MPI_Buffer_detach(void* buffer, int* size) {
    trace_call("MPI_Buffer_detach");
    return PMPI_Buffer_detach(buffer, size);
}

int MPI_Op_create(MPI_User_function* function, int commutes, MPI_Op* op) {
    trace_call("MPI_Op_create");
    return PMPI_Op_create(function, commutes, op);
}

int MPI_Op_free(MPI_Op* op) {
    trace_call("MPI_Op_free");
    return PMPI_Op_free(op);
}

int MPI_Initialized(int* flag) {
    trace_call("MPI_Initialized");
    return PMPI_Initialized(flag);
}

int MPI_Query_thread(int* provided) {
    trace_call("MPI_Query_thread");
    return PMPI_Query_thread(provided);
}

int MPI_Get_processor_name(char* name, int* length) {
    trace_call("MPI_Get_processor_name");
    return PMPI_Get_processor_name(name, length);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, const int sources[], const int source_weights[], int outgoing,
                                   const int destinations[], const int weights[], MPI_Info info, int reorder,
                                   MPI_Comm* created) {
    trace_call("MPI_Dist_graph_create_adjacent");
    return PMPI_Dist_graph_create_adjacent(comm, in, sources, source_weights, outgoing, destinations, weights, info,
                                           reorder, created);
}

double MPI_Wtime(void) {
    trace_call("MPI_Wtime");
    return PMPI_Wtime();
}
