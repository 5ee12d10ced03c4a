! For the tests of libhaichi-renumber: prints the same as numbers.c, as far as mpif.h allows.
program numbers
  implicit none
  include 'mpif.h'
  integer :: status(MPI_STATUS_SIZE), request, half, dup, group
  integer :: rank, size, total, left, half_rank, half_size, dup_rank, group_rank, length, code, compared
  integer :: one(1), one_rank(1)
  integer(kind=MPI_ADDRESS_KIND) :: bound
  logical :: has_bound
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=16) :: place
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, size, code)
  one_rank(1) = rank
  call MPI_Allreduce(one_rank, one, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
  total = one(1)
  call MPI_Irecv(one, 1, MPI_INTEGER, modulo(rank - 1, size), 7, MPI_COMM_WORLD, request, code)
  call MPI_Send(one_rank, 1, MPI_INTEGER, modulo(rank + 1, size), 7, MPI_COMM_WORLD, code)
  call MPI_Wait(request, status, code)
  left = one(1)
  if (status(MPI_SOURCE) /= left) left = -2
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half, code)
  call MPI_Comm_rank(half, half_rank, code)
  call MPI_Comm_size(half, half_size, code)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, code)
  call MPI_Comm_rank(dup, dup_rank, code)
  call MPI_Comm_compare(MPI_COMM_WORLD, dup, compared, code)
  if (compared /= MPI_CONGRUENT) dup_rank = -2
  call MPI_Comm_group(MPI_COMM_WORLD, group, code)
  call MPI_Group_rank(group, group_rank, code)
  name = ' '
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, code)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, bound, has_bound, code)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
  call MPI_Send(one_rank, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD, code)
  place = ' '
  call get_environment_variable('OMPI_COMM_WORLD_RANK', place)
  if (place == ' ') call get_environment_variable('PMI_RANK', place)
  print '(a,8(1x,i0),1x,a,3(1x,i0))', trim(place), rank, size, total, left, half_rank, half_size, dup_rank, group_rank, &
    name(1:length), merge(1, 0, has_bound .and. bound >= 32767), 42, merge(1, 0, code /= MPI_SUCCESS)
  call MPI_Finalize(code)
end program numbers
