#pragma once

#include "mgen/abi/openmpi/arguments.h"

namespace haichi::abi::openmpi {

// Calls that differ from MPICH's by more than the conversion of single arguments. Arguments are already converted,
// except functions of the program.

int Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* made);
int Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* made);
int File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* made);
int Session_create_errhandler(MPI_Session_errhandler_function* function, MPI_Errhandler* made);
int Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* made);

int Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* erase, int* key, void* extra);
int Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* erase, int* key, void* extra);
int Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* erase, int* key, void* extra);
int Win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* erase, int* key, void* extra);
int Comm_get_attr(MPI_Comm comm, int key, void* value, int* flag);
int Attr_get(MPI_Comm comm, int key, void* value, int* flag);
int Win_get_attr(MPI_Win win, int key, void* value, int* flag);

int Op_create(MPI_User_function* function, int commutes, MPI_Op* made);
int Op_create_c(MPI_User_function_c* function, int commutes, MPI_Op* made);
int Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                   MPI_Grequest_cancel_function* cancel, void* extra, MPI_Request* made);

int Comm_get_name(MPI_Comm comm, char* name, int* length);
int Type_get_name(MPI_Datatype type, char* name, int* length);
int Win_get_name(MPI_Win win, char* name, int* length);
int Error_string(int code, char* text, int* length);
int Get_library_version(char* version, int* length);
int Get_version(int* version, int* subversion);

int Type_get_contents(MPI_Datatype type, int most_integers, int most_addresses, int most_types, int integers[],
                      MPI_Aint addresses[], Datatype types[]);
int Type_get_contents_c(MPI_Datatype type, MPI_Count most_integers, MPI_Count most_addresses,
                        MPI_Count most_large_counts, MPI_Count most_types, int integers[], MPI_Aint addresses[],
                        MPI_Count large_counts[], Datatype types[]);
int Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* made);

}  // namespace haichi::abi::openmpi
