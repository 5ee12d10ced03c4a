#include "mgen/abi/openmpi/own_calls.h"

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <calls_generated.h>
#include "mgen/abi/mpich/error_text.h"
#include "mgen/abi/mpich/mpich_rank.h"

namespace haichi::abi::openmpi {

namespace {

void give(std::string_view text, std::size_t most, char* to, int* length) {
    text = text.substr(0, most - 1);
    text.copy(to, text.size());
    to[text.size()] = '\0';
    *length = static_cast<int>(text.size());
}

template <class Object>
int give_name(int (*get)(Object, char*, int*), Object object, char* name, int* length) {
    std::array<char, MPI_MAX_OBJECT_NAME> text{};
    const int code = get(object, text.data(), length);
    give(text.data(), kMostObjectName, name, length);
    return code;
}

/// Converts values of predefined attributes that are constants.
int give_attribute(int code, int key, void* value, const int* flag) {
    if (*flag != 0 && (key == MPI_HOST || key == MPI_IO)) {
        int& shown = **static_cast<int**>(value);
        shown = rank(shown);
    }
    return code;
}

/// Converts the constants among the integers of a type: the order of an array, and its distributions.
void convert_integers(MPI_Datatype type, int integers[]) {
    int counts[3] = {};
    int combiner = 0;
    mpich::Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
    if (combiner != MPI_COMBINER_SUBARRAY && combiner != MPI_COMBINER_DARRAY) return;
    int& order = integers[counts[0] - 1];
    order = order == MPI_ORDER_C ? 0 : 1;
    if (combiner != MPI_COMBINER_DARRAY) return;
    constexpr int kBeforeArrays = 3;  // the size, the rank and the number of dimensions
    const int dimensions = integers[2];
    int* const distributions = integers + kBeforeArrays + dimensions;
    for (int i = 0; i < dimensions; ++i) {
        distributions[i] -= MPI_DISTRIBUTE_BLOCK;  // three values in the same order, which begin at 0 in Open MPI
        int& argument = distributions[dimensions + i];
        if (argument == MPI_DISTRIBUTE_DFLT_DARG) argument = -1;
    }
}

}  // namespace

int Comm_get_attr(MPI_Comm comm, int key, void* value, int* flag) {
    return give_attribute(mpich::Comm_get_attr(comm, key, value, flag), key, value, flag);
}
int Attr_get(MPI_Comm comm, int key, void* value, int* flag) { return Comm_get_attr(comm, key, value, flag); }
int Win_get_attr(MPI_Win win, int key, void* value, int* flag) {
    const int code = mpich::Win_get_attr(win, key, value, flag);
    if (key == MPI_WIN_MODEL && *flag != 0) **static_cast<int**>(value) = kUnifiedModel;
    return code;
}

int Comm_get_name(MPI_Comm comm, char* name, int* length) {
    return give_name(mpich::Comm_get_name, comm, name, length);
}
int Type_get_name(MPI_Datatype type, char* name, int* length) {
    return give_name(mpich::Type_get_name, type, name, length);
}
int Win_get_name(MPI_Win win, char* name, int* length) { return give_name(mpich::Win_get_name, win, name, length); }

int Error_string(int code, char* text, int* length) {
    give(mpich::error_text(code), kMostErrorText, text, length);
    return MPI_SUCCESS;
}

int Get_library_version(char* version, int* length) {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> of_mpich{};
    mpich::Get_library_version(of_mpich.data(), length);
    // The first line ends with the collective algorithms of the run, for the profiler.
    std::string text(of_mpich.data(), std::string_view(of_mpich.data()).find('\n'));
    const std::string name = "MPICH " MPICH_VERSION;
    text.replace(text.find(name), name.size(), "Open MPI");
    give(text + "\nThe MPI of a simulated machine, with the binary interface of Open MPI (libmpi.so.40)", kMostVersion,
         version, length);
    return MPI_SUCCESS;
}
/// The MPI version that Open MPI 4 and 5 report.
int Get_version(int* version, int* subversion) {
    *version = 3;
    *subversion = 1;
    return MPI_SUCCESS;
}

int Type_get_contents(MPI_Datatype type, int most_integers, int most_addresses, int most_types, int integers[],
                      MPI_Aint addresses[], Datatype types[]) {
    int counts[3] = {};
    int combiner = 0;
    mpich::Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
    std::vector<MPI_Datatype> of_mpich(static_cast<std::size_t>(counts[2]));
    const int code = mpich::Type_get_contents(type, most_integers, most_addresses, std::min(most_types, counts[2]),
                                              integers, addresses, of_mpich.data());
    std::ranges::transform(of_mpich, types, handle_of_mpich<Datatype>);
    convert_integers(type, integers);
    return code;
}
int Type_get_contents_c(MPI_Datatype /*type*/, MPI_Count /*most_integers*/, MPI_Count /*most_addresses*/,
                        MPI_Count /*most_large_counts*/, MPI_Count /*most_types*/, int /*integers*/[],
                        MPI_Aint /*addresses*/[], MPI_Count /*large_counts*/[], Datatype /*types*/[]) {
    mpich::refuse("MPI_Type_get_contents_c");
}

int Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* made) {
    if (split_type != kSharedType && split_type != MPI_UNDEFINED) {
        mpich::refuse("MPI_Comm_split_type with a part of the hardware (OMPI_COMM_TYPE_*)");
    }
    const int type = split_type == kSharedType ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED;
    return mpich::Comm_split_type(comm, type, key, info, made);
}

}  // namespace haichi::abi::openmpi
