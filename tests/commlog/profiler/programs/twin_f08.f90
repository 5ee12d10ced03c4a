! The same communication as twin.c, call by call, with use mpi_f08. ierror is passed only where it is checked.
module received
  implicit none
contains
  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (.not. holds) then
      print *, 'does not hold: ', what
      error stop 3
    end if
  end subroutine

  subroutine add_up(left, right, count, type)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: left, right
    integer :: count
    type(MPI_Datatype) :: type
    integer, pointer :: l(:), r(:)
    call c_f_pointer(left, l, [count])
    call c_f_pointer(right, r, [count])
    r = r + l
    if (type == MPI_DATATYPE_NULL) print *, 'no type'
  end subroutine
end module

program twin
  use mpi_f08
  use received
  implicit none
  integer, parameter :: most = 2000
  integer, asynchronous, save :: out(most), in(most), more(most)
  integer :: rank, size, number, index, done, length, bytes, ierror, i, round, place, next, previous
  integer :: indices(8), counts(16), places(16)
  logical :: flag
  character(len=MPI_MAX_OBJECT_NAME) :: name
  type(MPI_Comm) :: comm, half
  type(MPI_Request) :: requests(8)
  type(MPI_Status) :: status, statuses(8)
  type(MPI_Op) :: op
  type(MPI_Datatype) :: column, pieces, absolute
  integer(kind=MPI_ADDRESS_KIND) :: addresses(2)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call require(ierror == MPI_SUCCESS, 'MPI_Comm_size succeeds')
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_set_name(comm, 'ring of ranks')
  call MPI_Comm_get_name(comm, name, length)
  call require(length == 13 .and. name == 'ring of ranks', 'name')
  next = mod(rank + 1, size)
  previous = mod(rank + size - 1, size)
  out = rank

  if (mod(rank, 2) == 0) then
    call MPI_Send(out, 10, MPI_INTEGER, next, 1, comm)
    call MPI_Recv(in, most, MPI_INTEGER, previous, 1, comm, status, ierror)
  else
    call MPI_Recv(in, most, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, status)
    call MPI_Ssend(out, 10, MPI_INTEGER, next, 1, comm, ierror)
  end if
  call MPI_Get_count(status, MPI_INTEGER, number)
  call require(number == 10 .and. status%MPI_SOURCE == previous .and. status%MPI_TAG == 1 .and. in(10) == previous, 'ring')
  call MPI_Sendrecv(out, 20, MPI_INTEGER, next, 2, in, most, MPI_INTEGER, previous, 2, comm, MPI_STATUS_IGNORE)
  call MPI_Sendrecv_replace(out, 21, MPI_INTEGER, rank, 3, rank, 3, comm, status)
  call MPI_Send(out, 22, MPI_INTEGER, MPI_PROC_NULL, 4, comm)
  call MPI_Recv(in, 22, MPI_INTEGER, MPI_PROC_NULL, 4, comm, MPI_STATUS_IGNORE)
  call MPI_Sendrecv(out, 0, MPI_INTEGER, previous, 5, in, 0, MPI_INTEGER, next, 5, comm, MPI_STATUS_IGNORE)

  do round = 0, 3
    do i = 0, 2
      call MPI_Irecv(in(600 * i + 1), 600, MPI_INTEGER, merge(MPI_ANY_SOURCE, previous, i == 1), 10 + i, comm, &
                     requests(i + 1))
    end do
    do i = 0, 2
      call MPI_Isend(out, 100 * i + round, MPI_INTEGER, next, 10 + i, comm, requests(4 + i))
    end do
    requests(7) = MPI_REQUEST_NULL
    select case (round)
    case (0)
      call MPI_Waitall(7, requests, statuses)
      call MPI_Get_count(statuses(3), MPI_INTEGER, number)
      call require(number == 200 .and. statuses(2)%MPI_SOURCE == previous, 'Waitall')
    case (1)
      do i = 1, 6
        call MPI_Waitany(7, requests, index, status)
      end do
      ! The index is not checked, because MPICH 4.0 counts it from 0 in mpi_f08.
      do i = 1, 6
        call require(requests(i) == MPI_REQUEST_NULL, 'Waitany frees the requests')
      end do
    case (2)
      do i = 1, 10
        call MPI_Testsome(7, requests, done, indices, MPI_STATUSES_IGNORE)
        call MPI_Testany(7, requests, index, flag, MPI_STATUS_IGNORE)
      end do
      call MPI_Waitall(7, requests, MPI_STATUSES_IGNORE)
    case default
      do i = 1, 6
        call MPI_Test(requests(i), flag, MPI_STATUS_IGNORE)
        call MPI_Wait(requests(i), MPI_STATUS_IGNORE)
      end do
      call MPI_Testall(7, requests, flag, statuses)
      call require(flag, 'Testall')
      call MPI_Waitsome(7, requests, done, indices, statuses)
      call require(done == MPI_UNDEFINED, 'Waitsome')
    end select
    call require(in(600 * 2 + 200) == previous, 'nonblocking')
  end do
  call MPI_Irecv(in, 10, MPI_INTEGER, next, 99, comm, requests(1))
  call MPI_Cancel(requests(1))
  call MPI_Wait(requests(1), status)
  call MPI_Test_cancelled(status, flag)
  call require(flag, 'cancelled')
  call MPI_Isend(out, 23, MPI_INTEGER, next, 6, comm, requests(1))
  call MPI_Probe(MPI_ANY_SOURCE, 6, comm, status)
  call MPI_Recv(in, most, MPI_INTEGER, status%MPI_SOURCE, 6, comm, MPI_STATUS_IGNORE)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)

  call MPI_Recv_init(in, most, MPI_INTEGER, previous, 20, comm, requests(1))
  call MPI_Send_init(out, 200, MPI_INTEGER, next, 20, comm, requests(2))
  do round = 0, 2
    call MPI_Startall(2, requests)
    if (round == 0) then
      call MPI_Waitall(2, requests, statuses)
    else
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    end if
  end do
  call MPI_Start(requests(1))
  call MPI_Start(requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))

  place = 0
  do i = 1, size
    counts(i) = i
    places(i) = place
    place = place + i
  end do
  call MPI_Barrier(comm)
  call MPI_Bcast(out, 30, MPI_INTEGER, 0, comm)
  out = rank
  call MPI_Reduce(out, in, 31, MPI_INTEGER, MPI_SUM, size - 1, comm)
  call MPI_Allreduce(out, in, 32, MPI_INTEGER, MPI_MAX, comm)
  call require(in(32) == size - 1, 'largest')
  in(1) = rank
  call MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_INTEGER, MPI_SUM, comm)
  call require(in(1) == size * (size - 1) / 2, 'sum')
  call MPI_Op_create(add_up, .true., op)
  call MPI_Allreduce(out, in, 2, MPI_INTEGER, op, comm)
  call require(in(2) == size * (size - 1) / 2, 'own operation')
  call MPI_Op_free(op)
  call MPI_Gather(out, 33, MPI_INTEGER, in, 33, MPI_INTEGER, 0, comm)
  call MPI_Gatherv(out, counts(rank + 1), MPI_INTEGER, in, counts, places, MPI_INTEGER, 0, comm)
  call MPI_Scatter(out, 34, MPI_INTEGER, in, 34, MPI_INTEGER, 0, comm)
  call MPI_Allgather(out, 35, MPI_INTEGER, in, 35, MPI_INTEGER, comm)
  call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, MPI_INTEGER, comm)
  call MPI_Alltoall(out, 36, MPI_INTEGER, in, 36, MPI_INTEGER, comm)
  call MPI_Alltoallv(out, counts, places, MPI_INTEGER, in, counts, places, MPI_INTEGER, MPI_COMM_SELF)
  call MPI_Iallreduce(out, in, 37, MPI_INTEGER, MPI_SUM, comm, requests(1))
  call MPI_Ibcast(more, 38, MPI_INTEGER, 0, comm, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Comm_split(comm, mod(rank, 2), rank, half)
  call MPI_Allreduce(out, in, 39, MPI_INTEGER, MPI_SUM, half)
  call MPI_Comm_free(half)

  call MPI_Type_vector(7, 2, 10, MPI_INTEGER, column)
  call MPI_Type_commit(column)
  call MPI_Sendrecv(out, 2, column, next, 7, in, most, MPI_INTEGER, previous, 7, comm, status)
  call MPI_Get_count(status, MPI_INTEGER, number)
  call require(number == 28, 'column')
  call MPI_Type_indexed(2, [3, 5], [0, 100], MPI_INTEGER, pieces)
  call MPI_Type_commit(pieces)
  call MPI_Type_size(pieces, bytes)
  call require(bytes == 32, 'pieces')
  call MPI_Bcast(out, 3, pieces, 0, comm)
  out = rank
  call MPI_Get_address(out, addresses(1))
  call MPI_Get_address(more, addresses(2))
  call MPI_Type_create_struct(2, [3, 5], addresses, [MPI_INTEGER, MPI_INTEGER], absolute)
  call MPI_Type_commit(absolute)
  call MPI_Sendrecv(MPI_BOTTOM, 1, absolute, next, 8, in, most, MPI_INTEGER, previous, 8, comm, MPI_STATUS_IGNORE)
  call require(in(3) == previous, 'absolute addresses')
  call MPI_Type_free(absolute)
  call MPI_Type_free(pieces)
  call MPI_Type_free(column)
  call MPI_Comm_free(comm)
  call MPI_Finalize()
end program
