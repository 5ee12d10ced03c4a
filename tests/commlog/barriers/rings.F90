! rings.c with mpif.h (-DMPIF), `use mpi` (-DUSEMPI) or `use mpi_f08`.
program rings
#if defined(USEMPI)
  use mpi
#elif !defined(MPIF)
  use mpi_f08
#endif
  implicit none
#if defined(MPIF)
  include 'mpif.h'
#endif
#if defined(MPIF) || defined(USEMPI)
  integer :: comm, requests(2)
#else
  type(MPI_Comm) :: comm
  type(MPI_Request) :: requests(2)
#endif
  integer :: rank, ranks, error, i, iterations, sent(1), received(1), sum(1)
  character(len=16) :: word

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  iterations = 5
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) iterations
  end if
  sent(1) = rank
  sum(1) = rank
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
  call MPI_Bcast(sum, 1, MPI_INTEGER, 0, comm, error)
  do i = 1, iterations
    call MPI_Irecv(received, 1, MPI_INTEGER, mod(rank + ranks - 1, ranks), 1, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(sent, 1, MPI_INTEGER, mod(rank + 1, ranks), 1, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    if (received(1) /= mod(rank + ranks - 1, ranks)) call MPI_Abort(MPI_COMM_WORLD, 1, error)
    call MPI_Sendrecv(sent, 1, MPI_INTEGER, mod(rank + 2, ranks), 2, received, 1, MPI_INTEGER, &
                      mod(rank + ranks - 2, ranks), 2, comm, MPI_STATUS_IGNORE, error)
    call MPI_Allreduce(sent, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  call MPI_Comm_free(comm, error)
  if (rank == 0) print '(a,i0)', 'done ', sum(1)
  call MPI_Finalize(error)
end program rings
