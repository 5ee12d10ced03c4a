! Fortran's units, common blocks and saved variables are private to a rank.
program units
  use mpi
  implicit none
  integer :: rank, count, error, i, number
  integer, save :: kept = 3
  character(len=20) :: name
  common /shared/ number
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, count, error)
  number = 10 * rank
  kept = kept + rank
  write (name, '(a,i0,a)') 'unit-', rank, '.txt'
  open (unit=10, file=name, status='replace')
  do i = 1, 3
    write (10, *) rank, i
    call mpi_barrier(mpi_comm_world, error)
  end do
  close (10)
  open (unit=10, file=name, status='old')
  do i = 1, 3
    read (10, *) error, kept
    if (error /= rank .or. kept /= i) print *, 'rank', rank, 'has read', error, kept
    call mpi_barrier(mpi_comm_world, error)
  end do
  close (10, status='delete')
  do i = 0, count - 1
    if (i == rank) then
      print '(a,i0,a,i0,a,i0)', 'rank ', rank, ' number ', number, ' kept ', kept
      flush (6)
    end if
    call mpi_barrier(mpi_comm_world, error)
  end do
  call mpi_finalize(error)
end program units
