! MPI_IN_PLACE and MPI_STATUS_IGNORE are variables of the program, which MPICH's library identifies by address.
program sentinels
  use mpi
  implicit none
  integer :: error, rank, ranks, before, request, status(mpi_status_size)
  integer :: values(4), got(1)
  integer, save :: counter = 0
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  before = mod(rank + ranks - 1, ranks)
  counter = counter + rank
  values = rank
  call mpi_allreduce(mpi_in_place, values, 4, mpi_integer, mpi_sum, mpi_comm_world, error)
  if (any(values /= ranks * (ranks - 1) / 2)) print *, 'rank', rank, ': the sum is', values
  call mpi_irecv(got, 1, mpi_integer, before, 1, mpi_comm_world, request, error)
  call mpi_send(counter, 1, mpi_integer, mod(rank + 1, ranks), 1, mpi_comm_world, error)
  call mpi_wait(request, mpi_status_ignore, error)
  if (got(1) /= before) print *, 'rank', rank, ': received', got(1)
  call mpi_irecv(got, 1, mpi_integer, before, 2, mpi_comm_world, request, error)
  call mpi_send(counter, 1, mpi_integer, mod(rank + 1, ranks), 2, mpi_comm_world, error)
  call mpi_wait(request, status, error)
  if (status(mpi_source) /= before) print *, 'rank', rank, ': the source is', status(mpi_source)
  if (counter /= rank) print *, 'rank', rank, ': the counter is', counter
  print *, 'rank', rank, 'has ended'
  call mpi_finalize(error)
end program sentinels
