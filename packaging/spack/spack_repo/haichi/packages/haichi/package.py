# Spack packages get their directives by a star import.
# ruff: noqa: F403, F405, I001
from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *


class Haichi(CMakePackage):
    """haichi decides which node each rank of an MPI job runs on, so that
    messages do not share links. It searches for a placement, simulates the
    best candidates packet by packet, and writes the rank map that the job
    launcher reads."""

    # The sources are not on a server yet. Spack uses branch main of the clone that contains this recipe.
    git = Path(__file__).resolve().parents[6].as_uri()
    homepage = git

    license("Apache-2.0", checked_by="haichi")

    version("main", branch="main")

    variant("mpi", default=True, description="Profiler, preloaded libraries; live programs (MPICH)")
    variant("otf2", default=True, description="Reader of OTF2 traces")
    variant("dwarf", default=True, description="Source lines of MPI calls in profiles")

    generator("ninja")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("boost@1.74:")
    depends_on("cli11@2.1:")
    depends_on("expat@2.5:")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3.11:")
    depends_on("spdlog@1.10:")
    depends_on("yaml-cpp@0.7:")
    with when("+mpi"):
        depends_on("boost+context")
        depends_on("mpi")
        depends_on("python@3.9:", type="build")  # writes the wrappers of the MPI functions
    depends_on("otf2@3:", when="+otf2")
    depends_on("elfutils", when="+dwarf")

    conflicts("%gcc@:11", msg="haichi requires GCC 12 or newer")

    def cmake_args(self):
        mpi = self.spec["mpi"].name if self.spec.satisfies("+mpi") else None
        mpicc = {"openmpi": "", "mpich": ""}  # With an empty value, CMake ignores the wrappers of the system.
        if mpi:
            mpicc["openmpi" if mpi == "openmpi" else "mpich"] = self.spec["mpi"].mpicc
        args = [self.define(f"HAICHI_MPICC_{name}", wrapper) for name, wrapper in mpicc.items()]
        if self.spec.satisfies("~otf2"):
            args.append(self.define("OTF2_INCLUDE_DIR", ""))
        if self.spec.satisfies("~dwarf"):
            args.append(self.define("LIBDW_INCLUDE_DIR", ""))
        return args

    def test_map(self):
        """map 16 ranks of NAS CG onto a torus"""
        haichi = Executable(self.prefix.bin.haichi)
        haichi("pattern", "cg", "--ranks", "16", "-o", "cg.json")
        job = ["-m", "torus:6x4", "-w", "cg.json", "--evaluations", "1000"]
        haichi("map", *job, "-o", "rankmap.txt")
        assert len(Path("rankmap.txt").read_text().splitlines()) == 16
