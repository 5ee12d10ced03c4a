! One-sided communication from Fortran, by the module and by mpif.h. Window memory is allocated: MPICH over UCX treats a
! window whose start is not a multiple of 16 bytes as one that starts lower.

module checked
    implicit none
contains
    subroutine require(holds, what)
        logical, intent(in) :: holds
        character(*), intent(in) :: what
        if (.not. holds) then
            write (0, *) what, ' does not hold'
            error stop 70
        end if
    end subroutine
end module

! Fences, puts, gets and sums in a window over the program's own array.
subroutine fences(rank, ranks)
    use mpi
    use checked
    implicit none
    integer, intent(in) :: rank, ranks
    integer :: win, error, i, right, unit, model, flavor
    integer, allocatable, target :: cells(:)
    integer, target :: got(2)
    integer(kind=mpi_address_kind) :: bytes, attribute, place
    logical :: flag

    allocate (cells(0:ranks))
    cells = -1
    bytes = 4*(ranks + 1)
    call mpi_win_create(cells, bytes, 4, mpi_info_null, mpi_comm_world, win, error)
    call require(error == mpi_success, 'mpi_win_create')
    call mpi_win_get_attr(win, mpi_win_size, attribute, flag, error)
    call require(flag .and. attribute == bytes, 'mpi_win_size')
    call mpi_win_get_attr(win, mpi_win_disp_unit, attribute, flag, error)
    unit = int(attribute)
    call mpi_win_get_attr(win, mpi_win_create_flavor, attribute, flag, error)
    flavor = int(attribute)
    call mpi_win_get_attr(win, mpi_win_model, attribute, flag, error)
    model = int(attribute)
    call require(unit == 4 .and. flavor == mpi_win_flavor_create .and. model == mpi_win_unified, 'attributes')

    call mpi_win_fence(mpi_mode_noprecede, win, error)
    do i = 0, ranks - 1
        place = rank
        call mpi_put(100*rank + i, 1, mpi_integer, i, place, 1, mpi_integer, win, error)
    end do
    call mpi_win_fence(0, win, error)
    place = ranks
    do i = 0, ranks - 1
        call mpi_accumulate(rank + 2, 1, mpi_integer, i, place, 1, mpi_integer, mpi_sum, win, error)
    end do
    call mpi_win_fence(0, win, error)
    right = mod(rank + 1, ranks)
    place = ranks - 1
    call mpi_get(got, 2, mpi_integer, right, place, 2, mpi_integer, win, error)
    call mpi_win_fence(mpi_mode_nosucceed, win, error)
    do i = 0, ranks
        print '(a, i0, a, i0, a, i0)', 'rank ', rank, ' cell ', i, ': ', cells(i)
    end do
    print '(a, i0, a, i0, 1x, i0)', 'rank ', rank, ' got ', got
    call mpi_win_free(win, error)
    call require(win == mpi_win_null, 'mpi_win_free')
    deallocate (cells)
end subroutine

! Locks, and values fetched from a counter at rank 0.
subroutine locks(rank, ranks)
    implicit none
    include 'mpif.h'
    integer, intent(in) :: rank, ranks
    integer :: win, error, i, one, ticket, none
    integer, allocatable, target :: counters(:)
    integer(kind=mpi_address_kind) :: bytes, place

    allocate (counters(2))
    counters = 0
    bytes = 8
    one = 1
    call mpi_win_create(counters, bytes, 4, mpi_info_null, mpi_comm_world, win, error)
    call mpi_win_lock_all(0, win, error)
    do i = 1, 3
        place = 0
        call mpi_fetch_and_op(one, ticket, mpi_integer, 0, place, mpi_sum, win, error)
        call mpi_win_flush(0, win, error)
    end do
    call mpi_win_unlock_all(win, error)
    call mpi_barrier(mpi_comm_world, error)

    ! One rank gets the original value, the others find another value.
    call mpi_win_lock(mpi_lock_exclusive, 0, 0, win, error)
    place = 1
    none = 0
    call mpi_compare_and_swap(one, none, ticket, mpi_integer, 0, place, win, error)
    call mpi_win_unlock(0, win, error)
    call mpi_reduce(ticket, i, 1, mpi_integer, mpi_sum, 0, mpi_comm_world, error)
    if (rank == 0) print '(a, i0, 1x, i0, a, i0)', 'counters ', counters, ', ranks that found it taken: ', i
    if (rank == 0 .and. i /= ranks - 1) call mpi_abort(mpi_comm_world, 70, error)
    call mpi_win_free(win, error)
end subroutine

! Memory shared by the ranks of a node, allocated by MPI.
subroutine shared(rank, ranks)
    use, intrinsic :: iso_c_binding
    use mpi
    use checked
    implicit none
    integer, intent(in) :: rank, ranks
    integer :: win, error, node, members, own, unit, i, total
    integer(kind=mpi_address_kind) :: bytes
    type(c_ptr) :: base
    integer, pointer :: cells(:), others(:)

    call mpi_comm_split_type(mpi_comm_world, mpi_comm_type_shared, 0, mpi_info_null, node, error)
    call mpi_comm_size(node, members, error)
    call mpi_comm_rank(node, own, error)
    bytes = 8
    call mpi_win_allocate_shared(bytes, 4, mpi_info_null, node, base, win, error)
    call c_f_pointer(base, cells, [2])
    call mpi_win_lock_all(mpi_mode_nocheck, win, error)
    cells = [10*rank + 1, 10*rank + 2]
    call mpi_win_sync(win, error)
    call mpi_barrier(node, error)
    call mpi_win_sync(win, error)
    total = 0
    do i = 0, members - 1
        call mpi_win_shared_query(win, i, bytes, unit, base, error)
        call require(bytes == 8 .and. unit == 4, 'mpi_win_shared_query')
        call c_f_pointer(base, others, [2])
        total = total + sum(others)
    end do
    call mpi_win_unlock_all(win, error)
    print '(a, i0, a, i0, a, i0)', 'rank ', rank, ' of ', ranks, ' shares ', total
    call mpi_win_free(win, error)
    call mpi_comm_free(node, error)
end subroutine

! Posts and starts, from each rank to the next.
subroutine posts(rank, ranks)
    use mpi
    use checked
    implicit none
    integer, intent(in) :: rank, ranks
    integer :: win, error, all, to(1), from(1), origins, targets
    integer, allocatable, target :: value(:)
    integer(kind=mpi_address_kind) :: bytes, place

    allocate (value(1))
    value = 0
    bytes = 4
    call mpi_win_create(value, bytes, 4, mpi_info_null, mpi_comm_world, win, error)
    call mpi_win_get_group(win, all, error)
    to = mod(rank + 1, ranks)
    from = mod(rank + ranks - 1, ranks)
    call mpi_group_incl(all, 1, from, origins, error)
    call mpi_group_incl(all, 1, to, targets, error)
    call mpi_win_post(origins, 0, win, error)
    call mpi_win_start(targets, 0, win, error)
    place = 0
    call mpi_put(rank + 7, 1, mpi_integer, to(1), place, 1, mpi_integer, win, error)
    call mpi_win_complete(win, error)
    call mpi_win_wait(win, error)
    print '(a, i0, a, i0)', 'rank ', rank, ' has ', value
    call mpi_group_free(all, error)
    call mpi_group_free(origins, error)
    call mpi_group_free(targets, error)
    call mpi_win_free(win, error)
end subroutine

program windows
    use mpi
    implicit none
    integer :: rank, ranks, error
    call mpi_init(error)
    call mpi_comm_rank(mpi_comm_world, rank, error)
    call mpi_comm_size(mpi_comm_world, ranks, error)
    call fences(rank, ranks)
    call locks(rank, ranks)
    call shared(rank, ranks)
    call posts(rank, ranks)
    call mpi_finalize(error)
end program
