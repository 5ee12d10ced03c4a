! A call that fails leaves its numbers of requests defined: no more than the request arrays are changed.
program failed_requests
  use mpi
  implicit none
  integer :: code, done, indices(2), requests(2), statuses(MPI_STATUS_SIZE, 2)
  call MPI_Init(code)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
  requests = 12345678
  indices = 77
  done = 1000000
  call MPI_Testsome(2, requests, done, indices, statuses, code)
  print '(l1, 2i4)', code /= MPI_SUCCESS, indices
  call MPI_Finalize(code)
end program
