! rings.c with mpif.h (-DMPIF), `use mpi` (-DUSEMPI) or `use mpi_f08`. With a second argument, one MPI_Startall starts the
! messages of both sets.
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
  integer :: comm, requests(4)
#else
  type(MPI_Comm) :: comm
  type(MPI_Request) :: requests(4)
#endif
  integer :: rank, ranks, error, i, iterations, sent(1), received(1), sum(1), k
  integer, volatile :: both(2)
  logical :: at_once
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
  at_once = command_argument_count() > 1
  if (at_once) then
    do k = 1, 2
      call MPI_Recv_init(both(k), 1, MPI_INTEGER, mod(rank + ranks - k, ranks), k, MPI_COMM_WORLD, &
                         requests(2 * k - 1), error)
      call MPI_Send_init(sent(1), 1, MPI_INTEGER, mod(rank + k, ranks), k, MPI_COMM_WORLD, requests(2 * k), error)
    end do
  end if
  do i = 1, iterations
    if (at_once) then
      both = -1
      call MPI_Startall(4, requests, error)
      call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)
      do k = 1, 2
        if (both(k) /= mod(rank + ranks - k, ranks)) call MPI_Abort(MPI_COMM_WORLD, k, error)
      end do
      call MPI_Allreduce(sent, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
      cycle
    end if
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
