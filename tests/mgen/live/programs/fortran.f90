! Fortran: common blocks and saved data of every rank, a user-defined operation, MPI_IN_PLACE, derived types, output.
module own_operation
    use mpi
    implicit none
contains
    subroutine larger_magnitude(in, inout, length, datatype)
        integer, intent(in) :: length, datatype
        double precision, intent(in) :: in(length)
        double precision, intent(inout) :: inout(length)
        integer :: i
        do i = 1, length
            if (abs(in(i)) > abs(inout(i))) inout(i) = in(i)
        end do
        if (datatype == MPI_DATATYPE_NULL) stop 3
    end subroutine
end module

subroutine count_calls(calls)
    implicit none
    integer, intent(out) :: calls
    integer, save :: counted = 0
    counted = counted + 1
    calls = counted
end subroutine

program fortran
    use mpi
    use own_operation
    implicit none
    integer :: rank, ranks, error, operation, column, status(MPI_STATUS_SIZE), requests(2), i, calls, length
    integer :: shared_number
    double precision :: shared_values(8)
    common /shared/ shared_values, shared_number
    double precision :: values(4), matrix(3, 5), received(5)
    character(len=MPI_MAX_PROCESSOR_NAME) :: name
    logical :: flag

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    call MPI_Get_processor_name(name, length, error)
    if (length < 1) call MPI_Abort(MPI_COMM_WORLD, 2, error)

    shared_number = 100 + rank
    shared_values = rank * 1.5d0
    do i = 0, rank
        call count_calls(calls)
        if (i == 0) call MPI_Barrier(MPI_COMM_WORLD, error)
    end do
    print '(a,i3,a,i4,a,f8.2,a,i3)', 'rank', rank, ' common', shared_number, ' values', sum(shared_values), ' calls', calls

    call MPI_Op_create(larger_magnitude, .true., operation, error)
    values = [(dble(mod(rank * 7 + i, 5) - 2) * (rank + 1), i = 1, 4)]
    call MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_DOUBLE_PRECISION, operation, MPI_COMM_WORLD, error)
    if (rank == 0) print '(a,4f8.2)', 'largest', values
    call MPI_Op_free(operation, error)

    ! A row of a matrix is a vector with a stride.
    matrix = reshape([(dble(rank * 100 + i), i = 1, 15)], [3, 5])
    call MPI_Type_vector(5, 1, 3, MPI_DOUBLE_PRECISION, column, error)
    call MPI_Type_commit(column, error)
    call MPI_Irecv(received, 5, MPI_DOUBLE_PRECISION, mod(rank + ranks - 1, ranks), 4, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(matrix(2, 1), 1, column, mod(rank + 1, ranks), 4, MPI_COMM_WORLD, requests(2), error)
    call MPI_Wait(requests(1), status, error)
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE, error)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, length, error)
    write (*, '(a,i3,a,i3,a,i3,a,5f8.1)') 'rank', rank, ' from', status(MPI_SOURCE), ' count', length, ':', received
    call MPI_Type_free(column, error)

    call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, error)
    if (flag) call MPI_Abort(MPI_COMM_WORLD, 3, error)
    call MPI_Finalize(error)
end program
