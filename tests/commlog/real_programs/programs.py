"""The real programs: their origin, inputs and command lines. Debian's programs are installed by name. Users
build the mini-applications in a directory, as each project describes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from expectation import cube, square

Texts = dict[str, str]


@dataclass(frozen=True)
class Program:
    name: str
    source: str  # description and version of the program
    executable: Callable[[int], str]  # by ranks: a file in the directory of programs, or a command
    arguments: Callable[[int], list[object]]
    inputs: Callable[[int], Texts] = field(default=lambda _: {})
    packaged: bool = False
    before: tuple[str, ...] = ()  # commands to run first, in the working directory

    def find(self, ranks: int, folder: Path) -> Path | None:
        name = self.executable(ranks)
        if self.packaged:
            found = shutil.which(name)
            return Path(found) if found else None
        return folder / name if (folder / name).is_file() else None


def lammps_input(ranks: int) -> Texts:
    x, y, z = cube(ranks)
    return {
        "in.lj": f"""\
# The Lennard-Jones benchmark of LAMMPS' folder bench, 4 x 4 x 4 cells to a rank.
units lj
atom_style atomic
processors {x} {y} {z}
lattice fcc 0.8442
region box block 0 {4 * x} 0 {4 * y} 0 {4 * z}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
run 100
"""
    }


def foam(kind: str, text: str, location: str = "system") -> str:
    head = "version 2.0; format ascii; class dictionary;"
    if location == "0":
        head = f"version 2.0; format ascii; class {'volVectorField' if kind == 'U' else 'volScalarField'};"
    return f"FoamFile {{ {head} location {location}; object {kind}; }}\n{text}"


def icofoam_input(ranks: int) -> Texts:
    """The cavity of OpenFOAM's tutorials on 64 x 64 cells, with 50 iterations for each pressure equation."""
    x, y = square(ranks)
    corners = "(0 0 0) (1 0 0) (1 1 0) (0 1 0) (0 0 0.1) (1 0 0.1) (1 1 0.1) (0 1 0.1)"
    return {
        "system/controlDict": foam(
            "controlDict",
            "application icoFoam; startFrom startTime; startTime 0; stopAt endTime; endTime 0.02; deltaT 0.001;\n"
            "writeControl timeStep; writeInterval 1000; runTimeModifiable no;\n",
        ),
        "system/fvSchemes": foam(
            "fvSchemes",
            "ddtSchemes { default Euler; }\ngradSchemes { default Gauss linear; }\n"
            "divSchemes { default none; div(phi,U) Gauss linear; }\n"
            "laplacianSchemes { default Gauss linear orthogonal; }\n"
            "interpolationSchemes { default linear; }\nsnGradSchemes { default orthogonal; }\n",
        ),
        "system/fvSolution": foam(
            "fvSolution",
            "solvers\n{\n    p { solver PCG; preconditioner DIC; tolerance 0; relTol 0; maxIter 50; }\n"
            "    pFinal { $p; }\n"
            "    U { solver smoothSolver; smoother symGaussSeidel; tolerance 1e-05; relTol 0; }\n}\n"
            "PISO { nCorrectors 2; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0; }\n",
        ),
        "system/blockMeshDict": foam(
            "blockMeshDict",
            f"vertices ({corners});\nblocks (hex (0 1 2 3 4 5 6 7) (64 64 1) simpleGrading (1 1 1));\nboundary\n(\n"
            "    movingWall { type wall; faces ((3 7 6 2)); }\n"
            "    fixedWalls { type wall; faces ((0 4 7 3) (2 6 5 1) (1 5 4 0)); }\n"
            "    frontAndBack { type empty; faces ((0 3 2 1) (4 5 6 7)); }\n);\n",
        ),
        "system/decomposeParDict": foam(
            "decomposeParDict",
            f"numberOfSubdomains {ranks}; method simple; simpleCoeffs {{ n ({x} {y} 1); delta 0.001; }}\n",
        ),
        "constant/transportProperties": foam("transportProperties", "nu [0 2 -1 0 0 0 0] 0.01;\n", "constant"),
        "0/U": foam(
            "U",
            "dimensions [0 1 -1 0 0 0 0]; internalField uniform (0 0 0);\nboundaryField\n{\n"
            "    movingWall { type fixedValue; value uniform (1 0 0); }\n    fixedWalls { type noSlip; }\n"
            "    frontAndBack { type empty; }\n}\n",
            "0",
        ),
        "0/p": foam(
            "p",
            "dimensions [0 2 -2 0 0 0 0]; internalField uniform 0;\nboundaryField\n{\n"
            "    movingWall { type zeroGradient; }\n    fixedWalls { type zeroGradient; }\n"
            "    frontAndBack { type empty; }\n}\n",
            "0",
        ),
    }


CLOVER = """\
*clover
 state 1 density=0.2 energy=1.0
 state 2 density=1.0 energy=2.5 geometry=rectangle xmin=0.0 xmax=5.0 ymin=0.0 ymax=2.0
 x_cells=96
 y_cells=96
 xmin=0.0
 ymin=0.0
 xmax=10.0
 ymax=10.0
 initial_timestep=0.04
 timestep_rise=1.5
 max_timestep=0.04
 end_step=40
 test_problem 2
*endclover
"""

MINIMD = """\
Lennard-Jones input file for miniMD

lj             units (lj or metal)
none           data file (none or filename)
lj             force style (lj or eam)
1.0 1.0        LJ parameters (epsilon and sigma)
16 16 16       size of problem
100            timesteps
0.005          timestep size
1.44           initial temperature
0.8442         density
20             reneighboring every this many steps
2.5 0.30       force cutoff and neighbor skin
100            thermo calculation every this many steps (0 = start,end)
"""

LU = """\
printing of the progress: ipr inorm

1 20
iterations

20
time step

1.5e-3
omega

1.2
tolerances

1.0e-08 1.0e-08 1.0e-08 1.0e-08 1.0e-08
points

33 33 33
"""

MG = """\
6 = top level
64 64 64 = nx ny nz
20 = nit
0 0 0 0 0 0 0 0 = debug_vec
"""


def comd_arguments(ranks: int) -> list[object]:
    x, y, z = cube(ranks)
    grid: list[object] = ["-i", x, "-j", y, "-k", z, "-x", 3 * x, "-y", 3 * y, "-z", 3 * z]
    return ["-e", "-d", "{programs}", *grid, "-N", 100, "-n", 10]


PRK = "the Parallel Research Kernels, github.com/ParRes/Kernels 04248b6, MPI1"
NPB = "NAS Parallel Benchmarks 3.3, github.com/mbdevpl/nas-parallel-benchmarks 6f8ec75, class W"

PROGRAMS = [
    Program(
        "LAMMPS", "Debian, lammps 20220106", lambda _: "lmp", lambda _: ["-in", "in.lj"], lammps_input, packaged=True
    ),
    Program(
        "OpenFOAM icoFoam",
        "Debian, openfoam 1912.200626",
        lambda _: "icoFoam",
        lambda _: ["-parallel"],
        icofoam_input,
        packaged=True,
        before=("blockMesh", "decomposePar"),
    ),
    Program("CoMD", "github.com/ECP-copa/CoMD 3d48396, src-mpi", lambda _: "CoMD-mpi", comd_arguments),
    Program("LULESH", "github.com/LLNL/LULESH 3e01c40", lambda _: "lulesh2.0", lambda _: ["-s", 6, "-i", 30]),
    Program(
        "miniFE",
        "github.com/Mantevo/miniFE c79e0f7, ref",
        lambda _: "miniFE.x",
        lambda _: ["-nx", 24, "-ny", 24, "-nz", 24],
    ),
    Program("HPCCG", "github.com/Mantevo/HPCCG 80dd2f1", lambda _: "test_HPCCG", lambda _: [8, 8, 8]),
    Program(
        "miniMD",
        "github.com/Mantevo/miniMD 2662065, ref",
        lambda _: "miniMD_openmpi",
        lambda _: ["-i", "in.lj.miniMD"],
        lambda _: {"in.lj.miniMD": MINIMD},
    ),
    Program(
        "CloverLeaf",
        "github.com/UK-MAC/CloverLeaf_ref 0fdb917",
        lambda _: "clover_leaf",
        lambda _: [],
        lambda _: {"clover.in": CLOVER},
    ),
    Program("PRK Stencil", PRK, lambda _: "stencil", lambda _: [50, 256]),
    Program("PRK Synch_p2p", PRK, lambda _: "p2p", lambda _: [50, 128, 65, 8]),
    Program("PRK Transpose", PRK, lambda _: "transpose", lambda _: [20, 256]),
    Program("NPB CG", NPB, lambda ranks: f"cg.W.{ranks}", lambda _: []),
    Program("NPB LU", NPB, lambda ranks: f"lu.W.{ranks}", lambda _: [], lambda _: {"inputlu.data": LU}),
    Program("NPB MG", NPB, lambda ranks: f"mg.W.{ranks}", lambda _: [], lambda _: {"mg.input": MG}),
]
