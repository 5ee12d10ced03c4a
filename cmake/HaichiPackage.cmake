# `cpack -G DEB` in the build directory makes one Debian package of all targets that were built. The package does not
# contain the Python package, which requires newer Python libraries than those of Debian 12. Users of Python install
# the wheel.
set(CPACK_PACKAGE_NAME haichi)
set(CPACK_PACKAGE_VENDOR "the haichi authors")
set(CPACK_PACKAGE_CONTACT "the haichi authors <maintainers@users.noreply.a-seed-5749dc2d.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "topology-aware placement of MPI ranks")
set(CPACK_PACKAGE_DESCRIPTION "haichi decides which node each rank of an MPI job runs on, so that
messages do not share links. It searches for a placement, simulates the best
candidates packet by packet, and writes the rank map that the job launcher
reads. It supports Tofu, meshes, tori, fat trees, dragonflies and HyperX.
.
The package contains the program, the profiler, the libraries that are
preloaded into MPI programs, and the C++ library libhaichi.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "mpich | openmpi-bin, g++")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# The files `triggers` and `shlibs` are for programs that link libhaichi. CPack's own `shlibs` would also list the
# library for live programs, whose name is libmpich.
set(control ${PROJECT_BINARY_DIR}/debian_control)
file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
file(WRITE ${control}/shlibs "libhaichi ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} haichi (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${control}/triggers ${control}/shlibs)

configure_file(cmake/debian_files.cmake.in debian_files.cmake @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/debian_files.cmake)
include(CPack)
