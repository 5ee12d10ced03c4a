! Fortran arrays that are resized, moved and deallocated in each rank; a file that is left open.
program allocatables
    use mpi
    implicit none
    integer :: ierror, rank, ranks, i, total
    integer, allocatable :: numbers(:), more(:)
    real(8), allocatable :: matrix(:, :)
    character(len=:), allocatable :: text
    character(len=20) :: name

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    allocate (numbers(10))
    numbers = rank
    do i = 1, 12
        allocate (more(2*size(numbers)))
        more(1:size(numbers)) = numbers
        more(size(numbers) + 1:) = rank + i
        call move_alloc(more, numbers)
        call MPI_Barrier(MPI_COMM_WORLD, ierror)
    end do
    if (numbers(10) /= rank .or. numbers(size(numbers)) /= rank + 12) call MPI_Abort(MPI_COMM_WORLD, 70, ierror)
    allocate (matrix(100, 50*(rank + 1)))
    matrix = rank
    text = ''
    do i = 1, 100
        text = text//'word '
    end do
    call MPI_Allreduce(len(text), total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    write (name, '(a,i0)') 'left_open.', rank
    open (unit=20, file=name, status='replace')
    write (20, '(a,i0)') 'of rank ', rank
    print '(a,i0,a,i0,a,f10.1)', 'rank ', rank, ': ', total, ' characters, ', sum(matrix)
    call MPI_Finalize(ierror)
end program
