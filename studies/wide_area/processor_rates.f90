! Rates of one core, for the factor of computing.json: LINPACK with n = 100, and the triad of STREAM.
! Build: gfortran -O3 processor_rates.f90 -o processor_rates
program processor_rates
    implicit none
    print '(a, f10.1)', 'linpack_100_mflops ', linpack()
    print '(a, f10.1)', 'stream_triad_mb_per_s ', triad()

contains

    ! Gaussian elimination by columns, without blocking, as dgefa and dgesl; leading dimension 201. Best of 5 runs.
    real(8) function linpack()
        integer, parameter :: n = 100, leading = 201, solutions = 3000
        real(8) :: matrix(leading, n), a(leading, n), sums(n), b(n), start, end, best
        integer :: pivots(n), state, i, j, run, solution
        state = 1325
        do j = 1, n
            do i = 1, n
                state = mod(3125 * state, 65536)
                matrix(i, j) = (state - 32768.0d0) / 16384.0d0
            end do
        end do
        sums = sum(matrix(1:n, :), dim=2)
        best = huge(best)
        do run = 1, 5
            call cpu_time(start)
            do solution = 1, solutions
                a = matrix
                b = sums
                call factor(a, leading, n, pivots)
                call solve(a, leading, n, pivots, b)
            end do
            call cpu_time(end)
            best = min(best, (end - start) / solutions)
        end do
        if (maxval(abs(b - 1)) > 1d-8) stop 'wrong solution'
        linpack = (2d0 * n**3 / 3 + 2d0 * n**2) / best / 1d6
    end function

    subroutine factor(a, leading, n, pivots)
        integer, intent(in) :: leading, n
        real(8), intent(inout) :: a(leading, n)
        integer, intent(out) :: pivots(n)
        integer :: j, k, l
        real(8) :: t
        do k = 1, n - 1
            l = k - 1 + maxloc(abs(a(k:n, k)), dim=1)
            pivots(k) = l
            t = a(l, k)
            a(l, k) = a(k, k)
            a(k, k) = t
            a(k + 1:n, k) = -a(k + 1:n, k) / t
            do j = k + 1, n
                t = a(l, j)
                a(l, j) = a(k, j)
                a(k, j) = t
                call add_multiple(n - k, t, a(k + 1, k), a(k + 1, j))
            end do
        end do
        pivots(n) = n
    end subroutine

    subroutine solve(a, leading, n, pivots, b)
        integer, intent(in) :: leading, n, pivots(n)
        real(8), intent(in) :: a(leading, n)
        real(8), intent(inout) :: b(n)
        integer :: k
        real(8) :: t
        do k = 1, n - 1
            t = b(pivots(k))
            b(pivots(k)) = b(k)
            b(k) = t
            call add_multiple(n - k, t, a(k + 1, k), b(k + 1))
        end do
        do k = n, 1, -1
            b(k) = b(k) / a(k, k)
            call add_multiple(k - 1, -b(k), a(1, k), b)
        end do
    end subroutine

    subroutine add_multiple(n, t, x, y)
        integer, intent(in) :: n
        real(8), intent(in) :: t, x(n)
        real(8), intent(inout) :: y(n)
        y = y + t * x
    end subroutine

    ! Arrays of 160 MB; best of 10 runs.
    real(8) function triad()
        integer, parameter :: n = 20000000
        real(8), allocatable :: a(:), b(:), c(:)
        real(8) :: start, end, best
        integer :: run
        allocate(a(n), b(n), c(n))
        a = 1
        b = 2
        c = 0.5d0
        best = huge(best)
        do run = 1, 10
            call cpu_time(start)
            a = b + 3d0 * c
            call cpu_time(end)
            best = min(best, end - start)
            b(run) = a(run)
        end do
        triad = 24d0 * n / best / 1d6
    end function

end program
