# Builds programs, Python extensions and preloaded libraries that require only glibc 2.28 or newer, and no other shared
# library. scripts/portable_sysroot.sh makes the sysroot. These variables, or environment variables of the same
# names, select it:
#     HAICHI_PORTABLE_ARCH      x86_64 or aarch64
#     HAICHI_PORTABLE_SYSROOT   the sysroot; default: build/sysroot-ARCH
foreach(variable HAICHI_PORTABLE_ARCH HAICHI_PORTABLE_SYSROOT)
  if(NOT ${variable} AND DEFINED ENV{${variable}})
    set(${variable} $ENV{${variable}})
  endif()
endforeach()
if(NOT HAICHI_PORTABLE_ARCH)
  set(HAICHI_PORTABLE_ARCH x86_64)
endif()
if(NOT HAICHI_PORTABLE_SYSROOT)
  cmake_path(SET HAICHI_PORTABLE_SYSROOT NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot-${HAICHI_PORTABLE_ARCH})
endif()
if(NOT EXISTS ${HAICHI_PORTABLE_SYSROOT}/complete)
  message(FATAL_ERROR "no sysroot ${HAICHI_PORTABLE_SYSROOT}: scripts/portable_sysroot.sh ${HAICHI_PORTABLE_ARCH}")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HAICHI_PORTABLE_ARCH HAICHI_PORTABLE_SYSROOT)

set(triple ${HAICHI_PORTABLE_ARCH}-linux-gnu)
set(sysroot ${HAICHI_PORTABLE_SYSROOT})
if(NOT HAICHI_PORTABLE_ARCH STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR ${HAICHI_PORTABLE_ARCH})
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${HAICHI_PORTABLE_ARCH};-L;${sysroot})
endif()
set(CMAKE_C_COMPILER ${triple}-gcc-12)
set(CMAKE_CXX_COMPILER ${triple}-g++-12)
set(CMAKE_STRIP ${triple}-strip)
set(CMAKE_SYSROOT ${sysroot})
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_SKIP_RPATH ON)

# By default, GCC searches the directories of the host's C library first. With the options in the file `flags`, it
# searches the sysroot first.
file(STRINGS ${sysroot}/flags flags)
list(GET flags 0 CMAKE_C_FLAGS_INIT)
list(GET flags 1 CMAKE_CXX_FLAGS_INIT)
list(GET flags 2 link_flags)
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "${link_flags}")
endforeach()

# Shared libraries cannot link GCC's static OpenMP library, so they use cmake/portable/openmp.cc instead.
set(OpenMP_gomp_LIBRARY "$<IF:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>,${sysroot}/usr/lib/${triple}/libgomp.a,${sysroot}/usr/lib/${triple}/libopenmp_shared.a>"
    CACHE STRING "" FORCE)

# Headers of both MPIs, and libraries whose symbols give the names of the Fortran functions. No MPI is linked.
set(mpi ${sysroot}/mpi/usr/lib/${triple})
set(HAICHI_MPI_INCLUDE_openmpi ${mpi}/openmpi/include CACHE STRING "")
set(HAICHI_MPI_INCLUDE_mpich ${sysroot}/mpi/usr/include/${triple}/mpich CACHE STRING "")
set(HAICHI_MPI_FORTRAN_openmpi
    ${mpi}/libmpi_mpifh.so.40;${mpi}/libmpi_usempi_ignore_tkr.so.40;${mpi}/libmpi_usempif08.so.40 CACHE STRING "")
set(HAICHI_MPI_FORTRAN_mpich ${mpi}/libmpichfort.so.12 CACHE STRING "")
