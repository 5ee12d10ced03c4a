! fortran_fault count|stuck [f08]: an invalid call whose line is reported; with f08, through the Fortran 2008 module.
program fortran_fault
    use mpi
    implicit none
    integer :: rank, code, got, status(MPI_STATUS_SIZE)
    integer, save :: large(100000)
    character(len=16) :: what, how
    call get_command_argument(1, what)
    call get_command_argument(2, how)
    call MPI_Init(code)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
    large = rank
    if (how == 'f08') call by_f08(what)
    if (what == 'count') call MPI_Send(large, -1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, code)
    if (rank == 1) call MPI_Recv(got, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, status, code)
    call MPI_Finalize(code)
contains
    subroutine by_f08(what)
        use mpi_f08, only: send_by_f08 => MPI_Send, integer_type => MPI_INTEGER, world => MPI_COMM_WORLD
        character(len=*), intent(in) :: what
        if (what == 'count') call send_by_f08(large, -1, integer_type, 0, 5, world)
    end subroutine
end program
