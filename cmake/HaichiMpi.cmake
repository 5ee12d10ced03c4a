# haichi_find_mpi(MPI WRAPPER) finds the header of an MPI, for the libraries that are built separately for each MPI.
# Each MPI is found through its own compiler wrapper, because find_package(MPI) would mix several MPIs. The function
# sets
#     HAICHI_MPI_FOUND      whether the MPI was found
#     HAICHI_MPI_COMPILER   the preprocessor for the header
#     HAICHI_MPI_INCLUDES   the directories of the header
# Users can set these variables for openmpi (Open MPI and similar) or mpich (any MPI with MPICH's binary interface):
#     HAICHI_MPICC_openmpi         the wrapper, by name or path
#     HAICHI_MPI_INCLUDE_openmpi   the directories of mpi.h, to cross-compile or if no wrapper supports -show
#     HAICHI_MPI_FORTRAN_openmpi   the Fortran wrapper, or the MPI's Fortran libraries
find_program(HAICHI_GENERATOR_PYTHON python3 DOC "Python that writes the generated sources")

function(haichi_find_mpi MPI WRAPPER)
  set(HAICHI_MPI_INCLUDE_${MPI} "" CACHE STRING "Folders of the mpi.h of ${MPI}; none: asked of its compiler wrapper")
  set(HAICHI_MPI_FOUND FALSE PARENT_SCOPE)
  if(NOT HAICHI_GENERATOR_PYTHON)
    message(STATUS "${MPI}: skipped, requires Python")
    return()
  endif()
  if(HAICHI_MPI_INCLUDE_${MPI})
    set(HAICHI_MPI_COMPILER ${CMAKE_CXX_COMPILER} PARENT_SCOPE)
    set(HAICHI_MPI_INCLUDES ${HAICHI_MPI_INCLUDE_${MPI}} PARENT_SCOPE)
    set(HAICHI_MPI_FOUND TRUE PARENT_SCOPE)
    return()
  endif()
  # When cross-compiling, wrappers of this computer would find the wrong headers.
  if(NOT CMAKE_CROSSCOMPILING)
    find_program(HAICHI_MPICC_${MPI} ${WRAPPER})
  endif()
  if(NOT HAICHI_MPICC_${MPI})
    message(STATUS "${MPI}: skipped, requires ${WRAPPER}, HAICHI_MPICC_${MPI} or HAICHI_MPI_INCLUDE_${MPI}")
    return()
  endif()
  execute_process(COMMAND ${HAICHI_MPICC_${MPI}} -show OUTPUT_VARIABLE SHOWN OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE STATUS)
  if(NOT STATUS EQUAL 0)
    message(STATUS "${MPI}: skipped because '${HAICHI_MPICC_${MPI}} -show' fails, set HAICHI_MPI_INCLUDE_${MPI}")
    return()
  endif()
  separate_arguments(SHOWN UNIX_COMMAND "${SHOWN}")
  list(FILTER SHOWN INCLUDE REGEX "^-I")
  list(TRANSFORM SHOWN REPLACE "^-I" "")
  set(HAICHI_MPI_COMPILER ${HAICHI_MPICC_${MPI}} PARENT_SCOPE)
  set(HAICHI_MPI_INCLUDES ${SHOWN} PARENT_SCOPE)
  set(HAICHI_MPI_FOUND TRUE PARENT_SCOPE)
endfunction()
